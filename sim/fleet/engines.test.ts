/** Wherever more than one execution applies, they count the same to the last digit. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fixed, type Distribution } from '../kernel/distribution.ts'
import type { Waits } from '../policies/backoff.ts'
import type { PollPolicy } from '../policies/policy.ts'
import type { Arrivals, Fleet } from '../scenario/fleet.ts'
import { jobOf, play } from './engines.suite.ts'
import { type Tally, tallyOf } from './tally/tally.ts'
import { fleetOfW, pollsOfW, runW } from './workloads.ts'

const S = 1_000_000

const lengths: fc.Arbitrary<Distribution | undefined> = fc.oneof(
  fc.integer({ min: 0, max: 40 * S }).map(fixed),
  fc.constantFrom<(Distribution | undefined)[]>(
    { of: 'exponential', meanUs: 20 * S },
    { of: 'uniform', fromUs: 0, toUs: 30 * S },
    { of: 'lognormal', mu: 16, sigma: 1 },
    { of: 'weibull', scaleUs: 9 * S, shape: 0.7 },
    { of: 'pareto', minUs: S, shape: 1.1, maxUs: 500 * S },
    { of: 'grid', fromUs: 0, toUs: 21 * S, points: 13 },
    undefined,
  ),
)

const arrivals: fc.Arbitrary<Arrivals> = fc.oneof(
  fc.integer({ min: 1, max: 400 }).map((tasks): Arrivals => ({
    of: 'poisson',
    size: { of: 'tasks', tasks },
    withinUs: 100 * S,
  })),
  fc.integer({ min: 1, max: 300 }).map((tasks): Arrivals => ({ of: 'even', tasks, withinUs: 60 * S })),
  fc.integer({ min: 1, max: 200 }).map((tasks): Arrivals => ({ of: 'together', tasks })),
  fc.constant<Arrivals>({ of: 'poisson', size: { of: 'rate', perSecond: 3 }, withinUs: 90 * S }),
)

const waits: fc.Arbitrary<Waits> = fc.oneof(
  fc.constantFrom(1, 2, 2.5, 7, 1.0001).map((s): Waits => ({ of: 'interval', interval: fixed(s * S) })),
  fc.constant<Waits>({ of: 'growing', initialUs: S, multiplier: 1.5, maxUs: 10 * S }),
  fc.constant<Waits>({ of: 'list', delaysUs: [S, 3 * S, 2 * S], last: 'repeats' }),
  fc.constant<Waits>({ of: 'list', delaysUs: [5 * S, S, S], last: 'ends' }),
)

const policies: fc.Arbitrary<PollPolicy> = fc
  .record({
    waits,
    first: fc.constantFrom('now' as const, 'after' as const, fixed(4 * S)),
    waitFrom: fc.constantFrom('response' as const, 'request' as const),
    attempts: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined, freq: 2 }),
    budgetUs: fc.option(fc.integer({ min: 0, max: 60 * S }), { nil: undefined, freq: 2 }),
    lastLookUs: fc.option(fc.integer({ min: 0, max: 5 * S }), { nil: undefined }),
  })
  .map((drawn) => ({
    ...pollsOfW(),
    ...drawn,
    lastLookUs: drawn.budgetUs === undefined ? undefined : drawn.lastLookUs,
  }))

const plays = fc.record({
  fleet: fc
    .record({
      arrivals,
      length: lengths,
      other: fc.option(lengths, { nil: undefined }),
      evenly: fc.constantFrom(0, 0, 1, 3),
      warmupUs: fc.constantFrom(0, 20 * S, 33_333_333),
      windowUs: fc.constantFrom(200 * S, 50 * S, 77_777_777),
      binUs: fc.constantFrom(S, 500_000, 10 * S),
    })
    .map(({ arrivals: come, length, other, evenly, ...rest }): Fleet => ({
      ...rest,
      arrivals: come,
      jobs: [
        { name: 'one', amount: { of: 'share', share: 0.7 }, job: jobOf(length, evenly) },
        ...(other === undefined
          ? []
          : [{ name: 'two', amount: { of: 'share' as const, share: 0.3 }, job: jobOf(other) }]),
      ],
      cooldownUs: 0,
      clients: undefined,
    })),
  policy: policies,
  seed: fc.nat({ max: 1e6 }),
  upUs: fc.constantFrom(0, 50_000, 300_000),
  downUs: fc.constantFrom(0, 20_000),
  cooldownUs: fc.constantFrom(0, 30 * S, 3600 * S),
})

/** Everything that is counted, for people. */
function told(tally: Tally | undefined) {
  if (tally === undefined) return undefined
  const { rows, load, live, inFlight, late, sums } = tally.toData()
  return {
    rows: Object.fromEntries(tally.shape.rows.map((name, row) => [name, rows[row]])),
    sums: [...sums.low],
    load: [...load.bins],
    live: [...live.changes],
    inFlight: [...inFlight.changes],
    held: [tally.live.timeUs(), tally.inFlight.timeUs()],
    late: { ...late, exact: late.exact && [...late.exact.small].toSorted((a, b) => a - b) },
    reasons: tally.reasonCounts(),
    checksum: tally.checksum(),
  }
}

