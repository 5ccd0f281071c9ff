import { A2AError } from '../../protocol/errors.ts'
import { isJsonType } from '../../protocol/media-types.ts'
import { isVersionSupported, PROTOCOL_VERSION, VERSION_PARAMETER } from '../../protocol/version.ts'

/** A request with its body read, so that it can be answered in one step. */
export interface ReceivedRequest {
  method: string
  path: string
  /** What follows the question mark, if there is one. */
  query: string | undefined
  headers: Headers
  body: string
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
  if (!isJsonType(type)) throw new A2AError('ContentTypeNotSupportedError', `the body is ${type}, not JSON`)
}

const versionInQuery = (query: string | undefined): string | undefined =>
  query === undefined ? undefined : (new URLSearchParams(query).get(VERSION_PARAMETER) ?? undefined)
