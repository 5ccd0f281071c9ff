import type { PollPolicy, Step } from '../../policies/policy.ts'

type Adapt = NonNullable<PollPolicy['adapt']>

/**
 * An interval that follows what polls find: one step after each that brought
 * news, another after each that did not.
 *
 * Known rules in these words:
 * - additive increase, multiplicative decrease: `news: x0.5, quiet: +1s`;
 * - halve and double: `news: x0.5, quiet: x2`;
 * - **adaptive time to refresh**, the idea of the push-pull papers (Deolasee et
 *   al. 2001, Bhide et al. 2002): refresh as often as the data has been changing,
 *   within two bounds. A task's data has no distance by which they measure
 *   change: it changed or it did not. So the time to refresh follows the time
 *   since the last change that was seen: a least wait and a share f of that time,
 *   which grows it by (1 + f) with each look in vain. For f = 0.5:
 *   `poll:1s` with `news: reset, quiet: x1.5, max: 30s`.
 */
export interface AdaptiveWait {
  us(): number
  heed(news: boolean): void
}

/** @param firstUs gives the interval to begin with and to reset to; asked once */
export function createAdaptiveWait(adapt: Adapt, firstUs: () => number): AdaptiveWait {
  let initialUs: number | undefined
  let currentUs: number | undefined
  const startUs = (): number => (initialUs ??= firstUs())
  const bounded = (us: number): number => Math.max(Math.min(us, adapt.maxUs ?? Infinity), adapt.minUs ?? 0)
  const us = (): number => (currentUs ??= bounded(startUs()))
  return {
    us,
    heed(news) {
      currentUs = bounded(stepped(us(), news ? adapt.news : adapt.quiet, startUs))
    },
  }
}

function stepped(us: number, step: Step, startUs: () => number): number {
  switch (step.of) {
    case 'times':
      return us * step.factor
    case 'plus':
      return us + step.us
    case 'set':
      return step.us
    case 'reset':
      return startUs()
  }
}
