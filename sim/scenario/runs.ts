/** The runs of a scenario: the same world but for its chances. */
import { randomStream } from '../kernel/random.ts'
import { parseDuration } from '../kernel/units.ts'
import { drawJob, type JobPlan } from './job-plan.ts'
import type { Scenario } from './scenario.ts'
import { timedFaults, type FaultPlan } from './world/faults.ts'

/** What each run draws anew, before it is drawn. */
export interface Undrawn {
  job: JobPlan
  /** Their instants may be shares of the job's length. */
  faults: readonly FaultPlan[]
  /** As the scenario says; `undefined` for an hour after the end of each run's job. */
  horizonUs: number | undefined
}

/** How long a run goes on after the end of the job, if the scenario does not say. */
const AFTER_THE_END_US = parseDuration('1h') as number

/**
 * The scenario of one run: its own seed, a job of its own where that is left to
 * chance, and the point that is its turn where the length is a grid.
 *
 * @param index from 0; run 0 is the scenario itself
 */
export function runOf(scenario: Scenario, index: number): Scenario {
  const seed = scenario.seed + index
  const { undrawn } = scenario
  return undrawn === undefined ? { ...scenario, seed } : { ...scenario, seed, ...drawn(undrawn, seed, index) }
}

/** What chance makes of a run. */
export function drawn(
  { job: plan, faults, horizonUs }: Undrawn,
  seed: number,
  run: number,
): Pick<Scenario, 'job' | 'faults' | 'horizonUs'> {
  const job = drawJob(plan, { random: randomStream(seed, 'job'), run, horizonUs: horizonUs ?? Infinity })
  return {
    job,
    faults: timedFaults(faults, job.durationUs),
    // A job that never ends comes with a horizon: nothing else would end its run.
    horizonUs: horizonUs ?? (job.durationUs ?? 0) + AFTER_THE_END_US,
  }
}
