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

export function createReader({ endsUs, sums }: Intensity): Reader {
  let stretch = 0
  return {
    toInstants(column, count) {
      const last = sums.length - 1
      for (let i = 0; i < count; i++) {
        const place = column[i] as number
        while (stretch < last && place >= (sums[stretch] as number)) stretch++
        const beginUs = stretch === 0 ? 0 : (endsUs[stretch - 1] as number)
        const endUs = endsUs[stretch] as number
        const below = stretch === 0 ? 0 : (sums[stretch - 1] as number)
        const share = (place - below) / ((sums[stretch] as number) - below)
        // A share may come out as 1 by rounding; no arrival lies at the end.
        column[i] = Math.min(Math.floor(beginUs + (endUs - beginUs) * share), endUs - 1)
      }
    },
  }
}
