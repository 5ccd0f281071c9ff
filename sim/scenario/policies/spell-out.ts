/** Library policies written out where they are named, so that every value has a place and a source. */
import { entryOf, mapNode, plain, scalar, type Entry, type MapNode, type Node } from '../node.ts'
import type { Place } from '../place.ts'
import { problemAt, type Problem } from '../problem.ts'
import { COMBINING, ENTRY_SLOT, MECHANISM_SLOT } from './kinds.ts'
import type { LibraryKind } from './library-kind.ts'
import type { Library, LibraryEntry } from './library.ts'
import { WORLD_SLOTS, type Slot } from './slot.ts'

/** Where in a scenario library policies may be named. */
const SLOTS: Readonly<Record<string, Slot>> = { ...WORLD_SLOTS, mechanisms: { items: ENTRY_SLOT } }

export interface SpelledOut {
  root: MapNode
  problems: Problem[]
  /** Each policy once, in the order of the scenario. */
  used: LibraryEntry[]
}

/** A scenario in long form with its library policies written out; their names stay. */
export function spellOut(root: MapNode, library: Library): SpelledOut {
  const problems: Problem[] = []
  const used: LibraryEntry[] = []
  const entries = new Map(root.entries)
  for (const [key, entry] of root.entries) {
    const slot = Object.hasOwn(SLOTS, key) ? SLOTS[key] : undefined
    if (slot === undefined) continue
    entries.set(key, { ...entry, node: spelled(entry.node, slot, library, problems, used) })
  }
  return { root: { ...root, entries }, problems: library.problems().concat(problems), used }
}

/** One mechanism with its library policies written out. */
export const spellOutMechanism = (node: Node, library: Library): Node =>
  spelled(node, MECHANISM_SLOT, library, [], [])

function spelled(node: Node, slot: Slot, library: Library, problems: Problem[], used: LibraryEntry[]): Node {
  if (node.of === 'list') {
    const { items } = slot
    if (items === undefined) return node
    return { ...node, items: node.items.map((item) => spelled(item, items, library, problems, used)) }
  }
  if (node.of !== 'map') return node
  const whole = named(node, slot, library, problems, used)
  if (slot.inside === undefined) return whole
  const entries = new Map(whole.entries)
  for (const [key, inner] of Object.entries(slot.inside)) {
    const entry = entries.get(key)
    if (entry !== undefined)
      entries.set(key, { ...entry, node: spelled(entry.node, inner, library, problems, used) })
  }
  return { ...whole, entries }
}

/** A map laid on the library policy it names. */
function named(
  node: MapNode,
  slot: Slot,
  library: Library,
  problems: Problem[],
  used: LibraryEntry[],
): MapNode {
  const use = entryOf(node, 'use')
  const id = use && plain(use.node)
  if (use === undefined || typeof id !== 'string' || slot.entry === undefined) return node
  const found = library.find(slot.entry, id)
  if ('problem' in found) {
    problems.push(problemAt(use.node.at, found.problem))
    return laidOn(standIn(slot.entry, use.node.at), node)
  }
  const { entry } = found
  if (!used.some((other) => other.id === entry.id && other.kind === entry.kind)) used.push(entry)
  return laidOn(entry.node, node)
}

/**
 * What takes the place of a policy that is not there: what the name would have
 * brought must not be missed as well.
 */
function standIn(kind: LibraryKind, at: Place): MapNode {
  const valueOf = (text: string): Entry => ({ keyAt: at, node: scalar(at, text) })
  switch (kind) {
    case 'reconnect':
    case 'retry':
      return mapNode(at, [['initial', valueOf('1us')]])
    case 'poll':
      return mapNode(at, [
        ['initial', valueOf('1us')],
        ['budget', valueOf('1d')],
      ])
    case 'blocking':
    case 'heartbeat':
    case 'hop':
    case 'client':
      return mapNode(at, [])
  }
}

/** Each of these is a way of waiting: it replaces the one below whole. */
const NEW_WAY = ['interval', 'initial', 'delays']
const WAY = [...NEW_WAY, 'multiplier', 'max']

/** The keys of `over`, and those of `base` that it does not say otherwise. */
export function laidOn(base: MapNode, over: MapNode): MapNode {
  const isNewWay = NEW_WAY.some((key) => over.entries.has(key))
  const entries = new Map(over.entries)
  for (const [key, entry] of base.entries) {
    const own = over.entries.get(key)
    if (own === undefined) {
      if (!(isNewWay && WAY.includes(key))) entries.set(key, entry)
    } else if (
      own.node.of === 'map' &&
      entry.node.of === 'map' &&
      !COMBINING.some((combining) => combining === key)
    ) {
      entries.set(key, { ...own, node: laidOn(entry.node, own.node) })
    }
  }
  return { ...over, entries }
}
