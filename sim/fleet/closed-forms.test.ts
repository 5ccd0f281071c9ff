/** What is simulated comes out as the books say: within four standard errors where chance is at work. */
import { describe, expect, test } from 'vitest'
import { fixed, type Distribution, weibullOfMean, lognormalOfMean, meanUs } from '../kernel/distribution.ts'
import { entityStream } from '../kernel/entity-random.ts'
import { pollingModel } from '../mechanisms/polling/model.ts'
import type { PollPolicy } from '../policies/policy.ts'
import type { Fleet } from '../scenario/fleet.ts'
import { BLOCKS, entityOf } from './blocks.ts'
import { createBatch } from './batch.ts'
import { jobOf, play, playChance } from './engines.suite.ts'
import { blockTasks, planFleet } from './plan.ts'
import type { Tally } from './tally/tally.ts'
import { fleetOfW, pollsOfW } from './workloads.ts'

const S = 1_000_000
const TASKS = 64_000
const MU = 20 * S

const fleetWith = (length: Distribution, tasks = TASKS): Fleet => ({
  ...fleetOfW(tasks),
  jobs: [{ name: 'job', amount: { of: 'share', share: 1 }, job: jobOf(length) }],
})
const exponential = fleetWith({ of: 'exponential', meanUs: MU })

/** Means over tasks of polls and lateness, with standard errors from the means of the blocks. */
function means(tally: Tally) {
  const of = (sum: 'polls' | 'lateUs', per: number) => {
    const batches = Array.from({ length: BLOCKS }, (_, block) => {
      const tasks = Number(tally.sumOf('learned', block))
      return { tasks, mean: Number(tally.sumOf(sum, block)) / tasks / per }
    })
    const all = batches.reduce((total, { tasks }) => total + tasks, 0)
    const mean = batches.reduce((total, batch) => total + batch.mean * batch.tasks, 0) / all
    const variance = batches.reduce((total, batch) => total + (batch.mean - mean) ** 2, 0) / (BLOCKS - 1)
    return { mean, error: Math.sqrt(variance / BLOCKS) }
  }
  return { polls: of('polls', 1), late: of('lateUs', S) }
}

function expectNear({ mean, error }: { mean: number; error: number }, theory: number): void {
  expect(Math.abs(mean - theory) / error, `${mean} ± ${error}, not ${theory}`).toBeLessThan(4)
}

const polled = (policy: Partial<PollPolicy>, fleet = exponential, more: object = {}): Tally =>
  playChance(fleet, { policy: { ...pollsOfW(), ...policy }, ...more })

describe('polls at a fixed interval', () => {
  test.each<[string, Distribution, number, number]>([
    ['exponential', { of: 'exponential', meanUs: MU }, 3.38625015, 3.70375104],
    ['uniform', { of: 'uniform', fromUs: 0, toUs: 40 * S }, 3.375, 3.625],
    ['log-normal', lognormalOfMean(MU, 1), 3.35828564, 3.50799945],
    ['Weibull', weibullOfMean(MU, 2), 3.35714286, 3.5],
  ])('%s lengths', (_name, length, polls, late) => {
    const { polls: made, late: lateness } = means(
      play('sweep', { fleet: fleetWith(length), policy: pollsOfW() }) as Tally,
    )
    expectNear(made, polls)
    expectNear(lateness, late)
  })

  test('quantiles of lateness after exponential lengths', () => {
    const { late } = play('sweep', { fleet: exponential, policy: pollsOfW() }) as Tally
    for (const [share, us] of [
      [0.5, 3.8046995],
      [0.95, 6.70248616],
      [0.99, 6.94085024],
    ] as const) {
      // The density is about 1/7 s.
      const error = 7 * Math.sqrt((share * (1 - share)) / TASKS)
      expect(Math.abs((late.quantile(share) ?? NaN) / S - us)).toBeLessThan(4 * error)
    }
  })

  test('a round trip stretches the interval', () => {
    const latency = { up: fixed(50_000), down: fixed(50_000) }
    const { polls, late } = means(polled({}, exponential, latency))
    // The first poll leaves an interval after the reply: a way up later than the books have it.
    const cycle = 7.1
    const q = Math.exp(-cycle / 20)
    const made = 1 / (1 - q)
    expectNear(polls, made)
    expectNear(late, cycle * made - 20 + 0.05)
  })
})

