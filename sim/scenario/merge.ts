/** How a scenario takes over what it extends: maps merge, lists and single values replace, `null` goes back to the default. */
import { FAMILY_NAMES } from './distribution.ts'
import { isNull, type Entry, type MapNode, type Node } from './node.ts'

/** Keys that say what one file is about: they are not inherited. */
const OWN_KEYS = ['name', 'question', 'description', 'source', 'extends', 'expect', 'claims']

/** What a file hands down to those that extend it. */
export const inherited = (base: MapNode): MapNode => ({
  ...base,
  entries: new Map([...base.entries].filter(([key]) => !OWN_KEYS.includes(key))),
})

/** `over` laid on `base`; the keys of `over` come first, in their own order. */
export function merge(base: MapNode, over: MapNode): MapNode {
  const entries = new Map<string, Entry>()
  for (const [key, entry] of over.entries) {
    const below = base.entries.get(key)?.node
    const node = isMerging(entry.node)
      ? merge(below?.of === 'map' ? below : { ...entry.node, entries: new Map() }, entry.node)
      : entry.node
    if (!isNull(node)) entries.set(key, { ...entry, node })
  }
  for (const [key, entry] of base.entries) if (!over.entries.has(key)) entries.set(key, entry)
  return { ...over, entries }
}

/** A distribution is one thing, whichever way it is written: of another family it has no part. */
const isMerging = (node: Node): node is MapNode =>
  node.of === 'map' && node.replaces !== true && !isDistribution(node)

const isDistribution = ({ entries }: MapNode): boolean =>
  entries.size === 1 && FAMILY_NAMES.some((name) => entries.has(name))
