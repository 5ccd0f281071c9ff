import type { Part } from '../protocol/a2a.ts'
import type { Content } from '../scenario/scenario.ts'

const FILLER = 'The thorough search compares every venue of the city by size, price and free days. '

/** Readable text of exactly so many octets, the same for the same number. */
const fillerOf = (octets: number): string => FILLER.repeat(Math.ceil(octets / FILLER.length)).slice(0, octets)

/** The one part that holds what a scenario wants said. */
export function partOf(content: Content): Part {
  if ('text' in content) return { text: content.text }
  if ('octets' in content) return { text: fillerOf(content.octets) }
  return { data: content.data }
}
