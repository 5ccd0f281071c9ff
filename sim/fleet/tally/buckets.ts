/**
 * Buckets whose width grows with what they hold: 2^10 to each power of two, so
 * a value is known to a 2048th of itself; below 2^11 each whole number has its own.
 */
const BITS = 10

/** For whole numbers below 2^53. */
export const BUCKETS = (53 - BITS + 1) << BITS

export function bucketOf(value: number): number {
  if (value < 2 ** 32) {
    const shift = 31 - BITS - Math.clz32(value)
    return shift <= 0 ? value : (shift << BITS) + (value >>> shift)
  }
  const shift = 63 - BITS - Math.clz32(value / 2 ** 32)
  return (shift << BITS) + Math.floor(value / 2 ** shift)
}

/** The largest whole number of a bucket. */
export function mostIn(bucket: number): number {
  const shift = Math.max(0, (bucket >> BITS) - 1)
  return (bucket - (shift << BITS) + 1) * 2 ** shift - 1
}
