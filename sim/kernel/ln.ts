/**
 * The natural logarithm from a table, by additions, multiplications and array
 * reads alone: the language leaves the last digits of `Math.log` open, and a
 * result must not depend on who built the engine. Faster than `Math.log`, too.
 *
 * A double is 2^e m with m in [0.75, 1.5), and m lies in one of 256 parts whose
 * point c has a known inverse and logarithm: ln x = e ln 2 + ln c + ln(m / c),
 * the last by its series. The two parts that meet at 1 share c = 1, so that the
 * logarithm of 1 is 0 and small logarithms keep all their digits.
 */
import { highHalfOf } from './double-bits.ts'

const PARTS = 256

/** For each part 1 / c and ln c. Parts of [1, 1.5) come first, then those of [1.5, 2) halved. */
const TABLE = new Float64Array(2 * PARTS)
for (let part = 0; part < PARTS; part++) {
  const middle = (1 + (part + 0.5) / PARTS) / (part < PARTS / 2 ? 1 : 2)
  const c = part === 0 || part === PARTS - 1 ? 1 : middle
  TABLE[2 * part] = 1 / c
  TABLE[2 * part + 1] = lnBySeries(c)
}

/** ln c = 2 artanh((c - 1) / (c + 1)), its series summed from the smallest term. */
function lnBySeries(c: number): number {
  const z = (c - 1) / (c + 1)
  const w = z * z
  let sum = 0
  for (let k = 41; k >= 1; k -= 2) sum = sum * w + 1 / k
  return 2 * z * sum
}

/** ln 2 in two parts: multiples of the first, of 41 bits, are exact. */
const LN_2_HIGH = 0.693147180559663
const LN_2_LOW = 2.8235290563031577e-13

/** 2^-e for each exponent as a double keeps it, so that scaling is one exact multiplication. */
const SCALE = Float64Array.from({ length: 2048 }, (_, biased) => 2 ** (1023 - biased))

/** To within 4e-15 in (2^-53, 2^53). For doubles from 2^-1022 on; others, and what is not above 0, have no meaning here. */
export function ln(x: number): number {
  return lnOf(x, highHalfOf(x))
}

/** For those who have the bits of x at hand: `highHalf` is the int32 with its exponent. */
export function lnOf(x: number, highHalf: number): number {
  const part = (highHalf >> 12) & (PARTS - 1)
  // From 1.5 on the next exponent up.
  const biased = ((highHalf >> 12) + PARTS / 2) >> 8
  const r = x * (SCALE[biased] as number) * (TABLE[2 * part] as number) - 1
  const series = r - r * r * (0.5 - r * (0.3333333333333333 - r * (0.25 - r * 0.2)))
  const e = biased - 1023
  return e * LN_2_HIGH + (e * LN_2_LOW + ((TABLE[2 * part + 1] as number) + series))
}
