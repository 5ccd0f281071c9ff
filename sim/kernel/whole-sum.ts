/** What one digit counts: two of them add up without rounding. */
const BASE = 2 ** 52

/**
 * The exact sum of whole numbers, beyond 2^53 too, in two digits. Exact sums are
 * associative: whoever adds what, and in which order, comes to the same.
 */
export class WholeSum {
  /** From 0 to 2^52 - 1. */
  private low = 0
  /** Multiples of 2^52; below 0 for a sum below 0. */
  private high = 0

  static of(value: bigint): WholeSum {
    const sum = new WholeSum()
    sum.high = Number(value >> 52n)
    sum.low = Number(value & (BigInt(BASE) - 1n))
    return sum
  }

  /** @param value a whole number from -2^52 to 2^52 */
  add(value: number): void {
    this.low += value
    if (this.low >= BASE || this.low < 0) this.carry()
  }

  /** Adds `values[from]` to `values[to - 1]`, each a whole number from -2^52 to 2^52. */
  addAll(values: Float64Array, from = 0, to = values.length): void {
    for (let i = from; i < to; i++) {
      this.low += values[i] as number
      if (this.low >= BASE || this.low < 0) this.carry()
    }
  }

  merge(other: WholeSum): void {
    this.high += other.high
    this.add(other.low)
  }

  toBigInt(): bigint {
    return BigInt(this.high) * BigInt(BASE) + BigInt(this.low)
  }

  /** The double next to it. */
  toNumber(): number {
    return Number(this.toBigInt())
  }

  /** The low digit lies in [-2^52, 2^53]. */
  private carry(): void {
    const carried = Math.floor(this.low / BASE)
    this.low -= carried * BASE
    this.high += carried
  }
}
