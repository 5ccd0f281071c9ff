/** Growing waits between attempts: what polls, reconnects and webhook retries share. First as data, then in motion. */
import { drawUs, meanUs, type Distribution } from '../kernel/distribution.ts'
import type { RandomStream } from '../kernel/random.ts'

/** The waits before jitter. */
export type Waits =
  | { of: 'interval'; interval: Distribution }
  | { of: 'growing'; initialUs: number; multiplier: number; maxUs: number | undefined }
  /** One after the other; afterwards the last again and again, or no more. */
  | { of: 'list'; delaysUs: readonly number[]; last: 'repeats' | 'ends' }

/**
 * How a wait of d is spread. `full`: U(0, d). `equal`: d/2 + U(0, d/2).
 * `decorrelated`: min(max, U(initial, 3 x the wait before)). `uniform-growth`:
 * U(initial, d), and exactly max once d has reached it (Smithy). `stretch`:
 * d x U(1 - less, 1 + more).
 */
export type Jitter =
  | { of: 'none' | 'full' | 'equal' | 'decorrelated' | 'uniform-growth' }
  | { of: 'stretch'; less: number; more: number }

export interface Backoff {
  waits: Waits
  jitter: Jitter
  /** Attempts in all, the first included; `undefined`: as many as the waits allow. */
  attempts: number | undefined
  /** No attempt begins later than so long after the first. */
  budgetUs: number | undefined
  /** Success for so long, and the waits begin anew; `undefined`: at any success. */
  resetAfterUs: number | undefined
  /** How long one attempt may take. */
  timeoutUs: number | undefined
}

export interface BackoffInMotion {
  /**
   * How long to wait before the next attempt, in whole µs; `undefined` if there
   * shall be none: the attempts are used up (three of them have two waits
   * between them), the list has ended, or the budget would be overstepped.
   *
   * @param elapsedUs since the first attempt began; left out, attempts are taken to last no time
   */
  next(elapsedUs?: number): number | undefined
  /** Begins anew, as after a success. */
  reset(): void
}

export function createBackoff(backoff: Backoff, random: RandomStream): BackoffInMotion {
  const ladder = createLadder(backoff.waits, random)
  const spread = createSpread(backoff.jitter, backoff.waits, random)
  let attempts = 1
  let waitedUs = 0
  return {
    next(elapsedUs = waitedUs) {
      if (backoff.attempts !== undefined && attempts >= backoff.attempts) return undefined
      const stepUs = ladder.next()
      if (stepUs === undefined) return undefined
      const waitUs = spread.of(stepUs)
      if (backoff.budgetUs !== undefined && elapsedUs + waitUs > backoff.budgetUs) return undefined
      attempts += 1
      waitedUs += waitUs
      return waitUs
    },
    reset() {
      ladder.reset()
      spread.reset()
      attempts = 1
      waitedUs = 0
    },
  }
}

/** Later than any run lasts; keeps a growing wait without a cap a number one can add to. */
const LONGEST_US = 2 ** 52

/** The waits before jitter, one after the other; not rounded, so that small steps grow true. */
export interface Ladder {
  /** `undefined` once a list that ends has ended. */
  next(): number | undefined
  reset(): void
}

export function createLadder(waits: Waits, random: RandomStream): Ladder {
  let taken = 0
  return {
    next() {
      const index = taken++
      switch (waits.of) {
        case 'interval':
          return drawUs(waits.interval, random)
        case 'growing':
          return Math.min(waits.initialUs * waits.multiplier ** index, waits.maxUs ?? LONGEST_US)
        case 'list':
          return waits.delaysUs[index] ?? (waits.last === 'repeats' ? waits.delaysUs.at(-1) : undefined)
      }
    },
    reset() {
      taken = 0
    },
  }
}

/** The first wait before jitter, on average: where decorrelated waits and uniform growth begin. */
export function firstWaitUs(waits: Waits): number {
  switch (waits.of) {
    case 'interval':
      return meanUs(waits.interval)
    case 'growing':
      return waits.initialUs
    case 'list':
      return waits.delaysUs[0] ?? 0
  }
}

/** A jitter at work. It takes one value from the stream for each wait, or none where there is nothing to draw. */
export interface Spread {
  /** The wait in whole µs that becomes of one before jitter. */
  of(stepUs: number): number
  reset(): void
}

export function createSpread(jitter: Jitter, waits: Waits, random: RandomStream): Spread {
  const initialUs = firstWaitUs(waits)
  const maxUs = (waits.of === 'growing' ? waits.maxUs : undefined) ?? LONGEST_US
  const between = (lowUs: number, highUs: number) => lowUs + (highUs - lowUs) * random.nextFloat()
  let beforeUs = initialUs
  const spread = (stepUs: number): number => {
    switch (jitter.of) {
      case 'none':
        return stepUs
      case 'full':
        return between(0, stepUs)
      case 'equal':
        return between(stepUs / 2, stepUs)
      case 'decorrelated':
        return (beforeUs = Math.min(maxUs, between(initialUs, 3 * beforeUs)))
      case 'uniform-growth':
        return stepUs >= maxUs ? stepUs : between(initialUs, stepUs)
      case 'stretch':
        return stepUs * between(1 - jitter.less, 1 + jitter.more)
    }
  }
  return {
    of: (stepUs) => Math.round(Math.max(0, spread(stepUs))),
    reset() {
      beforeUs = initialUs
    },
  }
}
