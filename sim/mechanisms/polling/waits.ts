/** How long a poll waits for the next one, whoever asked for that wait. */
import type { RandomStream } from '../../kernel/random.ts'
import { createLadder, createSpread } from '../../policies/backoff.ts'
import type { PollPolicy } from '../../policies/policy.ts'
import { createAdaptiveWait } from './adapt.ts'

/** The waits an answer asks for. */
export interface AskedWaits {
  hintUs: number | undefined
  retryAfterUs: number | undefined
}

export interface PollWaits {
  /**
   * The next wait of the policy's own. It is the hint (`hint: interval`), the
   * adapted interval, or the next of `waits`; jitter spreads it, a hint used
   * instead too, unless the jitter is of a kind that makes waits of its own; the
   * hint as floor or cap bounds that; the margin stretches it; slow-downs
   * lengthen it. `undefined` when the list of waits has ended.
   */
  usualUs(): number | undefined
  /** The wait that becomes of a Retry-After; `undefined` if there is none or it is ignored. */
  askedUs(retryAfterUs: number | undefined): number | undefined
  /** The wait that becomes of the hint alone; `undefined` if there is none. */
  hintedUs(): number | undefined
  /** `min` and `max`, which bound every wait of these and of others. */
  bounded(us: number): number
  /** What the agent suggests from now on. */
  hint(us: number | undefined): void
  /** A poll brought news or did not. */
  heed(news: boolean): void
  /** The agent told the client to slow down. */
  slowDown(by: { addUs: number; multiply: number }): void
}

/** @param random not touched where nothing is left to chance */
export function createPollWaits(policy: PollPolicy, random: RandomStream): PollWaits {
  const { waits, jitter, margin, retryAfter } = policy
  const ladder = createLadder(waits, random)
  const spread = createSpread(jitter, waits, random)
  const spreadsHint = jitter.of !== 'decorrelated' && jitter.of !== 'uniform-growth'
  const retrySpread =
    typeof retryAfter === 'string' ? undefined : createSpread(retryAfter.jitter, waits, random)
  const adaptive = policy.adapt && createAdaptiveWait(policy.adapt, () => ladder.next() ?? 0)
  let hintUs: number | undefined
  let slowed = { factor: 1, plusUs: 0 }

  const bounded = (us: number): number =>
    Math.round(Math.max(Math.min(us, policy.maxUs ?? Infinity), policy.minUs ?? 0))

  function plainUs(): number | undefined {
    const hint = policy.hint === 'ignore' ? undefined : hintUs
    if (policy.hint === 'interval' && hint !== undefined) return spreadsHint ? spread.of(hint) : hint
    const stepUs = adaptive === undefined ? ladder.next() : adaptive.us()
    if (stepUs === undefined) return undefined
    if (hint === undefined) return spread.of(stepUs)
    return policy.hint === 'cap'
      ? Math.min(spread.of(Math.min(stepUs, hint)), hint)
      : Math.max(spread.of(stepUs), hint)
  }

  return {
    usualUs() {
      const us = plainUs()
      return us === undefined ? undefined : bounded(us * margin * slowed.factor + slowed.plusUs)
    },
    askedUs(retryAfterUs) {
      if (retryAfterUs === undefined || retryAfter === 'ignore') return undefined
      if (retryAfter === 'honour') return bounded(retryAfterUs)
      const cutUs = Math.min(retryAfterUs, retryAfter.maxUs ?? Infinity)
      return bounded(retrySpread?.of(cutUs) ?? cutUs)
    },
    hintedUs: () => (hintUs === undefined ? undefined : bounded(hintUs * margin)),
    bounded,
    hint(us) {
      hintUs = us
    },
    heed(news) {
      adaptive?.heed(news)
    },
    slowDown({ addUs, multiply }) {
      slowed = { factor: slowed.factor * multiply, plusUs: slowed.plusUs * multiply + addUs }
    },
  }
}
