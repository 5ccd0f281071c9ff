/** What `show` and the lines above a table say of policies. */
import { formatDuration } from '../../kernel/units.ts'
import { entryOf, nodeAt, type MapNode, type Node, type Path } from '../node.ts'
import type { MechanismEntry } from '../scenario.ts'
import { WAYS } from './backoff.ts'
import { COMBINING, KIND_NAMES } from './kinds.ts'
import { intervalText } from './wait.ts'

/** Whether a node is a policy without keys: then the kind alone says it. */
export const isBarePolicy = (path: Path, node: Node): boolean =>
  path[0] === 'mechanisms' &&
  node.of === 'map' &&
  node.entries.size === 0 &&
  KIND_NAMES.some((kind) => kind === path.at(-1))

/** What polls do that nobody wrote, by address. */
export function policyDefaults(mechanisms: readonly MechanismEntry[]): (readonly [string, unknown])[] {
  const policies = mechanisms.flatMap(({ policy, mix }, index) =>
    mix === undefined
      ? [{ policy, address: `mechanisms.${index}.poll` }]
      : mix.map((part, of) => ({ policy: part.policy, address: `mechanisms.${index}.mix.${of}.poll` })),
  )
  return policies.flatMap(({ policy, address }) => {
    if (policy.kind !== 'poll') return []
    return [
      ...(policy.waits.of === 'interval'
        ? [[`${address}.interval`, intervalText(policy.waits.interval)] as const]
        : []),
      [`${address}.first`, 'now'] as const,
      [`${address}.waitFrom`, policy.waitFrom] as const,
    ]
  })
}

/** What nobody said of a policy and a result rests on, one sentence each. */
export function policyAssumptions(root: MapNode, mechanisms: readonly MechanismEntry[]): string[] {
  const list = entryOf(root, 'mechanisms')?.node
  const entries = list?.of === 'list' ? list.items.flatMap(partsOf) : []
  const polls = entries.flatMap((entry) => policiesIn(entry, 'poll'))
  const lacks = (keys: readonly string[]) => (poll: Node) =>
    keys.every((key) => entryOf(poll, key) === undefined)
  const sentences: string[] = []
  if (polls.some(lacks(WAYS))) sentences.push('polls wait 5 s (poll.interval)')
  // One that takes over counts from there.
  const ownPolls = entries.flatMap((entry) => entryOf(entry, 'poll')?.node ?? [])
  if (ownPolls.some(lacks(['first']))) {
    sentences.push('the first poll follows the reply to the send at once (poll.first)')
  }
  if (polls.some(lacks(['waitFrom']))) {
    sentences.push('each wait between polls begins with the answer (poll.waitFrom)')
  }
  const streams = entries.flatMap((entry) => policiesIn(entry, 'stream'))
  if (mayCut(root) && streams.some(lacks(['reconnect']))) {
    sentences.push(
      'a stream that ends early is not opened again, as in the official client (stream.reconnect)',
    )
  }
  const hold = mechanisms.flatMap(({ policy }) =>
    policy.kind === 'chain'
      ? policy.links.flatMap((link) => (link.kind === 'blocking' ? (link.holdUs ?? []) : []))
      : [],
  )[0]
  if (hold !== undefined && entries.some((entry) => policiesIn(entry, 'blocking').some(lacks(['else'])))) {
    sentences.push(
      `when a send was held for ${formatDuration(hold)}, polls every 5 s take over (blocking.else)`,
    )
  }
  return sentences
}

/** An entry, or the parts of a population. */
function partsOf(entry: Node): readonly Node[] {
  const mix = entryOf(entry, 'mix')?.node
  return mix?.of === 'list' ? mix.items : [entry]
}

/** The maps of one kind in a mechanism and in what it is combined with. */
function policiesIn(mechanism: Node, kind: string): Node[] {
  return KIND_NAMES.flatMap((name) => {
    const map = entryOf(mechanism, name)?.node
    const combined = COMBINING.flatMap((key) => entryOf(map, key)?.node ?? [])
    const own = map !== undefined && name === kind ? [map] : []
    return [...own, ...combined.flatMap((inner) => policiesIn(inner, kind))]
  })
}

/** Whether the world has something that can end a stream before its task. */
const mayCut = (root: MapNode): boolean =>
  [['network', 'hops'], ['network', 'loss'], ['agent', 'streaming', 'lifetime'], ['faults'], ['client']].some(
    (path) => nodeAt(root, path) !== undefined,
  )
