import { A2AError, invalidParams } from '../../protocol/errors.ts'
import { A2A_JSON, isJsonType, JSON_TYPE } from '../../protocol/media-types.ts'
import { isVersionSupported, PROTOCOL_VERSION, VERSION_PARAMETER } from '../../protocol/version.ts'

/** A request with its body read, so that it can be answered in one step. */
export interface ReceivedRequest {
  method: string
  path: string
  /** What follows the question mark, if there is one. */
  query: string | undefined
  headers: Headers
  body: string
  /** The body's length; of one that is too long nothing else is known. */
  bodyOctets: number
  /** Aborts when the requester goes away. */
  gone: () => AbortSignal
}

/** What the agent reads of one request. */
export const BODY_OCTETS_MAX = 4 * 1024 * 1024

/** @throws A2AError InvalidParamsError for a body that is too long to be read */
export function mustFit({ bodyOctets }: ReceivedRequest): void {
  if (bodyOctets > BODY_OCTETS_MAX)
    throw invalidParams(
      'body',
      `must be at most ${BODY_OCTETS_MAX} octets, and this has ${bodyOctets} or more`,
    )
}

/**
 * What both bindings ask of every request before they look at its meaning.
 *
 * @throws A2AError VersionNotSupportedError or ContentTypeNotSupportedError
 */
export function mustBeUnderstood({ headers, query, body }: ReceivedRequest): void {
  const version = headers.get(VERSION_PARAMETER) ?? versionInQuery(query)
  if (!isVersionSupported(version)) {
    const given = version ? `${VERSION_PARAMETER} ${version}` : `no ${VERSION_PARAMETER}, which means 0.3`
    throw new A2AError(
      'VersionNotSupportedError',
      `the request has ${given}; this agent speaks ${PROTOCOL_VERSION}`,
    )
  }
  if (body === '') return
  const type = headers.get('content-type')
  if (!isJsonType(type))
    throw new A2AError(
      'ContentTypeNotSupportedError',
      `the body is ${type ?? 'of no content type'}; ${JSON_TYPE} and ${A2A_JSON} are read`,
    )
}

const versionInQuery = (query: string | undefined): string | undefined =>
  query === undefined ? undefined : (new URLSearchParams(query).get(VERSION_PARAMETER) ?? undefined)
