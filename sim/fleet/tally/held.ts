import { BATCH } from '../blocks.ts'
import { binsIn, checkBins, type Frame } from './frame.ts'
import { usedOf } from './moments.ts'
import type { Progressions } from './progressions.ts'
import { WholeSums } from './whole.ts'

/** What becomes of held things on their way between workers. */
export interface HeldData {
  changes: Int32Array
  low: Float64Array
  high: Float64Array
  peak: number | undefined
}

/**
 * Things that are held from one instant up to another: connections, requests
 * under way, tasks that are not over. How many at the beginning of each bin of
 * the window, and their time within it, both exact. What ends at an instant is
 * gone then, what begins is there.
 */
export class Held {
  readonly frame: Frame
  /** The most at any instant of the window, where who counts knows it. */
  peak: number | undefined
  /** By how much more are held at the beginning of a bin than at that of the one before. */
  private changes: Int32Array
  private readonly mostBins: number
  private readonly time = new WholeSums(1)

  constructor(frame: Frame) {
    this.frame = frame
    this.mostBins = binsIn(frame) ?? Infinity
    this.changes = new Int32Array(this.mostBins === Infinity ? 4096 : this.mostBins)
  }

  /**
   * One thing a row.
   *
   * @param lastUs none is held longer than this, and the first row begins before the others; where it is known
   */
  addColumns(heldFromUs: Float64Array, heldToUs: Float64Array, rows: number, lastUs = Infinity): void {
    const { fromUs, toUs, binUs } = this.frame
    if (toUs === Infinity)
      for (let i = 0; i < rows; i++) if (heldToUs[i] !== Infinity) this.reach(heldToUs[i] as number)
    const { changes } = this
    const bins = changes.length
    if (lastUs <= toUs && rows > 0 && (heldFromUs[0] as number) >= fromUs) {
      for (let begin = 0; begin < rows; begin += 128) {
        const end = Math.min(begin + 128, rows)
        let time = 0
        for (let i = begin; i < end; i++) {
          const beginUs = (heldFromUs[i] as number) - fromUs
          const endUs = (heldToUs[i] as number) - fromUs
          time += endUs - beginUs
          const first = Math.ceil(beginUs / binUs)
          const after = Math.ceil(endUs / binUs)
          // Beyond the last bin nothing is kept, and nothing is read.
          changes[first] = (changes[first] as number) + 1
          changes[after] = (changes[after] as number) - 1
        }
        this.time.add(0, time)
      }
      return
    }
    for (let begin = 0; begin < rows; begin += 128) {
      const end = Math.min(begin + 128, rows)
      let time = 0
      for (let i = begin; i < end; i++) {
        const beginUs = Math.max((heldFromUs[i] as number) - fromUs, 0)
        const endUs = Math.min(heldToUs[i] as number, toUs) - fromUs
        if (endUs <= beginUs) continue
        time += endUs - beginUs
        const first = Math.ceil(beginUs / binUs)
        const after = Math.ceil(endUs / binUs)
        if (first < bins) changes[first] = (changes[first] as number) + 1
        if (after < bins) changes[after] = (changes[after] as number) - 1
      }
      this.time.add(0, time)
    }
  }

  addOne(heldFromUs: number, heldToUs: number): void {
    const { fromUs, toUs, binUs } = this.frame
    if (toUs === Infinity) this.reach(heldToUs)
    const beginUs = Math.max(heldFromUs - fromUs, 0)
    const endUs = Math.min(heldToUs, toUs) - fromUs
    if (endUs <= beginUs) return
    this.time.add(0, endUs - beginUs)
    const { changes } = this
    const first = Math.ceil(beginUs / binUs)
    const after = Math.ceil(endUs / binUs)
    if (first === after) return
    if (first < changes.length) changes[first] = (changes[first] as number) + 1
    if (after < changes.length) changes[after] = (changes[after] as number) - 1
  }

  /** The first `count` of a column, each held for so long. */
  addEqual(heldFromUs: Float64Array, forUs: number, count: number): void {
    const { ends } = this
    for (let i = 0; i < count; i++) ends[i] = (heldFromUs[i] as number) + forUs
    this.addColumns(heldFromUs, ends, count)
  }

  /** Each moment of the progressions begins one that is held for so long. */
  addProgressions({ fromUs, offsetUs, count, everyUs }: Progressions, forUs: number, rows: number): void {
    const { toUs } = this.frame
    const { starts, ends } = this
    let some = 0
    for (let i = 0; i < rows; i++) {
      let atUs = (fromUs[i] as number) + offsetUs
      for (let left = count[i] as number; left > 0 && atUs < toUs; left--) {
        starts[some] = atUs
        ends[some++] = atUs + forUs
        if (some === BATCH) {
          this.addColumns(starts, ends, some)
          some = 0
        }
        atUs += everyUs
      }
    }
    this.addColumns(starts, ends, some)
  }

  private readonly starts = new Float64Array(BATCH)
  private readonly ends = new Float64Array(BATCH)

  private reach(untilUs: number): void {
    const needed = Math.ceil((untilUs - this.frame.fromUs) / this.frame.binUs) + 1
    if (needed <= this.changes.length || !Number.isFinite(needed)) return
    checkBins(needed, this.frame)
    this.grow(Math.max(needed, 2 * this.changes.length))
  }

  private grow(length: number): void {
    const grown = new Int32Array(length)
    grown.set(this.changes)
    this.changes = grown
  }

  /** The peak of a whole is not that of its parts: it is kept only where one of the two held nothing. */
  merge({ changes, low, high, peak }: HeldData): void {
    if (changes.length > this.changes.length) this.grow(changes.length)
    const wasEmpty = this.time.valueOf(0) === 0n
    for (let bin = 0; bin < changes.length; bin++)
      this.changes[bin] = (this.changes[bin] as number) + (changes[bin] as number)
    const isEmpty = high[0] === 0 && low[0] === 0
    this.peak = wasEmpty ? peak : isEmpty ? this.peak : undefined
    this.time.merge({ low, high })
  }

  /** How many are held at the beginning of each bin. */
  levels(): Int32Array {
    const used = this.mostBins === Infinity ? usedOf(this.changes) : this.changes.length
    const levels = new Int32Array(used)
    let level = 0
    for (let bin = 0; bin < used; bin++) levels[bin] = level += this.changes[bin] as number
    return levels
  }

  /** Their time within the window, in µs. */
  timeUs(): bigint {
    return this.time.valueOf(0)
  }

  toData(): HeldData {
    const used = this.mostBins === Infinity ? usedOf(this.changes) : this.changes.length
    const { low, high } = this.time
    return { changes: this.changes.slice(0, used), low: low.slice(), high: high.slice(), peak: this.peak }
  }
}
