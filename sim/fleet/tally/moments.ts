import { checkBins, type Frame, binsIn } from './frame.ts'
import type { Progressions } from './progressions.ts'

/** How much finer than the bins instants may be counted, so that a progression is a whole number of steps. */
const FINEST = 16

/**
 * Counts of what happens at an instant, such as requests, bin by bin, within
 * the window. A progression whose distance is a whole number of bins costs the
 * same however long it is: it is noted where it begins and where it is over,
 * and added up at the end, each bin with the one a distance before it.
 */
export class MomentCounts {
  readonly frame: Frame
  /** In all bins. */
  total = 0
  private bins: Int32Array
  private readonly mostBins: number
  private readonly strided = new Map<number, Strided>()

  constructor(frame: Frame) {
    this.frame = frame
    this.mostBins = binsIn(frame) ?? Infinity
    this.bins = new Int32Array(this.mostBins === Infinity ? 4096 : this.mostBins)
  }

  /** The first `count` instants of a column, at any place in time. */
  addColumn(atUs: Float64Array, count: number): void {
    const { fromUs, toUs, binUs } = this.frame
    if (toUs === Infinity) this.reach(greatest(atUs, count))
    const { bins } = this
    let counted = 0
    for (let i = 0; i < count; i++) {
      const us = atUs[i] as number
      if (us < fromUs || us >= toUs) continue
      const bin = Math.floor((us - fromUs) / binUs)
      bins[bin] = (bins[bin] as number) + 1
      counted++
    }
    this.total += counted
  }

  addOne(atUs: number, count = 1): void {
    const { fromUs, toUs, binUs } = this.frame
    if (atUs < fromUs || atUs >= toUs) return
    if (toUs === Infinity) this.reach(atUs)
    const bin = Math.floor((atUs - fromUs) / binUs)
    this.bins[bin] = (this.bins[bin] as number) + count
    this.total += count
  }

  /** @returns how many of them lie in the window */
  addProgressions(progressions: Progressions, rows: number): number {
    const { fromUs: startUs, offsetUs, count, everyUs } = progressions
    const { toUs, binUs } = this.frame
    const fineUs = gcd(everyUs, binUs)
    const steps = binUs / fineUs
    if (toUs === Infinity) {
      let lastUs = 0
      for (let i = 0; i < rows; i++)
        lastUs = Math.max(lastUs, (startUs[i] as number) + everyUs * Math.max(0, (count[i] as number) - 1))
      this.reach(lastUs + offsetUs)
    }
    const isStrided = steps <= FINEST && everyUs > 0
    const counted = isStrided
      ? this.addStrided(this.stridedOf(everyUs / fineUs, fineUs), progressions, rows)
      : this.addEach(progressions, rows)
    this.total += counted
    return counted
  }

  private addStrided(
    strided: Strided,
    { fromUs: startUs, offsetUs, count, everyUs }: Progressions,
    rows: number,
  ): number {
    const { fromUs, toUs } = this.frame
    const shiftUs = offsetUs - fromUs
    const { changes, stride, fineUs } = strided
    const widthUs = toUs - fromUs
    let counted = 0
    for (let i = 0; i < rows; i++) {
      let beginUs = (startUs[i] as number) + shiftUs
      let points = count[i] as number
      if (beginUs < 0) {
        const skipped = Math.ceil(-beginUs / everyUs)
        points -= skipped
        beginUs += skipped * everyUs
      }
      if (beginUs + (points - 1) * everyUs >= widthUs) points = Math.ceil((widthUs - beginUs) / everyUs)
      if (points <= 0) continue
      counted += points
      const first = Math.floor(beginUs / fineUs)
      const end = first + points * stride
      changes[first] = (changes[first] as number) + 1
      changes[end] = (changes[end] as number) - 1
    }
    return counted
  }

  private addEach({ fromUs: startUs, offsetUs, count, everyUs }: Progressions, rows: number): number {
    const { fromUs, toUs, binUs } = this.frame
    const { bins } = this
    let counted = 0
    for (let i = 0; i < rows; i++) {
      let atUs = (startUs[i] as number) + offsetUs
      for (let left = count[i] as number; left > 0 && atUs < toUs; left--) {
        if (atUs >= fromUs) {
          const bin = Math.floor((atUs - fromUs) / binUs)
          bins[bin] = (bins[bin] as number) + 1
          counted++
        }
        atUs += everyUs
      }
    }
    return counted
  }

  private stridedOf(stride: number, fineUs: number): Strided {
    const everyUs = stride * fineUs
    const steps = this.frame.binUs / fineUs
    // The change that ends a progression lies up to a stride after its last point.
    const length = this.bins.length * steps + stride + 1
    const known = this.strided.get(everyUs)
    if (known !== undefined && known.changes.length >= length) return known
    const changes = new Int32Array(length)
    if (known !== undefined) changes.set(known.changes)
    const made = { stride, fineUs, changes }
    this.strided.set(everyUs, made)
    return made
  }

  /** Adds up what progressions noted. */
  private settle(): void {
    const { bins, frame } = this
    for (const { stride, fineUs, changes } of this.strided.values()) {
      const steps = frame.binUs / fineUs
      for (let at = stride; at < changes.length; at++)
        changes[at] = (changes[at] as number) + (changes[at - stride] as number)
      for (let at = 0; at < bins.length * steps; at++) {
        const bin = Math.floor(at / steps)
        bins[bin] = (bins[bin] as number) + (changes[at] as number)
      }
    }
    this.strided.clear()
  }

  /** Makes room for an instant, where the window has no end. */
  private reach(atUs: number): void {
    const needed = Math.floor((atUs - this.frame.fromUs) / this.frame.binUs) + 1
    if (needed <= this.bins.length) return
    checkBins(needed, this.frame)
    const grown = new Int32Array(Math.max(needed, 2 * this.bins.length))
    grown.set(this.bins)
    this.bins = grown
  }

  merge(bins: Int32Array, total: number): void {
    this.settle()
    if (bins.length > this.bins.length) {
      const grown = new Int32Array(bins.length)
      grown.set(this.bins)
      this.bins = grown
    }
    for (let bin = 0; bin < bins.length; bin++)
      this.bins[bin] = (this.bins[bin] as number) + (bins[bin] as number)
    this.total += total
  }

  /** Counts by bin: all bins of the window, or as far as there is something where it has no end. */
  counts(): Int32Array {
    this.settle()
    return this.mostBins === Infinity ? this.bins.subarray(0, usedOf(this.bins)) : this.bins
  }
}

interface Strided {
  /** In steps of `fineUs`. */
  stride: number
  fineUs: number
  changes: Int32Array
}

export function usedOf(bins: Int32Array): number {
  let used = bins.length
  while (used > 0 && bins[used - 1] === 0) used--
  return used
}

function greatest(column: Float64Array, count: number): number {
  let most = 0
  for (let i = 0; i < count; i++) if ((column[i] as number) > most) most = column[i] as number
  return most
}

function gcd(a: number, b: number): number {
  let [x, y] = [a, b]
  while (y > 0) [x, y] = [y, x % y]
  return x
}
