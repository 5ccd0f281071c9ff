/** Many tasks: how many, when they come, what they are, and which stretch of time is counted. */
import type { Distribution } from '../kernel/distribution.ts'
import type { JobPlan } from './job-plan.ts'

/** So many tasks in all, or so many a second on average. */
export type FleetSize = { of: 'tasks'; tasks: number } | { of: 'rate'; perSecond: number }

/** When tasks begin, in order, from 0 up to, but without, `withinUs`. */
export type Arrivals =
  /** Independent of each other. With a number of tasks: that many, anywhere with the same chance. */
  | { of: 'poisson'; size: FleetSize; withinUs: number }
  /** Task i of n at i/n of the time, rounded down. */
  | { of: 'even'; tasks: number; withinUs: number }
  /** All at 0. */
  | { of: 'together'; tasks: number }
  /** As `poisson`, the rate in proportion to 24 weights, one for each hour of days that begin at 0. */
  | { of: 'daily'; size: FleetSize; withinUs: number; weights: readonly number[] }
  /** As `poisson` while busy, none while idle; begins busy. A rate is the average over both. */
  | { of: 'on-off'; size: FleetSize; withinUs: number; busy: Distribution; idle: Distribution }
  | { of: 'trace'; trace: Trace; withinUs: number }

/** Arrivals that were recorded, ascending, the first at 0. */
export interface Trace {
  file: string
  atUs: Float64Array
  /** Absent where the file does not say and the job does. Where it says so these are the lengths, task by task; the jobs' own `length` is their distribution and nothing is drawn from it. */
  durationUs?: Float64Array
  /** Numbered from 0 in the order they first appear. */
  client?: Int32Array
}

/** A kind of job among the tasks of a fleet: exactly so many of them, or a share of those that are left. */
export interface JobKind {
  name: string | undefined
  amount: { of: 'count'; count: number } | { of: 'share'; share: number }
  job: JobPlan
}

export interface Fleet {
  arrivals: Arrivals
  /** At least one. Counts take the first tasks in order; shares are drawn. */
  jobs: readonly JobKind[]
  /**
   * What is counted lies from `warmupUs` up to, but without, `warmupUs + windowUs`:
   * tasks by when they begin, with all that becomes of them later; requests,
   * posts and connections by their own instants.
   */
  warmupUs: number
  /** Infinity where all is counted: until the last task is over, at most an hour after the end of its job. */
  windowUs: number
  /** How long the run goes on after the window; `undefined`: until the tasks of the window are over, at most an hour. Never past the scenario's `horizonUs`, which is Infinity as the window is. */
  cooldownUs: number | undefined
  /**
   * The clients that share the tasks, task i being that of client i modulo their
   * number, or that of the trace where it says so; a client each where `undefined`.
   */
  clients: number | undefined
  /** Width of the bins of what is told over time. */
  binUs: number
}
