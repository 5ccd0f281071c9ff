/** What happens in the runs of a scenario, and how many there are: job, faults, horizon, seed, replications. */
import type * as z from 'zod'
import { MOST_UPDATES } from './job-plan.ts'
import type { JobMap } from './job-schema.ts'
import { checkFaultyJob, resolveJob } from './job.ts'
import { entryOf, plain, type MapNode } from './node.ts'
import { drawn, type Undrawn } from './runs.ts'
import type { Job } from './scenario.ts'
import type { ScenarioShape } from './schema.ts'
import type { Say, Surroundings } from './surroundings.ts'
import { durationUs } from './values.ts'
import { resolveFaults } from './world/faults.ts'

/** The checked value of a section; `undefined` after reporting what is wrong with it. */
export type ReadSection = <K extends keyof ScenarioShape>(key: K) => z.output<ScenarioShape[K]> | undefined

export interface Runs {
  undrawn: Undrawn
  seed: number
  replications: number
}

/** `undefined` after reporting what is wrong. */
export function resolveRuns(root: MapNode, read: ReadSection, around: Surroundings): Runs | undefined {
  const { say } = around
  const jobInput = read('job')
  const jobNode = entryOf(root, 'job')?.node
  // What only makes sense for several jobs is told by its name.
  if (jobNode === undefined && !root.entries.has('jobs')) {
    say([], 'the scenario says nothing about the job: add job: 20s')
  }
  if (jobInput === undefined && jobNode !== undefined) checkFaultyJob(plain(jobNode), around)
  const job = jobInput === undefined ? undefined : resolveJob(jobInput as z.output<typeof JobMap>, around)

  const [seed, replications, horizon] = [read('seed'), read('replications'), read('horizon')]
  const horizonUs = horizon === undefined ? undefined : durationUs(horizon)
  if (horizonUs === 0) say(['horizon'], 'a horizon of 0 leaves no time for the run')
  const first = job && drawn({ job, faults: [], horizonUs }, seed ?? 0, 0).job
  if (first !== undefined && !root.entries.has('fleet')) checkFirst(first, horizonUs, say)

  const faultsInput = read('faults')
  const jobHasLength = first === undefined || first.durationUs !== undefined
  const faults = faultsInput && resolveFaults(faultsInput, { ...around, jobHasLength })

  const points = job?.length?.of === 'grid' ? job.length.points : undefined
  if (points !== undefined && replications !== undefined && replications !== points) {
    say(['replications'], `the grid has ${points} points, one run each: leave replications out`)
  }
  if (job === undefined || faults === undefined || seed === undefined) return undefined
  return { undrawn: { job, faults, horizonUs }, seed, replications: points ?? replications ?? 1 }
}

/** What only shows once a job is drawn. */
function checkFirst(job: Job, horizonUs: number | undefined, say: Say): void {
  const pieces = [job.updates, ...job.afterPauses.map(({ updates }) => updates)]
  if (pieces.some((updates) => updates.length > MOST_UPDATES)) {
    say(['job', 'updates'], `this makes more than ${MOST_UPDATES} updates: write a longer wait after every`)
  } else if (job.durationUs === undefined && horizonUs === undefined) {
    say(['job'], 'a job that never ends needs an end for the run: add horizon: 24h')
  }
}
