/** What happens in the runs of a scenario, and how many there are: jobs, fleet, faults, horizon, seed, replications. */
import type * as z from 'zod'
import type { Distribution } from '../kernel/distribution.ts'
import type { Columns } from './columns.ts'
import type { Fleet, JobKind } from './fleet.ts'
import { MOST_UPDATES } from './job-plan.ts'
import type { MapNode, Path } from './node.ts'
import { resolveFleet, resolveTrace, type FleetInput } from './resolve-fleet.ts'
import { resolveJobs } from './resolve-jobs.ts'
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
  fleet: Fleet | undefined
}

/** Whether a scenario is about many tasks: `jobs` that are counted need no `fleet`. */
export const isFleet = (root: MapNode): boolean => root.entries.has('fleet') || root.entries.has('jobs')

/** All at once: what counted jobs without a `fleet` are. */
const TOGETHER: FleetInput = { arrivals: 'together' }

/** `undefined` after reporting what is wrong. */
export function resolveRuns(
  root: MapNode,
  read: ReadSection,
  columns: Columns,
  around: Surroundings,
): Runs | undefined {
  const { say } = around
  const fleetInput = root.entries.has('fleet') ? read('fleet') : TOGETHER
  const isOne = !isFleet(root)
  const trace = fleetInput?.trace && resolveTrace(fleetInput.trace, root, columns, say)
  // Where the trace is wrong there may be lengths all the same: what they would be is not complained of.
  const isRecorded = fleetInput?.trace?.duration !== undefined
  const recorded: Distribution | undefined = isRecorded
    ? { of: 'empirical', values: trace?.durationUs === undefined ? [0] : Array.from(trace.durationUs) }
    : undefined
  // A fleet that was complained of may have meant to bring the lengths.
  const kinds = resolveJobs(root, read, fleetInput === undefined ? 'unknown' : recorded, around)

  const [seed, replications, horizon] = [read('seed'), read('replications'), read('horizon')]
  const horizonUs = horizon === undefined ? undefined : durationUs(horizon)
  if (horizonUs === 0) say(['horizon'], 'a horizon of 0 leaves no time for the run')
  const firsts = kinds?.map(({ job }) => drawn({ job, faults: [], horizonUs }, seed ?? 0, 0).job)
  for (const [index, first] of firsts?.entries() ?? [])
    checkFirst(first, horizonUs, root.entries.has('jobs') ? ['jobs', index] : ['job'], isOne, say)

  const many =
    isOne || fleetInput === undefined || kinds === undefined || firsts === undefined
      ? undefined
      : hasNoSize(root, kinds, say)
        ? undefined
        : resolveFleet(fleetInput, { kinds, trace, horizonUs, ends: endsOf(firsts) }, around)

  const faultsInput = read('faults')
  const faults =
    faultsInput && resolveFaults(faultsInput, { ...around, noLength: noLength(isOne, firsts?.[0]) })

  const length = kinds?.[0]?.job.length
  const points = isOne && length?.of === 'grid' ? length.points : undefined
  if (points !== undefined && replications !== undefined && replications !== points) {
    say(['replications'], `the grid has ${points} points, one run each: leave replications out`)
  }
  const job = kinds?.[0]?.job
  if (job === undefined || faults === undefined || seed === undefined) return undefined
  if (!isOne && many === undefined) return undefined
  return {
    undrawn: { job, faults, horizonUs: many?.horizonUs ?? horizonUs },
    seed,
    replications: points ?? replications ?? 1,
    fleet: many?.fleet,
  }
}

/** True after reporting that shares stand alone: nothing says of how many tasks. */
function hasNoSize(root: MapNode, kinds: readonly JobKind[], say: Say): boolean {
  if (root.entries.has('fleet') || kinds.every(({ amount }) => amount.of === 'count')) return false
  say(['jobs'], 'shares of how many tasks? add fleet: { tasks: 1000, window: 1h }', true)
  return true
}

/** Why a share of the job's length is no instant; `undefined` where it is one. */
function noLength(isOne: boolean, first: Job | undefined): string | undefined {
  if (!isOne) return 'each task of a fleet has a length of its own'
  return first === undefined || first.durationUs !== undefined ? undefined : 'the job never ends'
}

function endsOf(firsts: readonly Job[]): 'never' | 'always' | 'sometimes' {
  const endless = firsts.filter(({ durationUs: us }) => us === undefined).length
  return endless === 0 ? 'always' : endless === firsts.length ? 'never' : 'sometimes'
}

/** What only shows once a job is drawn. */
function checkFirst(job: Job, horizonUs: number | undefined, path: Path, isOne: boolean, say: Say): void {
  const pieces = [job.updates, ...job.afterPauses.map(({ updates }) => updates)]
  if (pieces.some((updates) => updates.length > MOST_UPDATES)) {
    say([...path, 'updates'], `this makes more than ${MOST_UPDATES} updates: write a longer wait after every`)
  } else if (isOne && job.durationUs === undefined && horizonUs === undefined) {
    say(path, 'a job that never ends needs an end for the run: add horizon: 24h')
  }
}
