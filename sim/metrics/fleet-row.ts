/**
 * One row about many tasks: what one mechanism cost a fleet, and how late it
 * was. A stable result format, as row.ts is; fields are only ever added.
 */

import type { Row } from './row.ts'

/**
 * A number with the half width of its 95 % confidence interval; `null` where
 * none can be given: of what is exact, and of a peak that was seen once.
 */
export interface Estimate {
  value: number
  plusMinus: number | null
}

/** How tasks were computed: without any event list, by rings of constant delays, on the sorted wheel, or by the processes of the replay without a wire. */
export type ExecutionName = 'sweep' | 'lanes' | 'wheel' | 'lean'

export interface Execution {
  /** For mixes: the share of tasks, 1 for all. */
  share: number
  policy: string
  name: ExecutionName
  /** Why it is exact here, for people. */
  why: string
}

/** What is told over time: bins of equal width from the beginning of the window on. */
export interface OverTime {
  mean: Estimate
  /** The most at any instant, or of requests in any bin, per second. */
  peak: Estimate
  /** One number a bin: of requests their rate, of all else the value at its beginning. */
  series: readonly number[]
}

/** In ms, over the tasks that learned. Those that never did lie beyond all others: a quantile they reach is `null`. */
export interface Spread {
  mean: Estimate
  p50: Estimate | null
  p90: Estimate | null
  p95: Estimate | null
  p99: Estimate | null
  p999: Estimate | null
  max: number | null
  /** Whether quantiles are exact; if not they are within 1/2048 either way. */
  exact: boolean
}

/**
 * What a row counts of requests and posts: each as in the row of one task, and
 * `rejected`, the requests turned away for want of room.
 */
export const FLEET_COUNTS = [
  'requests',
  'polls',
  'emptyPolls',
  'webhookPosts',
  'streamEvents',
  'heartbeats',
  'retries',
  'reconnects',
  'cuts',
  'notModified',
  'slowDowns',
  'throttled',
  'rejected',
  'removed',
] as const
export type FleetCount = (typeof FLEET_COUNTS)[number]

export interface FleetRow extends Record<FleetCount, number> {
  mechanism: string
  /** The policy word; of a mix those of its parts with their shares. */
  policy: string
  executions: readonly Execution[]
  /** Runs with seeds of their own that the numbers are means of. */
  replications: number
  /** Begun in the window. */
  tasks: number
  outcomes: { learned: number; notLearned: number; failed: number; unfinished: number }
  /** Why some did not learn, each reason once. */
  reasons: readonly { reason: string; tasks: number }[]
  updates: Row['updates']
  /** HTTP/1.1 octets; `null` if messages were not measured. */
  octets: { total: number; up: number; down: number; head: number; body: number } | null
  load: OverTime
  requestsInFlight: OverTime
  connectionsOpen: OverTime
  connections: { opened: number; seconds: number }
  timeToLearnMs: Spread | null
  /** From a request's arrival at the agent until a handler takes it; `null` without handlers. */
  waitingMs: { mean: Estimate; p95: Estimate | null; max: number } | null
  /** Set where the load has no steady state: what is asked of the handlers, over what they can do. */
  overload: { load: number } | null
  binMs: number
  /** Over every accumulator: equal for equal results, whatever computed them. */
  checksum: string
}
