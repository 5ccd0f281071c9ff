import { type Distribution, drawUs, meanUs } from '../../kernel/distribution.ts'
import { randomStream } from '../../kernel/random.ts'
import { type Intensity, intensityOf } from './intensity.ts'

/** Draws of no length at all would never fill the time. */
const MOST_SPELLS = 10_000_000

/**
 * Busy and idle spells in turn, busy first, drawn once for the whole run. The
 * intensity while busy is such that its mean in the long run is 1.
 *
 * @throws RangeError if the spells are so short that they never fill the time, or none is busy
 */
export function onOff(
  seed: number,
  { busy, idle }: { busy: Distribution; idle: Distribution },
  withinUs: number,
): Intensity {
  const random = randomStream(seed, 'on-off')
  const weight = 1 + meanUs(idle) / meanUs(busy)
  function* spells(): Generator<{ forUs: number; weight: number }> {
    for (let drawn = 0; drawn < MOST_SPELLS; drawn += 2) {
      yield { forUs: drawUs(busy, random), weight }
      yield { forUs: drawUs(idle, random), weight: 0 }
    }
    throw new RangeError(
      `${MOST_SPELLS} busy and idle spells do not fill the time of the arrivals: make them longer`,
    )
  }
  const intensity = intensityOf(spells(), withinUs)
  if ((intensity.sums.at(-1) ?? 0) === 0)
    throw new RangeError('no arrivals: no spell of the run is busy. Make the busy ones longer')
  return intensity
}
