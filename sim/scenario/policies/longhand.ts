/** Mechanisms in long form: words read, short forms written out, each value with its place. */
import { parseWord, type MechanismWord, type Span, type WordArgument } from '../../policies/word.ts'
import { cutProblem, looksCut } from '../cut.ts'
import { entryOf, mapNode, scalar, type Entry, type MapNode, type Node } from '../node.ts'
import { within, type Place } from '../place.ts'
import { problemAt, type Problem } from '../problem.ts'
import { quoted } from '../values.ts'
import { COMBINING, KIND_NAMES, kindOf, type KindName } from './kinds.ts'
import { longForm, writtenOut, type Slot } from './slot.ts'

export const mechanismsOf = (node: Node, problems: Problem[]): Node =>
  node.of === 'list' ? { ...node, items: node.items.map((item) => mechanismOf(item, problems)) } : node

/** One mechanism in long form: `{ poll: { interval: 7s } }`, perhaps with a label. */
export function mechanismOf(node: Node, problems: Problem[]): Node {
  if (node.of === 'scalar' && typeof node.value === 'string') {
    return wordNode(node.at, node.value, problems) ?? node
  }
  if (node.of !== 'map') return node
  const entries = [...node.entries].flatMap(([key, entry]): (readonly [string, Entry])[] => {
    const value = entry.node
    if (key === 'policy' && value.of === 'scalar' && typeof value.value === 'string') {
      const word = wordNode(value.at, value.value, problems)
      return word?.of === 'map' ? [...word.entries] : [[key, entry]]
    }
    // The parts of a population are mechanisms with a share.
    if (key === 'mix') return [[key, { ...entry, node: mechanismsOf(value, problems) }]]
    const kind = KIND_NAMES.find((name) => name === key)
    return [[key, kind === undefined ? entry : { ...entry, node: kindNode(kind, value, problems) }]]
  })
  return { ...node, entries: new Map(entries) }
}

/** The map of one kind in long form, and what it is combined with. */
function kindNode(kind: KindName, node: Node, problems: Problem[]): Node {
  const long = writtenOut(node, kindOf(kind).slot)
  if (long.of !== 'map') return long
  const entries = new Map(long.entries)
  for (const key of COMBINING) {
    const entry = entries.get(key)
    if (entry !== undefined) entries.set(key, { ...entry, node: mechanismOf(entry.node, problems) })
  }
  return { ...long, entries }
}

type PlaceOf = (span: Span) => Place

/** The map of a policy word; `undefined` and a problem if it cannot be read. */
function wordNode(at: Place, text: string, problems: Problem[]): Node | undefined {
  // Inside quotes the word begins one character later; a word YAML folded has no places inside.
  const written = at.source.text.slice(at.start, at.end)
  const offset = [0, 1].find((skip) => written.slice(skip, skip + text.length) === text)
  const placeOf: PlaceOf = ({ start, end }) =>
    offset === undefined ? at : within(at, start + offset, end + offset)
  const fail = (place: Place, message: string): undefined => {
    problems.push(problemAt(place, message))
    return undefined
  }
  if (looksCut(text)) return fail(at, cutProblem(text))
  if (/\s/.test(text)) return fail(at, `a policy word has no spaces: ${quoted(text)}`)
  const read = parseWord(text, KIND_NAMES)
  if ('problem' in read) return fail(placeOf(read.problem), read.problem.message)
  try {
    const [first, ...others] = read.word.chains.map((chain) => chainNode(at, chain, placeOf))
    return joined(first as MapNode, 'with', others, read.word.chains.slice(1), placeOf)
  } catch (error) {
    if (!(error instanceof WrongArgument)) throw error
    return fail(placeOf(error.span), error.message)
  }
}

/** `>` is `else`. */
const chainNode = (at: Place, chain: readonly MechanismWord[], placeOf: PlaceOf): MapNode => {
  const [first, ...others] = chain.map((mechanism) => mechanismNode(at, mechanism, placeOf))
  return joined(
    first as MapNode,
    'else',
    others,
    chain.slice(1).map((mechanism) => [mechanism]),
    placeOf,
  )
}

