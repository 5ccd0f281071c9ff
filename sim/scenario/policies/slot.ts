/**
 * Where in a scenario policies and parts of policies stand, and how their short
 * forms are written out: `reconnect: 3s` is `{ interval: 3s }`, `hops: [nginx]`
 * is `[{ use: nginx }]`. What has no long form stays, for the schema to judge.
 */
import { entryOf, expanded, plain, scalar, type MapNode, type Node } from '../node.ts'
import type { LibraryKind } from './library-kind.ts'
import { isListText } from './wait.ts'

export interface Slot {
  /** Which entries of the library may stand here by name. */
  entry?: LibraryKind
  /** The key a short form stands for; `undefined` for what has no long form. */
  keyOf?: (value: unknown) => string | undefined
  /** What `null` stands for: a map without keys. */
  emptyIsMap?: boolean
  /** What stands inside a map, by its key. */
  inside?: Readonly<Record<string, Slot>>
  /** What stands in a list. */
  items?: Slot
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isTextOrNumber = (value: unknown): boolean => isText(value) || typeof value === 'number'
/** A name begins with a letter; `exponential:20s` is a time. */
const isName = (value: unknown): boolean => isText(value) && /^@|^[A-Za-z][^:]*$/.test(value)

const waitKey = (value: unknown): string | undefined =>
  Array.isArray(value) || isListText(value) ? 'delays' : isTextOrNumber(value) ? 'interval' : undefined

const unless =
  (words: readonly string[], keyOf: (value: unknown) => string | undefined) =>
  (value: unknown): string | undefined =>
    words.some((word) => word === value) ? undefined : keyOf(value)

const nameOr =
  (keyOf: (value: unknown) => string | undefined) =>
  (value: unknown): string | undefined =>
    isName(value) ? 'use' : keyOf(value)

/** A backoff; `kind` is what its library policies are, if it takes any. */
export const backoffSlot = (kind?: LibraryKind): Slot => ({
  ...(kind === undefined ? {} : { entry: kind }),
  keyOf: unless(['none'], kind === undefined ? waitKey : nameOr(waitKey)),
})

export const afterErrorSlot: Slot = { keyOf: unless(['next', 'fail'], waitKey) }

export const slowDownSlot: Slot = {
  keyOf(value) {
    if (!isText(value)) return undefined
    return value.startsWith('+') ? 'add' : /^x\d/.test(value) ? 'multiply' : undefined
  },
}

export const heartbeatSlot: Slot = {
  entry: 'heartbeat',
  keyOf: unless(
    ['none'],
    nameOr((value) => (isTextOrNumber(value) ? 'every' : undefined)),
  ),
}

/** `poll: 7s`, `poll: [1s, 5s]`, `poll: "@smithy-js"`. */
export const pollSlotKey = nameOr(waitKey)

/** A time that stands for one key: `blocking: 30s` is `{ hold: 30s }`. */
export const timeOrName = (key: string) => nameOr((value) => (isTextOrNumber(value) ? key : undefined))

const named = (entry: LibraryKind): Slot => ({
  entry,
  keyOf: (value) => (isText(value) ? 'use' : undefined),
})

/** `full: wait` is `full: { answer: wait }`. */
const refusalSlot: Slot = { keyOf: (value) => (isTextOrNumber(value) ? 'answer' : undefined) }

export const hopSlot: Slot = { ...named('hop'), inside: { full: refusalSlot } }
export const clientSlot = named('client')

/** Policies in the sections of the world. */
export const WORLD_SLOTS: Readonly<Record<string, Slot>> = {
  agent: {
    inside: {
      streaming: { inside: { heartbeat: heartbeatSlot } },
      push: { inside: { retry: backoffSlot('retry') } },
    },
  },
  client: clientSlot,
  network: { inside: { hops: { items: hopSlot } } },
  receiver: { inside: { hops: { items: hopSlot } } },
}

/** A node with the short forms at and below it written out. */
export function writtenOut(node: Node, slot: Slot): Node {
  const long = longForm(node, slot)
  if (long.of === 'list') {
    const { items } = slot
    return items === undefined ? long : { ...long, items: long.items.map((item) => writtenOut(item, items)) }
  }
  if (long.of !== 'map' || slot.inside === undefined) return long
  const entries = new Map(long.entries)
  for (const [key, inner] of Object.entries(slot.inside)) {
    const entry = entries.get(key)
    if (entry !== undefined) entries.set(key, { ...entry, node: writtenOut(entry.node, inner) })
  }
  return { ...long, entries }
}

/** The long form of one value; lists and maps that are none stay as they are. */
export function longForm(node: Node, slot: Slot): Node {
  if (node.of === 'map') return withoutSign(node)
  const value = plain(node)
  if (value === null && slot.emptyIsMap) return { of: 'map', at: node.at, entries: new Map() }
  const key = slot.keyOf?.(value)
  if (key === undefined) return node
  const map = expanded(node, key)
  if (key === 'use') return withoutSign(map)
  // `+5s` is `add: 5s`.
  return key === 'add' ? expanded(scalar(node.at, String(value).slice(1)), key) : map
}

/** `use: "@chromium"` is `use: chromium`. */
function withoutSign(map: MapNode): MapNode {
  const use = entryOf(map, 'use')
  if (use?.node.of !== 'scalar' || !isText(use.node.value) || !use.node.value.startsWith('@')) return map
  const node = scalar(use.node.at, use.node.value.slice(1))
  return { ...map, entries: new Map(map.entries).set('use', { ...use, node }) }
}
