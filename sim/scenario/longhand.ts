/**
 * Short forms written out, so that everything after this knows one form only:
 * `job: 20s` is `job: { duration: 20s }`, `poll:7s` is `{ poll: { interval: 7s } }`.
 * Each value keeps the place it was written at, inside a policy word too.
 */
import { entryOf, expanded, type Entry, type MapNode, type Node } from './node.ts'
import type { Source } from './place.ts'
import { mechanismsOf } from './policies/longhand.ts'
import { WORLD_SLOTS, writtenOut } from './policies/slot.ts'
import type { Problem } from './problem.ts'
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
    const node = section(key, entry.node, problems)
    const slot = WORLD_SLOTS[key]
    return [[key, { ...entry, node: slot === undefined ? node : writtenOut(node, slot) }]]
  })
  return { root: { ...root, entries: new Map(entries) }, problems }
}

function section(key: string, node: Node, problems: Problem[]): Node {
  switch (key) {
    case 'job':
      return jobOf(isNumberOrText(node) ? expanded(node, 'duration') : node)
    case 'jobs':
      return node.of === 'list' ? { ...node, items: node.items.map(jobOf) } : node
    // How tasks come is one thing: of another way it has no part.
    case 'fleet':
      return inside(node, 'arrivals', (value) => (value.of === 'map' ? { ...value, replaces: true } : value))
    case 'agent': {
      const polling = inside(node, 'polling', longFormOf('tooSoon', 'answer'))
      return longFormOf('ttl', 'after')(inside(polling, 'capacity', longFormOf('full', 'answer')))
    }
    case 'network':
    case 'receiver':
      return longFormOf('latency', 'up', 'down')(node)
    case 'mechanisms':
      return mechanismsOf(node, problems)
    case 'expect':
      return node.of === 'map' ? { ...node, replaces: true } : node
    default:
      return node
  }
}

const jobOf = (job: Node): Node =>
  inside(inside(job, 'message', contentOf('text')), 'result', contentOf('octets'))

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

/** A map in which a value of `key` that is a number or a text is written out. */
const longFormOf =
  (key: string, ...keys: string[]) =>
  (node: Node): Node =>
    inside(node, key, (value) => (isNumberOrText(value) ? expanded(value, ...keys) : value))

/** `node` with the value of one key changed, if it is a map and has the key. */
function inside(node: Node, key: string, change: (node: Node) => Node): Node {
  const entry = entryOf(node, key)
  if (node.of !== 'map' || entry === undefined) return node
  return { ...node, entries: new Map(node.entries).set(key, { ...entry, node: change(entry.node) }) }
}
