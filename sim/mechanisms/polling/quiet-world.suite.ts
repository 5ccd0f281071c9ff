import { randomStream } from '../../kernel/random.ts'
import type { PollPolicy } from '../../policies/policy.ts'
import type { QuietWorld } from '../model.ts'
import { pollingModel } from './model.ts'
import type { Polled } from './theory.ts'

/** A world without latency in which one job of this length ends. */
export const quietWorld = (
  lengthUs: number,
  more: Partial<QuietWorld> & { seed?: number } = {},
): QuietWorld => ({
  updatesUs: [lengthUs],
  endUs: lengthUs,
  upUs: 0,
  downUs: 0,
  horizonUs: Infinity,
  hintUsAt: () => undefined,
  random: (purpose) => randomStream(more.seed ?? 1, purpose),
  ...more,
})

/** What it takes to see the end of a job of this length. */
export function polled(policy: PollPolicy, lengthUs: number, seed?: number): Polled {
  const { requests, learnedUs } = pollingModel(
    policy,
    quietWorld(lengthUs, { ...(seed !== undefined && { seed }) }),
  )
  return { polls: requests.length - 1, lateUs: (learnedUs ?? NaN) - lengthUs }
}
