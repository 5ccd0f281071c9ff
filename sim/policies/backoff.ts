/** Growing waits between attempts, as data: what polls, reconnects and webhook retries share. */
import type { Distribution } from '../kernel/distribution.ts'

/** The waits before jitter. */
export type Waits =
  | { of: 'interval'; interval: Distribution }
  | { of: 'growing'; initialUs: number; multiplier: number; maxUs: number | undefined }
  /** One after the other; afterwards the last again and again, or no more. */
  | { of: 'list'; delaysUs: readonly number[]; then: 'repeat' | 'end' }

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
