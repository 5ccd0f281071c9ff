import { type HistogramData, LogLinearHistogram } from '../../kernel/log-linear-histogram.ts'
import { sortUint32 } from '../../kernel/radix-sort.ts'

/** Up to here quantiles are exact: 64 MiB of values. */
const MOST_EXACT = 2 ** 24

const CHUNK = 2 ** 14

/** What becomes of samples on their way between workers. */
export interface SamplesData {
  /** In no order. */
  exact: { small: Uint32Array; large: Float64Array } | undefined
  /** Where there were too many to keep. */
  histogram: HistogramData | undefined
  count: number
  least: number
  most: number
}

/**
 * Whole numbers whose distribution is wanted. The values themselves while they
 * are few, then a histogram of them. Whether they are few depends on their number
 * alone, so a merged result does not tell how it was divided.
 */
export class Samples {
  count = 0
  least = Infinity
  most = -Infinity
  /** Full chunks, and the one at hand. */
  private full: Uint32Array[] = []
  private small = new Uint32Array(CHUNK)
  private smallCount = 0
  /** Those beyond 32 bits: more than 71 minutes. */
  private large: number[] = []
  private histogram: LogLinearHistogram | undefined

  /** `values[from]` to `values[to - 1]`. */
  addColumn(values: Float64Array, from: number, to: number): void {
    this.count += to - from
    let { least, most } = this
    for (let i = from; i < to; i++) {
      const value = values[i] as number
      if (value < least) least = value
      if (value > most) most = value
    }
    this.least = least
    this.most = most
    if (this.count > MOST_EXACT) return this.toHistogram().recordMany(values, from, to)
    this.ascending = undefined
    if (most >= 2 ** 32) return this.keepEach(values, from, to)
    for (let i = from; i < to;) {
      if (this.smallCount === CHUNK) this.nextChunk()
      const { small, smallCount } = this
      const some = Math.min(to - i, CHUNK - smallCount)
      for (let n = 0; n < some; n++) small[smallCount + n] = values[i + n] as number
      this.smallCount = smallCount + some
      i += some
    }
  }

  addOne(value: number): void {
    this.one[0] = value
    this.addColumn(this.one, 0, 1)
  }

  private readonly one = new Float64Array(1)

  private keepEach(values: ArrayLike<number>, from: number, to: number): void {
    for (let i = from; i < to; i++) {
      const value = values[i] as number
      if (value >= 2 ** 32) this.large.push(value)
      else {
        if (this.smallCount === CHUNK) this.nextChunk()
        this.small[this.smallCount++] = value
      }
    }
  }

  private nextChunk(): void {
    this.full.push(this.small)
    this.small = new Uint32Array(CHUNK)
    this.smallCount = 0
  }

  get isExact(): boolean {
    return this.histogram === undefined
  }

  merge(data: SamplesData): void {
    this.count += data.count
    this.least = Math.min(this.least, data.least)
    this.most = Math.max(this.most, data.most)
    if (this.count > MOST_EXACT || data.histogram !== undefined) {
      const histogram = this.toHistogram()
      if (data.histogram !== undefined) histogram.merge(LogLinearHistogram.of(data.histogram))
      for (const value of data.exact?.small ?? []) histogram.record(value)
      for (const value of data.exact?.large ?? []) histogram.record(value)
      return
    }
    if (data.exact === undefined) return
    this.ascending = undefined
    this.keepEach(data.exact.small, 0, data.exact.small.length)
    this.keepEach(data.exact.large, 0, data.exact.large.length)
  }

  /**
   * The smallest value that at least this share of `outOf` values do not
   * exceed, those that are not here lying beyond all others: then `undefined`.
   */
  quantile(share: number, outOf: number = this.count): number | undefined {
    const rank = Math.max(1, Math.ceil(share * outOf))
    if (rank > this.count) return undefined
    if (rank === this.count) return this.most
    if (this.histogram !== undefined) return this.histogram.atRank(rank - 1)
    const ascending = this.sorted()
    if (rank <= ascending.length) return ascending[rank - 1]
    return this.large.toSorted((a, b) => a - b)[rank - 1 - ascending.length]
  }

  /** As a histogram, whether that is kept or made for this. */
  inBuckets(): LogLinearHistogram {
    if (this.histogram !== undefined) return this.histogram
    const histogram = new LogLinearHistogram()
    for (const chunk of this.chunks())
      for (let i = 0; i < chunk.length; i++) histogram.record(chunk[i] as number)
    for (const value of this.large) histogram.record(value)
    return histogram
  }

  toData(): SamplesData {
    const { count, least, most, histogram } = this
    const exact =
      histogram === undefined ? { small: this.joined(), large: Float64Array.from(this.large) } : undefined
    return { exact, histogram: histogram?.toData(), count, least, most }
  }

  private ascending: Uint32Array | undefined

  private sorted(): Uint32Array {
    if (this.ascending === undefined) {
      this.ascending = this.joined()
      sortUint32(this.ascending)
    }
    return this.ascending
  }

  private chunks(): Uint32Array[] {
    return [...this.full, this.small.subarray(0, this.smallCount)]
  }

  private joined(): Uint32Array {
    const joined = new Uint32Array(this.full.length * CHUNK + this.smallCount)
    for (const [index, chunk] of this.chunks().entries()) joined.set(chunk, index * CHUNK)
    return joined
  }

  private toHistogram(): LogLinearHistogram {
    if (this.histogram === undefined) {
      this.histogram = this.inBuckets()
      this.full = []
      this.smallCount = 0
      this.large = []
      this.ascending = undefined
    }
    return this.histogram
  }
}
