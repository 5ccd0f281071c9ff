/**
 * Short forms written out, so that everything after this knows one form only:
 * `job: 20s` is `job: { duration: 20s }`, `poll:7s` is `{ poll: { interval: 7s } }`.
 * Each value keeps the place it was written at, inside a policy word too.
 */
import { parseWord, type PolicyWord } from '../policies/word.ts'
import { cutProblem, looksCut } from './later.ts'
import { entryOf, isNull, mapNode, scalar, type Entry, type MapNode, type Node } from './node.ts'
import { within, type Place, type Source } from './place.ts'
import { problemAt, type Problem } from './problem.ts'
import { quoted } from './values.ts'
import { readYaml } from './yaml.ts'

/** What is compared when a scenario does not say. */
const DEFAULT_MECHANISMS: Source = {
  origin: 'default',
  name: 'defaults',
  text: '[poll:1s, poll:7s, poll:30s, stream, push]',
}

/** The mechanisms of a scenario that names none, in long form. */
export function defaultMechanisms(): Node {
  const read = readYaml(DEFAULT_MECHANISMS)
  if ('problems' in read) throw new Error('the default mechanisms are not YAML')
  return mechanismsOf(read.node, [])
}

/** A scenario in long form. Words that cannot be read stay as they are and are told. */
export function longhand(root: MapNode): { root: MapNode; problems: Problem[] } {
  const problems: Problem[] = []
  const entries = [...root.entries].flatMap(([key, entry]): [string, Entry][] => {
    // Yours to use: hashed with the file, and otherwise not looked at.
    if (key.startsWith('x-')) return []
    return [[key, { ...entry, node: section(key, entry.node, problems) }]]
  })
  return { root: { ...root, entries: new Map(entries) }, problems }
}

function section(key: string, node: Node, problems: Problem[]): Node {
  switch (key) {
    case 'job': {
      const job = isNumberOrText(node) ? expanded(node, 'duration') : node
      return inside(inside(job, 'message', contentOf('text')), 'result', contentOf('octets'))
    }
    case 'network':
      return inside(node, 'latency', (latency) =>
        isNumberOrText(latency) ? expanded(latency, 'up', 'down') : latency,
      )
    case 'mechanisms':
      return mechanismsOf(node, problems)
    case 'expect':
      return node.of === 'map' ? { ...node, replaces: true } : node
    default:
      return node
  }
}

/** What a message says is one thing, whichever way it is written: it replaces and does not merge. */
const contentOf =
  (short: 'text' | 'octets') =>
  (node: Node): Node => {
    if (node.of === 'map') return { ...node, replaces: true }
    const isShort =
      short === 'text' ? node.of === 'scalar' && typeof node.value === 'string' : isNumberOrText(node)
    return isShort ? expanded(node, short) : node
  }

const isNumberOrText = (node: Node): boolean =>
  node.of === 'scalar' && (typeof node.value === 'string' || typeof node.value === 'number')

/** One value as a map of one or more keys; like the value it stands for, it replaces what it inherits. */
const expanded = (node: Node, ...keys: string[]): MapNode => ({
  ...mapNode(
    node.at,
    keys.map((key) => [key, { keyAt: node.at, node }]),
  ),
  replaces: true,
})

/** `node` with the value of one key changed, if it is a map and has the key. */
function inside(node: Node, key: string, change: (node: Node) => Node): Node {
  const entry = entryOf(node, key)
  if (node.of !== 'map' || entry === undefined) return node
  return { ...node, entries: new Map(node.entries).set(key, { ...entry, node: change(entry.node) }) }
}

function mechanismsOf(node: Node, problems: Problem[]): Node {
  return node.of === 'list' ? { ...node, items: node.items.map((item) => mechanismOf(item, problems)) } : node
}

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
    if (key === 'poll' && isNumberOrText(value)) {
      return [[key, { ...entry, node: expanded(value, 'interval') }]]
    }
    const isKind = key === 'poll' || key === 'stream' || key === 'push'
    return [[key, isKind && isNull(value) ? { ...entry, node: mapNode(value.at, []) } : entry]]
  })
  return { ...node, entries: new Map(entries) }
}

/** The map of a policy word; `undefined` and a problem if it cannot be read. */
function wordNode(at: Place, text: string, problems: Problem[]): Node | undefined {
  // Inside quotes the word begins one character later; a word YAML folded has no places inside.
  const written = at.source.text.slice(at.start, at.end)
  const offset = [0, 1].find((skip) => written.slice(skip, skip + text.length) === text)
  const placeOf = (start: number, end: number): Place =>
    offset === undefined ? at : within(at, start + offset, end + offset)
  if (looksCut(text)) {
    problems.push(problemAt(at, cutProblem(text)))
    return undefined
  }
  if (/\s/.test(text)) {
    problems.push(problemAt(at, `a policy word has no spaces: ${quoted(text)}`))
    return undefined
  }
  const read = parseWord(text)
  if ('problem' in read) {
    problems.push(problemAt(placeOf(read.problem.start, read.problem.end), read.problem.message))
    return undefined
  }
  return mapOfWord(at, read.word, placeOf)
}

function mapOfWord(at: Place, word: PolicyWord, placeOf: (start: number, end: number) => Place): MapNode {
  let options = mapNode(at, [])
  for (const { key, keySpan, value, valueSpan } of word.arguments) {
    const valueAt = placeOf(valueSpan.start, valueSpan.end)
    const node: Node =
      typeof value === 'object'
        ? { of: 'list', at: valueAt, items: value.map((item) => scalar(valueAt, item)) }
        : scalar(valueAt, value)
    options = withEntry(options, key, { keyAt: placeOf(keySpan.start, keySpan.end), node })
  }
  const kindAt = placeOf(word.kindSpan.start, word.kindSpan.end)
  return mapNode(at, [[word.kind, { keyAt: kindAt, node: options }]])
}

/** `reconnect.jitter=full` is a map inside a map. */
function withEntry(map: MapNode, [first = '', ...rest]: readonly string[], entry: Entry): MapNode {
  const entries = new Map(map.entries)
  if (rest.length === 0) return { ...map, entries: entries.set(first, entry) }
  const before = entries.get(first)?.node
  const inner = before?.of === 'map' ? before : mapNode(entry.keyAt, [])
  return { ...map, entries: entries.set(first, { keyAt: entry.keyAt, node: withEntry(inner, rest, entry) }) }
}
