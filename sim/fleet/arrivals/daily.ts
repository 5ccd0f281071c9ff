import { US_PER_SECOND } from '../../kernel/units.ts'
import { type Intensity, intensityOf } from './intensity.ts'

const US_PER_HOUR = 3600 * US_PER_SECOND

/** In proportion to 24 weights, one for each hour of days that begin at 0. The mean weight over a day is an intensity of 1. */
export function daily(weights: readonly number[], withinUs: number): Intensity {
  const mean = weights.reduce((sum, weight) => sum + weight, 0) / weights.length
  function* hours(): Generator<{ forUs: number; weight: number }> {
    for (let hour = 0; ; hour++)
      yield { forUs: US_PER_HOUR, weight: (weights[hour % weights.length] as number) / mean }
  }
  return intensityOf(hours(), withinUs)
}