describe('sweep, lanes and wheel', () => {
  test('count the same whatever is played', () => {
    let lanes = 0
    const property = fc.property(plays, ({ fleet, cooldownUs, ...rest }) => {
      const horizonUs = fleet.warmupUs + fleet.windowUs + cooldownUs
      const sweep = told(play('sweep', { fleet, ...rest, horizonUs }))
      if (sweep === undefined) return
      expect(told(play('wheel', { fleet, ...rest, horizonUs }))).toEqual(sweep)
      const byLanes = told(play('lanes', { fleet, ...rest, horizonUs }))
      if (byLanes === undefined) return
      lanes += 1
      expect(byLanes).toEqual(sweep)
    })
    fc.assert(property, { seed: 1, numRuns: 300 })
    expect(lanes).toBeGreaterThan(200)
  })

  test('do not care in which order blocks are taken, nor in how many parts', () => {
    const fleet = fleetOfW(3000, { withinUs: 300 * S })
    const order = Array.from({ length: 64 }, (_, index) => (index * 37) % 64)
    const policy = pollsOfW()
    for (const engine of ['sweep', 'lanes', 'wheel'] as const) {
      const whole = play(engine, { fleet, policy })
      expect(play(engine, { fleet, policy, blocks: order })?.checksum()).toBe(whole?.checksum())
      const merged = tallyOf((play(engine, { fleet, policy, blocks: order.slice(0, 40) }) as Tally).toData())
      merged.merge((play(engine, { fleet, policy, blocks: order.slice(40) }) as Tally).toData())
      expect(told(merged)).toEqual(told(whole))
    }
  })

  test('agree on workload W', () => {
    const of = (engine: 'sweep' | 'lanes' | 'wheel') => runW(engine, { tasks: 20_000 }).checksum()
    expect(of('lanes')).toBe(of('sweep'))
    expect(of('wheel')).toBe(of('sweep'))
  })
})

describe('what holds for every run', () => {
  test('lateness and lengths together are the interval times the polls, exactly', () => {
    const property = fc.property(
      lengths.filter((length) => length !== undefined && length.of !== 'pareto'),
      fc.integer({ min: 100_000, max: 9 * S }),
      fc.nat({ max: 1e6 }),
      (length, intervalUs, seed) => {
        const fleet = { ...fleetOfW(500, { withinUs: 60 * S }), windowUs: 1e6 * S, binUs: 1000 * S }
        const jobs = [{ ...(fleet.jobs[0] as (typeof fleet.jobs)[0]), job: jobOf(length) }]
        const tally = play('sweep', {
          fleet: { ...fleet, jobs },
          policy: pollsOfW(intervalUs),
          seed,
        }) as Tally
        expect(tally.totalOf('learned')).toBe(500n)
        expect(tally.totalOf('lateUs') + tally.totalOf('lengthUs')).toBe(
          BigInt(intervalUs) * tally.totalOf('polls'),
        )
      },
    )
    fc.assert(property, { seed: 1, numRuns: 50 })
  })

  test('the time held in all is that of the single ones (Little)', () => {
    const fleet = fleetOfW(2000, { withinUs: 300 * S })
    const tally = play('wheel', { fleet, policy: pollsOfW(), upUs: 40_000, downUs: 60_000 }) as Tally
    const requests = BigInt(tally.load.total)
    expect(tally.inFlight.timeUs()).toBe(100_000n * requests)
    // From the send to what was learned: the way up, the length, and how late it was.
    expect(tally.live.timeUs()).toBe(
      40_000n * tally.totalOf('tasks') + tally.totalOf('lengthUs') + tally.totalOf('lateUs'),
    )
  })

  test('ten times as slow is the same, ten times as slow', () => {
    const of = (factor: number) => {
      const fleet: Fleet = {
        ...fleetOfW(1, {}),
        arrivals: { of: 'even', tasks: 500, withinUs: factor * 100 * S },
        jobs: [{ name: 'job', amount: { of: 'share', share: 1 }, job: jobOf(fixed(factor * 17 * S)) }],
        windowUs: factor * 400 * S,
        binUs: factor * S,
      }
      const delays = { upUs: factor * 50_000, downUs: factor * 70_000 }
      return play('wheel', { fleet, policy: pollsOfW(factor * 3 * S), ...delays }) as Tally
    }
    const [one, ten] = [of(1), of(10)]
    expect(ten.totalOf('lateUs')).toBe(10n * one.totalOf('lateUs'))
    expect(ten.load.counts()).toEqual(one.load.counts())
    expect(ten.live.levels()).toEqual(one.live.levels())
    expect(ten.inFlight.timeUs()).toBe(10n * one.inFlight.timeUs())
  })

  test('later is the same, later', () => {
    const of = (laterUs: number) => {
      const atUs = Float64Array.from({ length: 300 }, (_, index) => laterUs + index * 123_457)
      const fleet: Fleet = {
        ...fleetOfW(1, {}),
        arrivals: { of: 'trace', trace: { file: 'none', atUs }, withinUs: Infinity },
        warmupUs: laterUs,
        windowUs: 500 * S,
      }
      return play('sweep', { fleet, policy: pollsOfW(), upUs: 1000, downUs: 1000 }) as Tally
    }
    expect(of(987_654_321).checksum()).toBe(of(0).checksum())
  })
})
