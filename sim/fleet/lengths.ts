import { type Distribution, drawUs, gridPointUs } from '../kernel/distribution.ts'
import type { Sfc32 } from '../kernel/sfc32.ts'

/** As of every draw: an instant plus a length stays a whole number. */
const LONGEST_US = 2 ** 52

/** No exponential draw of 53 bits is so many means. */
const MOST_MEANS = 37

/**
 * Fills a column with the lengths of the next tasks of a block. The n-th task of
 * a block takes the n-th group of words of its stream, as many as a draw of the
 * distribution takes: four for `normal` and `lognormal`, none for `fixed` and
 * `grid`, two for all others.
 */
export type FillLengths = (columnUs: Float64Array, count: number) => void

/**
 * @param distribution `undefined` for jobs that never end: `Infinity`
 * @param first number of the block's first task in the fleet: its point of a grid
 */
export function lengthsOf(
  distribution: Distribution | undefined,
  random: Sfc32,
  first: () => number,
): FillLengths {
  if (distribution === undefined) return (columnUs, count) => columnUs.fill(Infinity, 0, count)
  switch (distribution.of) {
    case 'fixed':
      return (columnUs, count) => columnUs.fill(distribution.us, 0, count)
    case 'exponential': {
      const { meanUs } = distribution
      return (columnUs, count) => {
        random.fillExponentials(columnUs, count)
        scaleAndRound(columnUs, count, meanUs)
        if (meanUs * MOST_MEANS < LONGEST_US) return
        for (let i = 0; i < count; i++) columnUs[i] = Math.min(columnUs[i] as number, LONGEST_US)
      }
    }
    case 'uniform': {
      const { fromUs, toUs } = distribution
      const widthUs = toUs - fromUs
      return (columnUs, count) => {
        random.fillFloats(columnUs, count)
        for (let i = 0; i < count; i++)
          columnUs[i] = Math.floor(fromUs + widthUs * (columnUs[i] as number) + 0.5)
      }
    }
    case 'grid': {
      let next: number | undefined
      return (columnUs, count) => {
        next ??= first()
        for (let i = 0; i < count; i++) columnUs[i] = gridPointUs(distribution, next + i)
        next += count
      }
    }
    case 'lognormal':
    case 'normal':
    case 'weibull':
    case 'pareto':
    case 'empirical':
      return (columnUs, count) => {
        for (let i = 0; i < count; i++) columnUs[i] = drawUs(distribution, random)
      }
  }
}

function scaleAndRound(column: Float64Array, count: number, factor: number): void {
  for (let i = 0; i < count; i++) column[i] = Math.floor(factor * (column[i] as number) + 0.5)
}
