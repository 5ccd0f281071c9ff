/** A base in which the sum of two digits is still exact. */
const BASE = 2 ** 52

/**
 * Exact sums of whole numbers beyond 2^53, many of them side by side: each in
 * two digits, so that the order of addition does not matter.
 */
export class WholeSums {
  readonly low: Float64Array
  readonly high: Float64Array

  constructor(sums: number) {
    this.low = new Float64Array(sums)
    this.high = new Float64Array(sums)
  }

  /** @param value a whole number from 0 to 2^52 */
  add(sum: number, value: number): void {
    const low = (this.low[sum] as number) + value
    const carries = low >= BASE
    this.low[sum] = carries ? low - BASE : low
    if (carries) this.high[sum] = (this.high[sum] as number) + 1
  }

  /** Adds `values[from]` to `values[to - 1]`, each a whole number below 2^45 (eleven centuries in µs). */
  addColumn(sum: number, values: Float64Array, from: number, to: number): void {
    for (let begin = from; begin < to; begin += 128) {
      const end = Math.min(begin + 128, to)
      let part = 0
      for (let i = begin; i < end; i++) part += values[i] as number
      this.add(sum, part)
    }
  }

  merge({ low, high }: Pick<WholeSums, 'low' | 'high'>): void {
    for (let sum = 0; sum < low.length; sum++) {
      this.add(sum, low[sum] as number)
      this.high[sum] = (this.high[sum] as number) + (high[sum] as number)
    }
  }

  valueOf(sum: number): bigint {
    return BigInt(this.high[sum] as number) * BigInt(BASE) + BigInt(this.low[sum] as number)
  }
}
