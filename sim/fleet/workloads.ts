/** The two workloads that speed is measured on, as fleets. */
import { fixed } from '../kernel/distribution.ts'
import { US_PER_SECOND } from '../kernel/units.ts'
import type { PollPolicy } from '../policies/policy.ts'
import type { Fleet } from '../scenario/fleet.ts'
import { BLOCKS } from './blocks.ts'
import { planFleet, type FleetPlan } from './plan.ts'
import { pollRows, type PollRows } from './poll-rows.ts'
import { type FixedSchedule, fixedSchedule } from './schedule.ts'
import { playLanes } from './lanes/lanes.ts'
import { sweepClosed } from './sweep/closed.ts'
import { Tally } from './tally/tally.ts'
import { playWheel } from './wheel/polls.ts'

const INTERVAL_US = 7 * US_PER_SECOND
const SPREAD_US = 3600 * US_PER_SECOND
const MEAN_US = 20 * US_PER_SECOND
/** Later than any of these tasks ends. */
const HORIZON_US = 2 * SPREAD_US

/** Poisson arrivals over an hour, lengths exponential with a mean of 20 s. */
export function fleetOfW(tasks: number, { withinUs = SPREAD_US, meanUs = MEAN_US } = {}): Fleet {
  return {
    arrivals: { of: 'poisson', size: { of: 'tasks', tasks }, withinUs },
    jobs: [
      {
        name: 'job',
        amount: { of: 'share', share: 1 },
        job: {
          message: undefined,
          pollHintUs: undefined,
          length: { of: 'exponential', meanUs },
          updates: [],
          evenly: 0,
          result: [],
          outcome: 'completed',
        },
      },
    ],
    warmupUs: 0,
    windowUs: Math.max(HORIZON_US, 2 * withinUs),
    cooldownUs: 0,
    clients: undefined,
    binUs: US_PER_SECOND,
  }
}

/** Polls at a fixed interval, the first one interval after the reply to the send. */
export const pollsOfW = (intervalUs = INTERVAL_US): PollPolicy => ({
  kind: 'poll',
  waits: { of: 'interval', interval: { of: 'fixed', us: intervalUs } },
  jitter: { of: 'none' },
  first: 'after',
  waitFrom: 'response',
  minUs: undefined,
  maxUs: undefined,
  attempts: undefined,
  budgetUs: undefined,
  lastLookUs: undefined,
  hint: 'ignore',
  margin: 1,
  retryAfter: 'honour',
  slowDown: 'ignore',
  on429: 'next',
  onError: 'next',
  adapt: undefined,
  conditional: false,
  hold: undefined,
  timeoutUs: undefined,
  scope: 'task',
  concurrency: undefined,
  batch: undefined,
})

interface Prepared {
  plan: FleetPlan
  tally: Tally
  rows: PollRows
  horizonUs: number
}

function prepare(fleet: Fleet, seed: number, live: boolean): Prepared {
  const horizonUs = fleet.warmupUs + fleet.windowUs
  const rows = pollRows(fleet.jobs)
  const tally = new Tally({
    frame: { fromUs: fleet.warmupUs, toUs: horizonUs, binUs: fleet.binUs },
    rows: rows.names,
    wanted: { live, inFlight: false },
  })
  return { plan: planFleet(fleet, seed), tally, rows, horizonUs }
}

/** What W polls in: no latency, no limits. */
export function scheduleOfW(intervalUs = INTERVAL_US, horizonUs = HORIZON_US): FixedSchedule {
  const schedule = fixedSchedule(pollsOfW(intervalUs), {
    upUs: 0,
    downUs: 0,
    asksAt: () => ({ hintUs: undefined, retryAfterUs: undefined }),
    asksSettleUs: 0,
    hasUpdates: false,
    horizonUs,
  })
  if (schedule === undefined) throw new Error('a fixed interval is a fixed schedule')
  return schedule
}

export interface WorkloadW {
  tasks: number
  seed?: number
  withinUs?: number
  meanUs?: number
  intervalUs?: number
}

/** Requests by second, lateness, live tasks by second. */
export function runW(
  engine: 'sweep' | 'lanes' | 'wheel',
  { tasks, seed = 1, withinUs, meanUs, intervalUs = INTERVAL_US }: WorkloadW,
): Tally {
  const fleet = fleetOfW(tasks, { ...(withinUs && { withinUs }), ...(meanUs && { meanUs }) })
  const { plan, tally, rows, horizonUs } = prepare(fleet, seed, true)
  const blocks = { fromBlock: 0, toBlock: BLOCKS }
  if (engine === 'wheel') {
    playWheel(plan, blocks, { ...QUIET, policy: pollsOfW(intervalUs), horizonUs, rows }, tally)
    return tally
  }
  const schedule = scheduleOfW(intervalUs, horizonUs)
  const play = engine === 'sweep' ? sweepClosed : playLanes
  play(plan, blocks, { schedule, upUs: 0, downUs: 0, horizonUs, rows }, tally)
  return tally
}

const QUIET = { up: fixed(0), down: fixed(0), capacity: undefined, quotas: [], sendsWait: false }

/** As many handlers as 3.34 polls a job keep busy for 70 % of the time. */
export const handlersOfQ = (tasks: number, withinUs = SPREAD_US): number =>
  Math.max(1, Math.round(((tasks / withinUs) * 3.34 * SERVICE_US) / 0.7))

const SERVICE_US = 5_000

/** W with 20 to 80 ms each way, and for polls one server with handlers of 5 ms (exponential) and a line. */
export function runQ({ tasks, seed = 1, withinUs, meanUs, intervalUs = INTERVAL_US }: WorkloadW): Tally {
  const fleet = fleetOfW(tasks, { ...(withinUs && { withinUs }), ...(meanUs && { meanUs }) })
  const { plan, tally, rows, horizonUs } = prepare(fleet, seed, true)
  const latency = { of: 'uniform', fromUs: 20_000, toUs: 80_000 } as const
  const capacity = {
    handlers: handlersOfQ(tasks, withinUs),
    service: [{ operations: ['poll'], time: { of: 'exponential', meanUs: SERVICE_US } as const }],
    queue: undefined,
    full: { answer: 503, retryAfterUs: undefined } as const,
  }
  const polling = {
    ...QUIET,
    up: latency,
    down: latency,
    capacity,
    policy: pollsOfW(intervalUs),
    horizonUs,
    rows,
  }
  playWheel(plan, { fromBlock: 0, toBlock: BLOCKS }, polling, tally)
  return tally
}
