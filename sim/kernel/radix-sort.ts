/** Digits of 11 bits: three of them are a number of 32 bits, and their counts stay in the nearest cache. */
const BITS = 11
const DIGITS = 1 << BITS
const MASK = DIGITS - 1
const PASSES = 3

/**
 * Sorts the first `count` values ascending, digit by digit from the lowest one:
 * for many values a third of the time of the built-in sort. Takes as much memory
 * again while it works; `spare` gives it some that is at hand.
 */
export function sortUint32(
  values: Uint32Array,
  count: number = values.length,
  spare: Uint32Array = new Uint32Array(count),
): void {
  const counts = new Int32Array(PASSES * DIGITS)
  for (let i = 0; i < count; i++) {
    const value = values[i] as number
    const middle = DIGITS + ((value >>> BITS) & MASK)
    const high = 2 * DIGITS + (value >>> (2 * BITS))
    counts[value & MASK] = (counts[value & MASK] as number) + 1
    counts[middle] = (counts[middle] as number) + 1
    counts[high] = (counts[high] as number) + 1
  }
  let from = values
  let to = spare
  for (let pass = 0; pass < PASSES; pass++) {
    const starts = counts.subarray(pass * DIGITS, (pass + 1) * DIGITS)
    const shift = pass * BITS
    const shared = ((from[0] as number) >>> shift) & MASK
    // A digit that all share moves nothing: often the highest.
    if (count === 0 || starts[shared] === count) continue
    countsToStarts(starts)
    for (let i = 0; i < count; i++) {
      const value = from[i] as number
      const digit = (value >>> shift) & MASK
      const at = starts[digit] as number
      starts[digit] = at + 1
      to[at] = value
    }
    ;[from, to] = [to, from]
  }
  if (from !== values) values.set(from.subarray(0, count))
}

function countsToStarts(counts: Int32Array): void {
  let start = 0
  for (let digit = 0; digit < DIGITS; digit++) {
    const count = counts[digit] as number
    counts[digit] = start
    start += count
  }
}
