/**
 * Counts of whole numbers in buckets whose width grows with the values, as in
 * HdrHistogram (Gil Tene): each octave has 1024, so that a value is known to
 * within 2^-11 of itself, and below 2048 exactly. Adding and merging are sums of
 * whole numbers, so neither their order nor who counted shows in the result.
 */
import { highHalfOf } from './double-bits.ts'

/** Buckets of an octave, and how many binary digits tell them apart. */
const PER_OCTAVE = 1024
const DIGITS = 10

/** Takes a double's exponent and first ten digits, read as one number, to the bucket's. */
const FIRST_OCTAVE = (1023 + DIGITS - 1) * PER_OCTAVE

/** Buckets up to 2^53, and those that are made at first: up to 2^31, some 36 minutes in µs. */
const ALL_BUCKETS = (53 - DIGITS + 1) * PER_OCTAVE
const FIRST_BUCKETS = (31 - DIGITS + 1) * PER_OCTAVE

/** A histogram as plain data: the buckets that hold something, ascending. */
export interface HistogramData {
  min: number
  max: number
  buckets: number[]
  counts: number[]
}

export class LogLinearHistogram {
  /** How many values were recorded. */
  count = 0
  /** Exact; Infinity if nothing was recorded. */
  min = Infinity
  /** Exact; -Infinity if nothing was recorded. */
  max = -Infinity
  private counts: Float64Array = new Float64Array(FIRST_BUCKETS)

  /**
   * @param value a whole number from 0 to 2^53 - 1
   * @throws RangeError for a value below 0 or not finite
   */
  record(value: number): void {
    const bucket = bucketOf(value)
    if (bucket >= this.counts.length) this.grow(bucket)
    this.counts[bucket] = (this.counts[bucket] as number) + 1
    this.count++
    if (value < this.min) this.min = value
    if (value > this.max) this.max = value
  }

  /** Records `values[from]` to `values[to - 1]`. Throws as `record` does, with those before it recorded. */
  recordMany(values: Float64Array, from = 0, to = values.length): void {
    let { counts, min, max } = this
    for (let i = from; i < to; i++) {
      const value = values[i] as number
      const bucket = bucketOf(value)
      if (bucket >= counts.length) counts = this.grow(bucket)
      counts[bucket] = (counts[bucket] as number) + 1
      if (value < min) min = value
      if (value > max) max = value
    }
    this.count += to - from
    this.min = min
    this.max = max
  }

  merge(other: LogLinearHistogram): void {
    if (other.counts.length > this.counts.length) this.grow(other.counts.length - 1)
    for (let bucket = 0; bucket < other.counts.length; bucket++)
      this.counts[bucket] = (this.counts[bucket] as number) + (other.counts[bucket] as number)
    this.count += other.count
    this.min = Math.min(this.min, other.min)
    this.max = Math.max(this.max, other.max)
  }

  /**
   * By nearest rank: about the smallest value that at least the share `q` of all
   * values does not exceed; `undefined` if there are none.
   */
  quantile(q: number): number | undefined {
    return this.atRank(Math.max(0, Math.ceil(q * this.count) - 1))
  }

  /**
   * About the value that has so many before it in ascending order: the middle of
   * its bucket, within `min` and `max`. `undefined` beyond the last.
   */
  atRank(rank: number): number | undefined {
    if (!(rank < this.count)) return undefined
    if (rank === 0) return this.min
    if (rank === this.count - 1) return this.max
    let before = 0
    let bucket = 0
    while (before + (this.counts[bucket] as number) <= rank) before += this.counts[bucket++] as number
    return Math.min(Math.max(middleOf(bucket), this.min), this.max)
  }

  toData(): HistogramData {
    const buckets: number[] = []
    for (let bucket = 0; bucket < this.counts.length; bucket++)
      if ((this.counts[bucket] as number) > 0) buckets.push(bucket)
    return {
      min: this.min,
      max: this.max,
      buckets,
      counts: buckets.map((bucket) => this.counts[bucket] as number),
    }
  }

  static of({ min, max, buckets, counts }: HistogramData): LogLinearHistogram {
    const histogram = new LogLinearHistogram()
    for (const [i, bucket] of buckets.entries()) {
      if (bucket >= histogram.counts.length) histogram.grow(bucket)
      histogram.counts[bucket] = counts[i] as number
      histogram.count += counts[i] as number
    }
    histogram.min = min
    histogram.max = max
    return histogram
  }

  private grow(bucket: number): Float64Array {
    const counts = new Float64Array(bucket < FIRST_BUCKETS ? FIRST_BUCKETS : ALL_BUCKETS)
    counts.set(this.counts)
    this.counts = counts
    return counts
  }
}

/** @throws RangeError for a value below 0, beyond 2^53 or not finite */
function bucketOf(value: number): number {
  if (value < PER_OCTAVE && value >= 0) return value | 0
  const bucket = (highHalfOf(value) >> (20 - DIGITS)) - FIRST_OCTAVE
  if (!(bucket >= PER_OCTAVE && bucket < ALL_BUCKETS))
    throw new RangeError(`a histogram counts whole numbers from 0 to 2^53 - 1, not ${value}`)
  return bucket
}

/** Below 2048 the value itself. */
function middleOf(bucket: number): number {
  if (bucket < 2 * PER_OCTAVE) return bucket
  const octave = Math.floor(bucket / PER_OCTAVE) - 1
  return (PER_OCTAVE + (bucket % PER_OCTAVE) + 0.5) * 2 ** octave
}
