/** A scenario as written: plain data in which every key and every value knows its place. */
import type { Place } from './place.ts'

export interface ScalarNode {
  of: 'scalar'
  at: Place
  value: string | number | boolean | null
}

export interface ListNode {
  of: 'list'
  at: Place
  items: readonly Node[]
}

export interface Entry {
  keyAt: Place
  node: Node
}

export interface MapNode {
  of: 'map'
  at: Place
  entries: ReadonlyMap<string, Entry>
  /** True for a map that replaces what it inherits instead of merging with it. */
  replaces?: boolean
}

export type Node = ScalarNode | ListNode | MapNode

/** Keys of maps and indexes of lists, from the top. */
export type Path = readonly (string | number)[]

export const scalar = (at: Place, value: ScalarNode['value']): ScalarNode => ({ of: 'scalar', at, value })

export const mapNode = (at: Place, entries: Iterable<readonly [string, Entry]>): MapNode => ({
  of: 'map',
  at,
  entries: new Map(entries),
})

/** One value as a map of one or more keys; like the value it stands for, it replaces what it inherits. */
export const expanded = (node: Node, ...keys: string[]): MapNode => ({
  ...mapNode(
    node.at,
    keys.map((key) => [key, { keyAt: node.at, node }]),
  ),
  replaces: true,
})

export const isNull = (node: Node): boolean => node.of === 'scalar' && node.value === null

/** The value without its places. */
export function plain(node: Node): unknown {
  switch (node.of) {
    case 'scalar':
      return node.value
    case 'list':
      return node.items.map(plain)
    case 'map':
      return Object.fromEntries([...node.entries].map(([key, entry]) => [key, plain(entry.node)]))
  }
}

/** The entry of `key` in a map, `undefined` also when `node` is no map. */
export const entryOf = (node: Node | undefined, key: string): Entry | undefined =>
  node?.of === 'map' ? node.entries.get(key) : undefined

/** The node at a path, `undefined` if there is none. */
export function nodeAt(root: Node, path: Path): Node | undefined {
  let node: Node | undefined = root
  for (const step of path) {
    node = node?.of === 'list' ? node.items[Number(step)] : entryOf(node, String(step))?.node
  }
  return node
}

/**
 * Where the value at a path stands; `key` asks for its key instead. Where the
 * path leads beyond what was written, the last step that exists is meant.
 */
export function placeOf(root: Node, path: Path, key = false): Place {
  let node = root
  let keyAt = root.at
  for (const [depth, step] of path.entries()) {
    const entry: Entry | undefined =
      node.of === 'list'
        ? wrap(node.items[Number(step)])
        : node.of === 'map'
          ? node.entries.get(String(step))
          : undefined
    if (entry === undefined) break
    if (key && depth === path.length - 1) return entry.keyAt
    ;({ node, keyAt } = entry)
  }
  // An empty value has no room for a mark: its key has.
  return node.at.start === node.at.end ? keyAt : node.at
}

const wrap = (node: Node | undefined): Entry | undefined => node && { keyAt: node.at, node }
