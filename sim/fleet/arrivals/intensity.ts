/**
 * How likely arrivals are over time: stretches of constant intensity. Their sum
 * up to an instant, the cumulative intensity, is what arrivals are drawn on:
 * equal parts of it are equally busy.
 */
export interface Intensity {
  /** Ends of the stretches, ascending; the first begins at 0. */
  endsUs: Float64Array
  /** Cumulative intensity at those ends, not descending. */
  sums: Float64Array
}

export const totalOf = ({ sums }: Intensity): number => sums.at(-1) ?? 0

/** The same all the time. In units of µs, so that nothing is lost. */
export const constant = (withinUs: number): Intensity => ({
  endsUs: Float64Array.of(withinUs),
  sums: Float64Array.of(withinUs),
})

/** @param stretches one after the other; what lies beyond `withinUs` is cut off */
export function intensityOf(
  stretches: Iterable<{ forUs: number; weight: number }>,
  withinUs: number,
): Intensity {
  const endsUs: number[] = []
  const sums: number[] = []
  let endUs = 0
  let sum = 0
  for (const { forUs, weight } of stretches) {
    const lengthUs = Math.min(forUs, withinUs - endUs)
    endUs += lengthUs
    sum += lengthUs * weight
    endsUs.push(endUs)
    sums.push(sum)
    if (endUs >= withinUs) break
  }
  // Without the idle stretches at the end a place at the very end lies in one that has arrivals.
  while (sums.length > 1 && sums.at(-1) === sums.at(-2)) {
    sums.pop()
    endsUs.pop()
  }
  return { endsUs: Float64Array.from(endsUs), sums: Float64Array.from(sums) }
}

/** Turns ascending places on the cumulative intensity into instants; of one block from its first on. */
export interface Reader {
  /** Replaces the first `count` values, in whole µs. */
  toInstants(column: Float64Array, count: number): void
}

export const createReader = (intensity: Intensity): Reader => new StretchReader(intensity)

class StretchReader implements Reader {
  private readonly intensity: Intensity
  private stretch = -1
  private beginUs = 0
  private endUs = 0
  private below = 0
  private upTo = 0
  private usPerUnit = 0

  constructor(intensity: Intensity) {
    this.intensity = intensity
    this.nextStretch()
  }

  toInstants(column: Float64Array, count: number): void {
    const last = this.intensity.sums.length - 1
    for (let from = 0; from < count;) {
      while (this.stretch < last && (column[from] as number) >= this.upTo) this.nextStretch()
      const { beginUs, endUs, below, upTo, usPerUnit, stretch } = this
      const limit = stretch < last ? upTo : Infinity
      let i = from
      for (; i < count; i++) {
        const place = column[i] as number
        if (place >= limit) break
        // By rounding it may come out at the end, where there is none any more.
        column[i] = Math.min(Math.floor(beginUs + (place - below) * usPerUnit), endUs - 1)
      }
      from = i
    }
  }

  private nextStretch(): void {
    const { endsUs, sums } = this.intensity
    this.stretch += 1
    this.beginUs = this.endUs
    this.below = this.upTo
    this.endUs = endsUs[this.stretch] as number
    this.upTo = sums[this.stretch] as number
    const { beginUs, endUs, below, upTo } = this
    this.usPerUnit = upTo === below ? 0 : (endUs - beginUs) / (upTo - below)
  }
}
