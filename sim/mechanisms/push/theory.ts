/**
 * When news reach a receiver that is down at first, worked out from the sender's
 * schedule alone. Only for schedules without chance.
 */
import type { Backoff } from '../../policies/backoff.ts'

/** A receiver that is down from the event on. */
export interface Downtime {
  /** It is back at this very instant after the event. */
  downUs: number
  /** How long an attempt takes that finds nobody: 0 where the connection is refused, the attempt's timeout where it is met with silence. */
  failsAfterUs: number
}

/**
 * How long after the event its post gets through: by the first attempt that
 * begins when the receiver is back. Waits count from when the attempt before
 * failed, so that in silence every attempt puts off all later ones.
 *
 * @returns `undefined` if the sender has given up by then
 * @throws RangeError if the schedule draws its waits, or tries for ever without one
 */
export function deliveredAfterUs(retry: Backoff, { downUs, failsAfterUs }: Downtime): number | undefined {
  const { attempts = Infinity, budgetUs = Infinity } = retry
  let atUs = 0
  for (let attempt = 1; atUs < downUs; attempt++) {
    if (attempt >= attempts) return undefined
    const waitUs = waitUsAfter(attempt, retry)
    if (waitUs === undefined) return undefined
    const nextUs = atUs + failsAfterUs + waitUs
    if (nextUs > budgetUs) return undefined
    if (nextUs === atUs && attempt === ATTEMPTS_MAX)
      throw new RangeError(`${ATTEMPTS_MAX} attempts without a wait: the schedule would try for ever`)
    atUs = nextUs
  }
  return atUs
}

const ATTEMPTS_MAX = 100_000

/** The wait that follows the attempt of this number, the first being 1. */
function waitUsAfter(attempt: number, { waits, jitter }: Backoff): number | undefined {
  if (jitter.of !== 'none') throw new RangeError(`a schedule with ${jitter.of} jitter has no closed form`)
  switch (waits.of) {
    case 'interval':
      if (waits.interval.of === 'fixed') return waits.interval.us
      throw new RangeError(`an interval that is drawn (${waits.interval.of}) has no closed form`)
    case 'growing':
      return Math.round(
        Math.min(waits.initialUs * waits.multiplier ** (attempt - 1), waits.maxUs ?? Infinity),
      )
    case 'list':
      return waits.delaysUs[attempt - 1] ?? (waits.last === 'repeats' ? waits.delaysUs.at(-1) : undefined)
  }
}

/**
 * How long after an event the next poll at `firstUs + n everyUs` leaves: less
 * than its interval, so a safety poll by a process that stays up bounds the
 * lateness of every webhook.
 */
export const pollAfterUs = (polls: { firstUs: number; everyUs: number }, eventUs: number): number =>
  eventUs <= polls.firstUs ? polls.firstUs - eventUs : modulo(polls.firstUs - eventUs, polls.everyUs)

const modulo = (dividend: number, divisor: number): number => ((dividend % divisor) + divisor) % divisor

/** When the event is known where push and a safety poll stand side by side. */
export const learnedAfterUs = (deliveredUs: number | undefined, pollUs: number): number =>
  Math.min(deliveredUs ?? Infinity, pollUs)
