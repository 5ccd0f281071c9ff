/** The one version spoken here, as `AgentInterface.protocolVersion` and `A2A-Version` write it. */
export const PROTOCOL_VERSION = '1.0'

/** Name of the header and of the query parameter that may stand for it (specification 3.6.1). */
export const VERSION_PARAMETER = 'A2A-Version'

/** Major and minor decide, a patch part must not (specification 3.6); nothing at all means 0.3 (3.6.2). */
export const isVersionSupported = (given: string | undefined): boolean =>
  given === PROTOCOL_VERSION || (given !== undefined && /^1\.0\.\d+$/.test(given))
