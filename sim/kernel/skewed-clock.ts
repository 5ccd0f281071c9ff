import type { Clock } from './clock.ts'
import { sleepOn } from './sleep.ts'

/** Later than any run lasts, and far enough from where whole numbers end to be counted with. */
const NEVER_US = 2 ** 52

/** How long a wait of `us` by such a clock lasts in truth, in whole microseconds. Never shorter than what was asked. */
export const trueDurationUs = (us: number, rate: number): number => Math.ceil(us / rate)

/**
 * A clock that runs fast or slow: what somebody reads who trusts a bad one.
 * With a rate of 1.1 it goes eleven seconds in ten, so a wait of 5 s by this
 * clock is over after 4.545455 s. A wait is never shorter than what was asked by this clock.
 *
 * @param rate above 0
 */
export function skewedClock(clock: Clock, skew: Skew): Clock {
  if (isTrue(skew)) return clock
  const { nowUs, at, trueUsOf } = skewed(clock, skew)
  return {
    nowUs,
    at,
    sleep: sleepOn({ nowUs, at }),
    waiting: (who) => clock.waiting(who),
    dateOf: (atUs) => clock.dateOf(trueUsOf(atUs)),
  }
}

/** The same for who only tells the time and schedules. */
export const skewedTime = (clock: Pick<Clock, 'nowUs' | 'at'>, skew: Skew): Pick<Clock, 'nowUs' | 'at'> =>
  isTrue(skew) ? clock : skewed(clock, skew)

interface Skew {
  rate: number
  offsetUs: number
}

const isTrue = ({ rate, offsetUs }: Skew): boolean => rate === 1 && offsetUs === 0

function skewed(clock: Pick<Clock, 'nowUs' | 'at'>, { rate, offsetUs }: Skew) {
  const readUs = (trueUs: number): number => Math.floor(trueUs * rate) + offsetUs

  /** The first true instant at which this clock reads `us`. */
  function trueUsOf(us: number): number {
    if (us - offsetUs >= NEVER_US * Math.min(rate, 1)) return NEVER_US
    let trueUs = Math.ceil((us - offsetUs) / rate)
    while (readUs(trueUs) < us) trueUs += 1
    while (readUs(trueUs - 1) >= us) trueUs -= 1
    return trueUs
  }

  const nowUs = (): number => readUs(clock.nowUs())
  // What this clock reads already lies at most a part of its own microsecond back.
  const at: Clock['at'] = (atUs, act) => clock.at(Math.max(clock.nowUs(), trueUsOf(atUs)), act)
  return { nowUs, at, trueUsOf }
}
