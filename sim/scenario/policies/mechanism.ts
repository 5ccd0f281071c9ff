/** A mechanism in long form, its library policies written out, as a policy with its canonical word. */
import type { Policy, SinglePolicy } from '../../policies/policy.ts'
import { plain, type Path } from '../node.ts'
import type { Say } from '../surroundings.ts'
import { durationUs } from '../values.ts'
import { differing, durationArgument, wordText, type Argument } from './argument.ts'
import type { AgentChoices } from './kind.ts'
import { KIND_NAMES, KINDS_LISTED, kindOf, type KindName } from './kinds.ts'
import type { Library } from './library.ts'
import { DEFAULT_SENDING } from './sending.ts'
import type { Slot } from './slot.ts'

/** A checked map without its places. */
type Values = Readonly<Record<string, unknown>>

/** What an agent does that nobody told otherwise. */
export const DEFAULT_CHOICES: AgentChoices = { heartbeat: 'none', retry: DEFAULT_SENDING.retry }

export interface ResolvedMechanism {
  policy: Policy
  /** Library policies by their names, defaults left out: `poll:@smithy-js`, `stream:reconnect=3s>poll:30s`. */
  word: string
}

interface Context {
  agent: AgentChoices
  library: Library
  say: Say
}

/** The policy of an entry; `undefined` if it is wrong, which is said at its place. */
export function resolveMechanism(entry: Values, path: Path, context: Context): ResolvedMechanism | undefined {
  const parts = partsOf(entry, path, context)
  if (parts === undefined) return undefined
  const [first, ...others] = parts as [Chain, ...Chain[]]
  const word = parts.map((part) => part.word).join('+')
  const policy: Policy =
    others.length === 0 ? chainPolicy(first) : { kind: 'together', parts: parts.map(chainPolicy) }
  return { policy, word }
}

const chainPolicy = ({ links, recoverUs }: Chain) =>
  links.length === 1 ? (links[0] as SinglePolicy) : { kind: 'chain' as const, links, recoverUs }

interface Chain {
  links: readonly SinglePolicy[]
  recoverUs: number | undefined
  word: string
}

/** Chains side by side: the entry's own, and what `with` names. */
function partsOf(entry: Values, path: Path, context: Context): Chain[] | undefined {
  const chain = chainOf(entry, path, context, 'first')
  const kind = onlyKind(entry)
  const side = kind && mapOf(entry, kind)['with']
  if (chain === undefined || kind === undefined) return undefined
  if (side === undefined) return [chain]
  const others = partsOf(side as Values, [...path, kind, 'with'], context)
  return others && [chain, ...others]
}

const kindsIn = (entry: Values): KindName[] => KIND_NAMES.filter((kind) => entry[kind] !== undefined)
const onlyKind = (entry: Values): KindName | undefined => {
  const kinds = kindsIn(entry)
  return kinds.length === 1 ? kinds[0] : undefined
}
const mapOf = (entry: Values, kind: KindName): Values => entry[kind] as Values

function chainOf(
  entry: Values,
  path: Path,
  context: Context,
  position: 'first' | 'later',
): Chain | undefined {
  const kind = onlyKind(entry)
  if (kind === undefined) {
    context.say(path, oneMechanism(kindsIn(entry)))
    return undefined
  }
  const map = mapOf(entry, kind)
  const here = [...path, kind]
  const description = kindOf(kind)
  const policy = description.resolve(map, context.agent)
  const fail = (key: string, message: string): undefined => {
    context.say([...here, key], message, true)
    return undefined
  }
  const next =
    map['else'] === undefined
      ? undefined
      : chainOf(map['else'] as Values, [...here, 'else'], context, 'later')
  if (map['else'] !== undefined && next === undefined) return undefined

  if (position === 'later' && map['with'] !== undefined) {
    const message =
      'what takes over is one mechanism: to have another beside all of them, write with outside else'
    return fail('with', message)
  }
  const implied = next === undefined ? description.impliedElse?.(policy) : undefined
  const recover = map['recover'] as string | undefined
  if (recover !== undefined && (position === 'later' || (next ?? implied) === undefined)) {
    const message =
      position === 'later'
        ? 'recover belongs to the first of a chain: the one it goes back to'
        : `recover goes back from what took over: add else, such as ${kind}: { else: poll:30s, recover: ${recover} }`
    return fail('recover', message)
  }
  const recoverUs = recover === undefined ? undefined : durationUs(recover)
  const own = linkWord(map, policy, recoverUs, context)
  return {
    links: [policy, ...(next?.links ?? (implied === undefined ? [] : [implied]))],
    recoverUs,
    word: next === undefined || isUnderstood(map, policy, next, context) ? own : `${own}>${next.word}`,
  }
}