describe('polls left to chance', () => {
  test('full jitter on growing waits', () => {
    const waits = { of: 'growing', initialUs: S, multiplier: 2, maxUs: 30 * S } as const
    const { polls, late } = means(polled({ waits, jitter: { of: 'full' } }))
    expectNear(polls, 5.4283798)
    expectNear(late, 7.09497861)
  })

  test('growing waits without jitter', () => {
    const waits = { of: 'growing', initialUs: S, multiplier: 2, maxUs: 30 * S } as const
    const { polls, late } = means(
      play('sweep', { fleet: exponential, policy: { ...pollsOfW(), waits } }) as Tally,
    )
    expectNear(polls, 4.26220123)
    expectNear(late, 7.73693579)
  })

  test('a random interval, by its distribution and by stretching', () => {
    const interval = { of: 'uniform', fromUs: 5 * S, toUs: 9 * S } as const
    const drawnOnes = means(polled({ waits: { of: 'interval', interval } }))
    const stretched = means(polled({ jitter: { of: 'stretch', less: 2 / 7, more: 2 / 7 } }))
    for (const { polls, late } of [drawnOnes, stretched]) {
      expectNear(polls, 3.39977811)
      expectNear(late, 3.79844679)
    }
  })

  test('a random phase', () => {
    const { polls, late } = means(polled({ first: 'random' }))
    expectNear(polls, 3.85714286)
    expectNear(late, 3.5)
  })

  test('each task polls as the schedule would with its own chances', () => {
    const seed = 5
    const fleet = fleetWith({ of: 'exponential', meanUs: MU }, 600)
    const waits = { of: 'growing', initialUs: S, multiplier: 1.5, maxUs: 9 * S } as const
    const policies: Partial<PollPolicy>[] = [
      { jitter: { of: 'equal' }, first: 'random' },
      { waits, jitter: { of: 'full' }, first: { of: 'uniform', fromUs: 0, toUs: 3 * S } },
      {
        waits,
        jitter: { of: 'stretch', less: 0.1, more: 0.5 },
        first: 'now',
        waitFrom: 'request',
        margin: 1.2,
      },
      {
        waits: { of: 'interval', interval: { of: 'lognormal', mu: 15, sigma: 1 } },
        jitter: { of: 'full' },
        budgetUs: 40 * S,
        lastLookUs: S,
        minUs: 200_000,
        maxUs: 8 * S,
      },
      { waits: { of: 'list', delaysUs: [S, 5 * S], last: 'ends' }, jitter: { of: 'full' }, attempts: 3 },
    ]
    const random = entityStream(seed, 'polling')
    for (const some of policies) {
      const policy = { ...pollsOfW(), ...some }
      const tally = playChance(fleet, { policy, up: fixed(30_000), down: fixed(50_000) }, seed)
      let [polls, late, learned] = [0, 0, 0]
      const plan = planFleet(fleet, seed)
      const batch = createBatch()
      for (let block = 0; block < BLOCKS; block++) {
        const tasks = blockTasks(plan, block)
        while (tasks.next(batch))
          for (let i = 0; i < batch.count; i++) {
            const endUs = batch.lengthUs[i] as number
            const { requests, learnedUs } = pollingModel(policy, {
              updatesUs: [endUs],
              endUs,
              upUs: 30_000,
              downUs: 50_000,
              horizonUs: 3600 * S,
              hintUsAt: () => undefined,
              random: () => random.streamOf(entityOf(block, batch.index + i)),
            })
            polls += requests.length - 1
            if (learnedUs === undefined) continue
            learned += 1
            late += learnedUs - endUs - 30_000
          }
      }
      expect([tally.totalOf('polls'), tally.totalOf('learned'), tally.totalOf('lateUs')]).toEqual(
        [polls, learned, late].map(BigInt),
      )
    }
  })
})