/** Each of `others` put under `key` of the one before. */
function joined(
  first: MapNode,
  key: 'else' | 'with',
  others: readonly MapNode[],
  words: readonly (readonly MechanismWord[])[],
  placeOf: PlaceOf,
): MapNode {
  const [next, ...rest] = others
  const joint = words[0]?.[0]?.joint
  if (next === undefined || joint === undefined) return first
  const node = joined(next, key, rest, words.slice(1), placeOf)
  const [kind, entry] = [...first.entries][0] as [string, Entry]
  const options = withEntry(entry.node as MapNode, key, { keyAt: placeOf(joint), node })
  return withEntry(first, kind, { ...entry, node: options })
}

/** What is wrong with an argument of a word as such. */
class WrongArgument extends Error {
  readonly span: Span

  constructor(message: string, span: Span) {
    super(message)
    this.span = span
  }
}

function mechanismNode(at: Place, word: MechanismWord, placeOf: PlaceOf): MapNode {
  const kind = kindOf(word.kind as KindName)
  let options = mapNode(at, [])
  for (const argument of word.arguments) {
    const key = argument.key.length > 0 ? argument.key : [mainKey(kind, argument)]
    if (key[0] === 'use' && kind.slot.entry === undefined) {
      const instead = kind.entryKey?.key ?? ''
      throw new WrongArgument(
        `${kind.kind} takes no library policy of its own: write ${instead}=${String(argument.value)}`,
        argument.keySpan,
      )
    }
    options = withArgument(options, key, kind.slot, argument, placeOf)
  }
  const node = longForm(options, kind.slot)
  return mapNode(at, [[word.kind, { keyAt: placeOf(word.kindSpan), node }]])
}

/** The key a value without one stands for. */
function mainKey(
  { kind, slot, schema }: ReturnType<typeof kindOf>,
  { value, valueSpan }: WordArgument,
): string {
  const key = slot.keyOf?.(value)
  if (key !== undefined && key !== 'use') return key
  const text = String(value)
  const message = Object.hasOwn(schema.shape, text)
    ? `${text} needs a value: write ${text}=…`
    : slot.keyOf === undefined
      ? `${kind} takes no value of its own: "${text}" needs a key`
      : `"${text}" is no value of ${kind}: write ${kindOf(kind).example}, or @${text} for a policy of the library`
  throw new WrongArgument(message, valueSpan)
}

/** `reconnect.jitter=full` is a map inside a map; what stands there already in short form is written out. */
function withArgument(
  map: MapNode,
  [first = '', ...rest]: readonly string[],
  slot: Slot | undefined,
  argument: WordArgument,
  placeOf: PlaceOf,
): MapNode {
  const keyAt = placeOf(argument.keySpan)
  const before = entryOf(map, first)?.node
  const inner = slot?.inside?.[first]
  if (rest.length === 0) {
    const value = valueNode(argument, placeOf)
    const node = inner === undefined ? value : longForm(value, inner)
    if (before === undefined) return withEntry(map, first, { keyAt, node })
    if (before.of !== 'map' || node.of !== 'map') throw clash(first, argument)
    return withEntry(map, first, {
      keyAt,
      node: { ...node, entries: new Map([...node.entries, ...before.entries]) },
    })
  }
  if (before !== undefined && before.of !== 'map') throw clash(first, argument)
  const node = withArgument(before ?? mapNode(keyAt, []), rest, inner, argument, placeOf)
  return withEntry(map, first, { keyAt, node })
}

const clash = (key: string, { keySpan }: WordArgument) =>
  new WrongArgument(`${key} is given twice in one word, and the two do not go together`, keySpan)

function valueNode({ value, valueSpan }: WordArgument, placeOf: PlaceOf): Node {
  const at = placeOf(valueSpan)
  return typeof value === 'object'
    ? { of: 'list', at, items: value.map((item) => scalar(at, item)) }
    : scalar(at, value)
}

const withEntry = (map: MapNode, key: string, entry: Entry): MapNode => ({
  ...map,
  entries: new Map(map.entries).set(key, entry),
})
