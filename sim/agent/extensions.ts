/** Extensions of the protocol, by URI: which of them a request turns on (specification 4.6). */
import type { AgentExtension } from '../protocol/a2a.ts'
import { A2AError } from '../protocol/errors.ts'

/** One header field, whose values commas part. */
export const EXTENSIONS_HEADER = 'A2A-Extensions'

/**
 * The extensions of the card that a request declares, in its order. One that
 * nobody knows is passed over.
 */
export function activatedBy(headers: Headers, offered: readonly AgentExtension[]): string[] {
  if (offered.length === 0) return []
  const declared = (headers.get(EXTENSIONS_HEADER) ?? '').split(',').map((uri) => uri.trim())
  return [...new Set(declared)].filter((uri) => offered.some((extension) => extension.uri === uri))
}

/**
 * The specification leaves open which operations this is asked of: here, all.
 *
 * @throws A2AError ExtensionSupportRequiredError
 */
export function mustDeclareRequired(activated: readonly string[], offered: readonly AgentExtension[]): void {
  const missing = offered.filter(({ uri, required }) => required === true && !activated.includes(uri))
  if (missing.length === 0) return
  const uris = missing.map(({ uri }) => uri).join(', ')
  throw new A2AError(
    'ExtensionSupportRequiredError',
    `declare ${uris} in ${EXTENSIONS_HEADER}: the card requires it`,
  )
}
