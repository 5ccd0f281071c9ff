/** The library as people read it: each policy in words, with where it comes from and how it is used. */
import { mapNode, plain } from '../node.ts'
import { lineAndColumn } from '../place.ts'
import { ScenarioError } from '../problem.ts'
import { resolveBackoff, type BackoffInput } from './backoff.ts'
import { resolveHeartbeat, type HeartbeatInput } from './heartbeat.ts'
import { resolveClientLimits, resolveHop } from './hop.ts'
import { createLibrary, sourceOf, type Library, type LibraryEntry, type PolicySource } from './library.ts'
import { DEFAULT_CHOICES, resolveMechanism } from './mechanism.ts'
import { backoffPhrase, heartbeatPhrase, hopPhrase, limitsPhrase } from './phrase.ts'
import { spellOutMechanism } from './spell-out.ts'
import { titleOf } from './title.ts'

export interface ListedPolicy extends PolicySource {
  /** As a scenario would write it; for a fact of the world the values it sets; empty where nothing is known. */
  parameters: Readonly<Record<string, unknown>>
  /** In words: `poll every 15 s, 40 polls at most`. */
  meaning: string
  /** What people should know before they use it, in sentences. */
  note: string | undefined
  /** Why nobody can say how it behaves. */
  undetermined: string | undefined
  /** How a scenario or the command line names it; `undefined` for what is no policy. */
  usage: string | undefined
  file: string
  line: number
}

/**
 * Every policy of the shipped library and of the folders `policies/` in those given.
 *
 * @throws ScenarioError if a file of the library is wrong
 */
export function listPolicies(folders: readonly string[]): ListedPolicy[] {
  const library = createLibrary(folders)
  const entries = library.all()
  const problems = library.problems()
  if (problems.length > 0) throw new ScenarioError(problems)
  return entries.map((entry) => listed(entry, library))
}

function listed(entry: LibraryEntry, library: Library): ListedPolicy {
  const { kind, written, node, note, at } = entry
  return {
    ...sourceOf(entry),
    parameters: (node === undefined
      ? kind === 'scenario'
        ? written
        : {}
      : plain(node)) as ListedPolicy['parameters'],
    meaning: meaningOf(entry, library),
    note,
    undetermined: kind === 'undetermined' ? String(written) : undefined,
    usage: usageOf(entry),
    file: at.source.name,
    line: lineAndColumn(at).line,
  }
}

function meaningOf({ kind, written, node }: LibraryEntry, library: Library): string {
  if (kind === 'undetermined') return `not determined: ${String(written)}`
  if (kind === 'scenario') return `sets ${factsOf(written as object).join(', ')}`
  const map = (node === undefined ? {} : plain(node)) as Readonly<Record<string, never>>
  switch (kind) {
    case 'poll':
    case 'blocking': {
      const mechanism = node && mapNode(node.at, [[kind, { keyAt: node.at, node }]])
      if (mechanism === undefined) return ''
      const spelled = plain(spellOutMechanism(mechanism, library)) as Record<string, unknown>
      const context = { library, agent: DEFAULT_CHOICES, say: () => {} }
      const resolved = resolveMechanism(spelled, [], context)
      return resolved === undefined ? '' : titleOf(resolved.policy)
    }
    case 'reconnect':
    case 'retry':
      return `${kind} ${backoffPhrase(resolveBackoff(map as BackoffInput))}`.replace(
        /^\w+ one attempt/,
        'no retry',
      )
    case 'heartbeat':
      return heartbeatPhrase(
        resolveHeartbeat(map as HeartbeatInput),
        (map as HeartbeatInput).octets === undefined ? 'assumed' : 'given',
      )
    case 'hop':
      return hopPhrase(resolveHop(map, 1))
    case 'client':
      return limitsPhrase(resolveClientLimits(map))
  }
}

/** `agent.quota.rate: 15000/h` */
const factsOf = (values: object): string[] =>
  Object.entries(values).map(([key, value]) => `${key}: ${yamlOf(value)}`)

/** A value as YAML writes it on one line. */
const yamlOf = (value: unknown): string =>
  typeof value === 'object' && value !== null
    ? `{ ${Object.entries(value)
        .map(([key, inner]) => `${key}: ${yamlOf(inner)}`)
        .join(', ')} }`
    : String(value)

function usageOf({ kind, id, written }: LibraryEntry): string | undefined {
  switch (kind) {
    case 'poll':
    case 'blocking':
      return `${kind}:@${id}`
    case 'reconnect':
    case 'heartbeat':
      return `stream:${kind}=@${id}`
    case 'retry':
      return `push:retry=@${id}`
    case 'hop':
      return `network: { hops: [${id}] }`
    case 'client':
      return `client: ${id}`
    case 'scenario':
      return Object.entries(written as object)
        .map(([key, value]) => `--set '${key}=${yamlOf(value)}'`)
        .join(' ')
    case 'undetermined':
      return undefined
  }
}