function oneMechanism(kinds: readonly KindName[]): string {
  const [first, second] = kinds
  if (first === undefined || second === undefined) return `which mechanism? write ${KINDS_LISTED}`
  const many = kinds.length === 2 ? 'two' : String(kinds.length)
  const together = `to use both side by side write ${first}: { with: ${second} }`
  return `one mechanism per entry: ${kinds.join(' and ')} are ${many}; ${together}`
}

/** What takes over anyhow need not be written: it is implied, or the library's. */
function isUnderstood(map: Values, policy: SinglePolicy, next: Chain, context: Context): boolean {
  const { library } = context
  const implied = kindOf(policy.kind).impliedElse?.(policy)
  if (implied !== undefined && next.word === wordOf(implied)) return true
  const otherwise = libraryPart(map, kindOf(policy.kind).slot, library)['else']
  if (otherwise === undefined) return false
  return chainOf(otherwise as Values, [], { ...context, say: () => {} }, 'later')?.word === next.word
}

function linkWord(
  map: Values,
  policy: SinglePolicy,
  recoverUs: number | undefined,
  { agent, library }: Context,
): string {
  const kind = kindOf(policy.kind)
  const from = kind.resolve(libraryPart(map, kind.slot, library), agent)
  return singleWord(policy, from, namesIn(map, kind.slot), durationArgument('recover', recoverUs))
}

function singleWord(
  policy: SinglePolicy,
  from: SinglePolicy,
  names: ReadonlyMap<string, string>,
  more: readonly Argument[] = [],
): string {
  const kind = kindOf(policy.kind)
  const defaults = kind
    .arguments(from)
    .filter(({ path }) => names.has('') || path.join('.') !== kind.alwaysWritten)
  const all = [...kind.arguments(policy), ...more]
  return wordText(policy.kind, all, differing(all, defaults), names)
}

/** What of a map comes from the library. */
function libraryPart(map: Values, slot: Slot, library: Library): Values {
  const { use } = map
  const found =
    slot.entry !== undefined && typeof use === 'string' ? library.find(slot.entry, use) : undefined
  const part = found && 'entry' in found ? { ...(plain(found.entry.node) as Values) } : {}
  for (const [key, inner] of Object.entries(slot.inside ?? {})) {
    const value = map[key]
    if (typeof value !== 'object' || value === null || Array.isArray(value)) continue
    const innerPart = libraryPart(value as Values, inner, library)
    if (Object.keys(innerPart).length > 0) Object.assign(part, { [key]: innerPart })
  }
  return part
}

/** The library policies a map names, by the path they stand at. */
function namesIn(map: Values, slot: Slot, path = ''): Map<string, string> {
  const names = new Map<string, string>()
  if (slot.entry !== undefined && typeof map['use'] === 'string') names.set(path, map['use'])
  for (const [key, inner] of Object.entries(slot.inside ?? {})) {
    const value = map[key]
    if (typeof value !== 'object' || value === null) continue
    for (const [at, name] of namesIn(value as Values, inner, path === '' ? key : `${path}.${key}`)) {
      names.set(at, name)
    }
  }
  return names
}

/**
 * The canonical word of a policy, defaults left out: `poll:7s`,
 * `stream:reconnect=3s>poll:30s`. Equal policies have equal words. A policy
 * does not know whether it came from the library: its values are written.
 */
export function wordOf(policy: Policy): string {
  if (policy.kind === 'together') return policy.parts.map(wordOf).join('+')
  if (policy.kind !== 'chain') return singleWord(policy, defaultOf(policy), new Map())
  const { links, recoverUs } = policy
  const words = links.map((link, index) =>
    singleWord(link, defaultOf(link), new Map(), index === 0 ? durationArgument('recover', recoverUs) : []),
  )
  const [last, beforeLast] = [words.at(-1), links.at(-2)]
  const implied = beforeLast && kindOf(beforeLast.kind).impliedElse?.(beforeLast)
  return (implied !== undefined && wordOf(implied) === last ? words.slice(0, -1) : words).join('>')
}

const defaultOf = (policy: SinglePolicy): SinglePolicy => kindOf(policy.kind).resolve({}, DEFAULT_CHOICES)
