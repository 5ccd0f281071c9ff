/** Plays fleets of polls by each execution, for tests. */
import { fixed, type Distribution } from '../kernel/distribution.ts'
import type { PollPolicy } from '../policies/policy.ts'
import type { Fleet } from '../scenario/fleet.ts'
import type { JobPlan } from '../scenario/job-plan.ts'
import { BLOCKS } from './blocks.ts'
import { fitsLanes, playLanes } from './lanes/lanes.ts'
import { planFleet } from './plan.ts'
import { pollRows } from './poll-rows.ts'
import { fixedSchedule } from './schedule.ts'
import { sweepClosed } from './sweep/closed.ts'
import { Tally } from './tally/tally.ts'
import { playWheel, type WheelPolling } from './wheel/polls.ts'

export type Engine = 'sweep' | 'lanes' | 'wheel'

export const jobOf = (length: Distribution | undefined, evenly = 0): JobPlan => ({
  message: undefined,
  pollHintUs: undefined,
  length,
  updates: [],
  evenly,
  result: [],
  outcome: 'completed',
})

export interface Play {
  fleet: Fleet
  policy: PollPolicy
  seed?: number
  upUs?: number
  downUs?: number
  horizonUs?: number
  blocks?: readonly number[]
}

/** What was counted; `undefined` if the execution cannot play it. */
export function play(
  engine: Engine,
  { fleet, policy, seed = 1, upUs = 0, downUs = 0, ...more }: Play,
): Tally | undefined {
  const { horizonUs = fleet.warmupUs + fleet.windowUs, blocks = [0] } = more
  const rows = pollRows(fleet.jobs)
  const tally = tallyFor(fleet)
  const plan = planFleet(fleet, seed)
  // Each as a part of its own, or all together.
  const parts =
    more.blocks === undefined
      ? [{ fromBlock: 0, toBlock: BLOCKS }]
      : blocks.map((block) => ({ fromBlock: block, toBlock: block + 1 }))
  if (engine === 'wheel') {
    const polling = { ...QUIET, policy, up: fixed(upUs), down: fixed(downUs), horizonUs, rows }
    for (const part of parts) playWheel(plan, part, polling, tally)
    return tally
  }
  const schedule = fixedSchedule(policy, {
    upUs,
    downUs,
    asksAt: () => ({ hintUs: undefined, retryAfterUs: undefined }),
    asksSettleUs: 0,
    hasUpdates: fleet.jobs.some(({ job }) => job.evenly > 0),
    horizonUs,
  })
  if (schedule === undefined || (engine === 'lanes' && !fitsLanes(schedule))) return undefined
  const polling = { schedule, upUs, downUs, horizonUs, rows }
  for (const part of parts) (engine === 'lanes' ? playLanes : sweepClosed)(plan, part, polling, tally)
  return tally
}

/** Plays on the wheel what is left to chance or shared. */
export function playChance(
  fleet: Fleet,
  polling: Partial<WheelPolling> & Pick<WheelPolling, 'policy'>,
  seed = 1,
): Tally {
  const tally = tallyFor(fleet)
  const horizonUs = fleet.warmupUs + fleet.windowUs
  const world = { ...QUIET, horizonUs, rows: pollRows(fleet.jobs), ...polling }
  playWheel(planFleet(fleet, seed), { fromBlock: 0, toBlock: BLOCKS }, world, tally)
  return tally
}

const QUIET = { up: fixed(0), down: fixed(0), capacity: undefined, quotas: [], sendsWait: false }

const tallyFor = (fleet: Fleet): Tally =>
  new Tally({
    frame: { fromUs: fleet.warmupUs, toUs: fleet.warmupUs + fleet.windowUs, binUs: fleet.binUs },
    rows: pollRows(fleet.jobs).names,
    wanted: { live: true, inFlight: true },
  })