describe('a shared agent', () => {
  const SERVICE = 10_000

  /** One poll a task, at once: a Poisson process of requests. */
  function waitsOf(load: number, handlers: number, time: Distribution, seed: number): Tally {
    const requests = 40_000
    const fleet: Fleet = {
      ...fleetWith(fixed(0), requests),
      arrivals: {
        of: 'poisson',
        size: { of: 'rate', perSecond: (load * handlers * S) / meanUs(time) },
        withinUs: (requests * meanUs(time)) / (load * handlers),
      },
      windowUs: (requests * meanUs(time)) / (load * handlers),
    }
    const capacity = {
      handlers,
      service: [{ operations: undefined, time }],
      queue: undefined,
      full: { answer: 503, retryAfterUs: undefined } as const,
    }
    return playChance(fleet, { policy: { ...pollsOfW(), first: 'now' }, capacity }, seed)
  }

  /** Chance to wait: B by its recursion, C of it. */
  function erlangC(offered: number, handlers: number): number {
    let blocked = 1
    for (let k = 1; k <= handlers; k++) blocked = (offered * blocked) / (k + offered * blocked)
    const rho = offered / handlers
    return blocked / (1 - rho * (1 - blocked))
  }

  /** Waiting time over service time, of constant services: the chain N -> (N - c)+ + Poisson(a). */
  function constantWait(offered: number, handlers: number): number {
    const most = handlers + 400
    const arrivals = [Math.exp(-offered)]
    for (let n = 1; n < most; n++) arrivals.push(((arrivals[n - 1] ?? 0) * offered) / n)
    let state = arrivals.slice()
    for (let round = 0; round < 2000; round++) {
      const next = Array.from({ length: most }, () => 0)
      for (let n = 0; n < most; n++) {
        const chance = state[n] ?? 0
        if (chance < 1e-14) continue
        const left = Math.max(0, n - handlers)
        for (let more = 0; more + left < most && more < 120; more++)
          next[left + more] = (next[left + more] ?? 0) + chance * (arrivals[more] ?? 0)
      }
      const change = next.reduce((sum, chance, n) => sum + Math.abs(chance - (state[n] ?? 0)), 0)
      state = next
      if (change < 1e-11) break
    }
    return state.reduce((sum, chance, n) => sum + chance * Math.max(0, n - handlers), 0) / offered
  }

  /** Mean wait in service times over runs with other seeds, as waits within one depend on each other. */
  function measured(load: number, handlers: number, time: Distribution) {
    const runs = Array.from({ length: 20 }, (_, run) => {
      const tally = waitsOf(load, handlers, time, 1 + run)
      return Number(tally.waited.valueOf(0)) / tally.waits.count / SERVICE
    })
    const mean = runs.reduce((sum, value) => sum + value) / runs.length
    const variance = runs.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (runs.length - 1)
    return { mean, error: Math.sqrt(variance / runs.length) }
  }

  test.each([
    [0.5, 1],
    [0.7, 1],
    [0.8, 10],
  ])(
    'polls alone keep it busy for %f with %i handlers: exponential and constant services',
    (load, handlers) => {
      const offered = load * handlers
      expectNear(
        measured(load, handlers, { of: 'exponential', meanUs: SERVICE }),
        erlangC(offered, handlers) / (handlers - offered),
      )
      expectNear(measured(load, handlers, fixed(SERVICE)), constantWait(offered, handlers))
    },
  )

  test('whoever finds the line full is turned away, and tries again as its policy says', () => {
    const fleet: Fleet = { ...fleetWith(fixed(0)), arrivals: { of: 'together', tasks: 10 } }
    const capacity = {
      handlers: 1,
      service: [{ operations: ['poll'], time: fixed(S) }],
      queue: 4,
      full: { answer: 503, retryAfterUs: 2 * S } as const,
    }
    const first = { policy: { ...pollsOfW(), first: 'now' as const }, capacity }
    // One in service and four in line; after 2 s two are done, so two of five find room, and so on.
    const tally = playChance(fleet, first)
    const [, , end, , refused] = tally.rows
    expect([end, refused]).toEqual([10, 5 + 3 + 1])
    expect(tally.totalOf('learned')).toBe(10n)
    expect(tally.late.most).toBe(10 * S)
    const failing = playChance(fleet, { ...first, policy: { ...first.policy, onError: 'fail' } })
    expect([failing.totalOf('learned'), failing.totalOf('failed')]).toEqual([5n, 5n])
    expect(failing.reasonCounts()).toEqual([['the agent answered 503', 5]])
  })

  test('a quota lets its burst through, and then so many a second', () => {
    const fleet: Fleet = { ...fleetWith(fixed(0)), arrivals: { of: 'together', tasks: 30 } }
    const quotas = [{ perSecond: 2, burst: 40, per: 'all' as const, retryAfterUs: S }]
    const tally = playChance(fleet, { policy: { ...pollsOfW(), first: 'now' }, quotas })
    // 30 sends and 10 polls at once; each second two more.
    expect(tally.late.quantile(1 / 3)).toBe(0)
    expect(tally.late.most).toBe(10 * S)
    // 20 at once, 18 a second later, and so on.
    expect(tally.rows[3]).toBe(110)
  })
})

test('chance is drawn by purpose: what polls do does not change the jobs', () => {
  expect(polled({ jitter: { of: 'full' } }).totalOf('lengthUs')).toBe(
    (play('sweep', { fleet: exponential, policy: pollsOfW() }) as Tally).totalOf('lengthUs'),
  )
})
