/** Octets that prove that a stream lives: `15s`, a library name, `{ every: 15s, octets: 3, when: silent }`. */
import { parseDuration } from '../../kernel/units.ts'
import type { Heartbeat } from '../../policies/policy.ts'
import * as z from 'zod'
import { Size, either, oneOf, word } from '../schema-parts.ts'
import { kindOf, octetsOf } from '../values.ts'
import { LibraryName, NAME_TEXT } from './name.ts'
import { positiveDuration } from './wait.ts'

const FORMS = 'none, a duration, a library name or a map (every, octets, when)'
/** `:` and the two line ends of an empty comment. */
const LEAST_OCTETS = 3

export const HeartbeatMap = z.strictObject({
  use: LibraryName.optional(),
  every: positiveDuration('the time between two').optional(),
  octets: Size.refine((size) => (octetsOf(size) ?? 0) >= LEAST_OCTETS, {
    error: `a comment has ${LEAST_OCTETS} octets or more: a colon and an empty line`,
  }).optional(),
  when: oneOf(['always', 'silent'], 'on a clock of their own, or after so long without an event').optional(),
})
export type HeartbeatInput = z.output<typeof HeartbeatMap>

export const HeartbeatSchema = either(FORMS, [
  word(
    (value) => (value === 'none' ? undefined : `expected ${FORMS}, got ${kindOf(value)}`),
    String.raw`^(?:none|(?:\d+(?:\.\d+)?(?:us|ms|s|m|h|d))+|${NAME_TEXT})$`,
  ),
  HeartbeatMap,
]).meta({ description: FORMS })

/** A checked heartbeat, its library policy written out. What it leaves open is as `below`, or 8 octets, always. */
export function resolveHeartbeat(
  map: HeartbeatInput | 'none',
  below?: Heartbeat | 'none',
): Heartbeat | 'none' {
  if (map === 'none') return 'none'
  const base = below === 'none' ? undefined : below
  const everyUs = map.every === undefined ? base?.everyUs : (parseDuration(map.every) as number)
  // How big a heartbeat is that nobody sends does not matter.
  if (everyUs === undefined) return 'none'
  return {
    everyUs,
    octets: map.octets === undefined ? (base?.octets ?? 8) : (octetsOf(map.octets) as number),
    when: map.when ?? base?.when ?? 'always',
  }
}
