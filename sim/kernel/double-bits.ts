/** The bits of doubles (IEEE 754), in halves of 32. */

const DOUBLE = new Float64Array(1)
const HALVES = new Int32Array(DOUBLE.buffer)

/** Which half of a double in memory is the high one: depends on the machine's order of octets. */
export const HIGH_HALF = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? 1 : 0

/** The half with the sign, the exponent (11 digits) and the first 20 digits of the fraction, as an int32. */
export function highHalfOf(x: number): number {
  DOUBLE[0] = x
  return HALVES[HIGH_HALF] as number
}
