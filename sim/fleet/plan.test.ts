import { describe, expect, test } from 'vitest'
import { fixed, type Distribution } from '../kernel/distribution.ts'
import type { Arrivals, Fleet, JobKind } from '../scenario/fleet.ts'
import { createBatch } from './batch.ts'
import { BLOCKS } from './blocks.ts'
import { jobOf } from './engines.suite.ts'
import { blockTasks, planFleet } from './plan.ts'

const S = 1_000_000
const HOUR = 3600 * S

const kindOf = (length: Distribution | undefined, amount: JobKind['amount']): JobKind => ({
  name: undefined,
  amount,
  job: jobOf(length),
})
const ALL = { of: 'share', share: 1 } as const

const fleetOf = (arrivals: Arrivals, jobs: readonly JobKind[] = [kindOf(fixed(S), ALL)]): Fleet => ({
  arrivals,
  jobs,
  warmupUs: 0,
  windowUs: HOUR,
  cooldownUs: 0,
  clients: undefined,
  binUs: S,
})

interface Drawn {
  atUs: number[]
  lengthUs: number[]
  kind: number[]
}

function drawn(fleet: Fleet, seed = 1, order = Array.from({ length: BLOCKS }, (_, block) => block)): Drawn {
  const plan = planFleet(fleet, seed)
  const blocks = new Map<number, Drawn>()
  for (const block of order) {
    const tasks = blockTasks(plan, block)
    const batch = createBatch()
    const into: Drawn = { atUs: [], lengthUs: [], kind: [] }
    while (tasks.next(batch)) {
      expect(batch.index).toBe(into.atUs.length)
      into.atUs.push(...batch.arrivalUs.subarray(0, batch.count))
      into.lengthUs.push(...batch.lengthUs.subarray(0, batch.count))
      into.kind.push(...batch.kind.subarray(0, batch.count))
    }
    expect(into.atUs).toHaveLength(plan.countOf(block))
    blocks.set(block, into)
  }
  const inOrder = [...blocks].toSorted(([a], [b]) => a - b).map(([, block]) => block)
  return {
    atUs: inOrder.flatMap(({ atUs }) => atUs),
    lengthUs: inOrder.flatMap(({ lengthUs }) => lengthUs),
    kind: inOrder.flatMap(({ kind }) => kind),
  }
}

/** Sum over cells of (observed - expected)^2 / expected, in standard deviations above its mean. */
function chiSquare(counts: readonly number[], expected: (cell: number) => number): number {
  const cells = counts.length
  const sum = counts.reduce((total, count, cell) => total + (count - expected(cell)) ** 2 / expected(cell), 0)
  return (sum - (cells - 1)) / Math.sqrt(2 * (cells - 1))
}

function histogram(values: readonly number[], cells: number, cellOf: (value: number) => number): number[] {
  const counts = Array.from({ length: cells }, () => 0)
  for (const value of values) {
    const cell = Math.min(cellOf(value), cells - 1)
    counts[cell] = (counts[cell] ?? 0) + 1
  }
  return counts
}

const poisson = (tasks: number): Arrivals => ({ of: 'poisson', size: { of: 'tasks', tasks }, withinUs: HOUR })
const byRate = (perSecond: number): Arrivals => ({
  of: 'poisson',
  size: { of: 'rate', perSecond },
  withinUs: HOUR,
})
const onOff: Arrivals = {
  of: 'on-off',
  size: { of: 'rate', perSecond: 5 },
  withinUs: HOUR,
  busy: { of: 'exponential', meanUs: 20 * S },
  idle: fixed(40 * S),
}
const weights = Array.from({ length: 24 }, (_, hour) => (hour % 3 === 0 ? 0 : hour))
const daily: Arrivals = {
  of: 'daily',
  size: { of: 'tasks', tasks: 30_000 },
  withinUs: 36 * HOUR,
  weights,
}

describe('arrivals', () => {
  test.each<[string, Arrivals, number | undefined]>([
    ['so many', poisson(50_000), 50_000],
    ['fewer than blocks', poisson(10), 10],
    ['none', poisson(0), 0],
    ['even', { of: 'even', tasks: 5001, withinUs: HOUR }, 5001],
    ['together', { of: 'together', tasks: 4001 }, 4001],
    ['daily', daily, 30_000],
    ['by rate', byRate(3), undefined],
    ['on and off', onOff, undefined],
    ['a trace', { of: 'trace', trace: { file: 'none', atUs: Float64Array.of(0, 5, 5, 9) }, withinUs: 9 }, 3],
  ])(
    '%s: in order, in time, as many as said, whatever order blocks are taken in',
    (_name, arrivals, count) => {
      const order = Array.from({ length: BLOCKS }, (_, index) => (index * 23) % BLOCKS)
      const { atUs } = drawn(fleetOf(arrivals), 7, order)
      expect(atUs.every((us, index) => Number.isInteger(us) && us >= (atUs[index - 1] ?? 0))).toBe(true)
      if (arrivals.of !== 'together') expect(atUs.at(-1) ?? 0).toBeLessThan(arrivals.withinUs)
      if (count !== undefined) expect(atUs).toHaveLength(count)
      expect(drawn(fleetOf(arrivals), 7).atUs).toEqual(atUs)
    },
  )

  test('even is i/n of the time, exactly, beyond what a double can multiply', () => {
    const tasks = 99_999_989
    const withinUs = 86_399_999_999_999
    const plan = planFleet(fleetOf({ of: 'even', tasks, withinUs }), 1)
    const batch = createBatch()
    blockTasks(plan, 63).next(batch)
    const first = Math.floor((tasks * 63) / 64)
    for (let i = 0; i < 50; i++)
      expect(BigInt(batch.arrivalUs[i] as number)).toBe(
        (BigInt(first + i) * BigInt(withinUs)) / BigInt(tasks),
      )
  })

  test('gaps of a Poisson process are exponential, and blocks have no seams', () => {
    // So many that a block of a number of tasks is divided further.
    for (const arrivals of [poisson(160_000), byRate(160_000 / 3600)]) {
      const { atUs } = drawn(fleetOf(arrivals), 3)
      expect(Math.abs(atUs.length - 160_000)).toBeLessThan(4 * 400)
      const mean = HOUR / atUs.length
      const gaps = atUs.map((us, index) => us - (atUs[index - 1] ?? 0))
      // Cells of equal chance.
      const cells = histogram(gaps, 50, (gap) => Math.floor(50 * (1 - Math.exp(-gap / mean))))
      expect(chiSquare(cells, () => gaps.length / 50)).toBeLessThan(4)
      const slices = histogram(atUs, 200, (us) => Math.floor((us / HOUR) * 200))
      expect(Math.abs(chiSquare(slices, () => atUs.length / 200))).toBeLessThan(4)
    }
  })

  test('a day has as many an hour as its weight says, none at a weight of 0', () => {
    const { atUs } = drawn(fleetOf(daily))
    const hours = histogram(atUs, 36, (us) => Math.floor(us / HOUR))
    const sum = Array.from({ length: 36 }, (_, hour) => weights[hour % 24] ?? 0).reduce((a, b) => a + b)
    const busy = hours.filter((_, hour) => weights[hour % 24] !== 0)
    const weighed = Array.from({ length: 36 }, (_, hour) => weights[hour % 24] ?? 0).filter((w) => w > 0)
    expect(hours.filter((_, hour) => weights[hour % 24] === 0)).toEqual(Array.from({ length: 12 }, () => 0))
    expect(Math.abs(chiSquare(busy, (cell) => (30_000 * (weighed[cell] as number)) / sum))).toBeLessThan(4)
  })

  test('a rate is the mean over busy and idle times', () => {
    const long = { ...onOff, withinUs: 20 * HOUR }
    const { atUs } = drawn(fleetOf(long))
    // Spells vary: 1200 cycles, each with some 300 arrivals give or take as many.
    expect(Math.abs(atUs.length / 72_000 - 5)).toBeLessThan(4 * (5 / Math.sqrt(1200)))
    // Idle for 40 s: there are gaps of that length, and hardly ever longer ones.
    const gaps = atUs.map((us, index) => us - (atUs[index - 1] ?? 0)).filter((gap) => gap > 10 * S)
    expect(gaps.length).toBeGreaterThan(1000)
    expect(gaps.every((gap) => gap >= 40 * S)).toBe(true)
  })
})

describe('jobs', () => {
  test('lengths follow their distribution, and do not depend on how tasks arrive', () => {
    const of = (arrivals: Arrivals, length: Distribution) =>
      drawn(fleetOf(arrivals, [kindOf(length, ALL)])).lengthUs
    const lengths = of(poisson(30_000), { of: 'exponential', meanUs: 20 * S })
    const cells = histogram(lengths, 60, (us) => Math.floor(60 * (1 - Math.exp(-us / (20 * S)))))
    expect(Math.abs(chiSquare(cells, () => 500))).toBeLessThan(4)
    const uniform = of(poisson(30_000), { of: 'uniform', fromUs: S, toUs: 4 * S })
    const parts = histogram(uniform, 60, (us) => Math.floor(((us - S) / (3 * S)) * 60))
    expect(Math.abs(chiSquare(parts, () => 500))).toBeLessThan(4)
    const one = of({ of: 'even', tasks: 6400, withinUs: HOUR }, { of: 'lognormal', mu: 16, sigma: 1 })
    expect(of({ of: 'together', tasks: 6400 }, { of: 'lognormal', mu: 16, sigma: 1 })).toEqual(one)
  })

  test('task i takes point i of a grid', () => {
    const grid: Distribution = { of: 'grid', fromUs: 0, toUs: 1000, points: 7 }
    const { lengthUs } = drawn(fleetOf(byRate(1), [kindOf(grid, ALL)]))
    expect(lengthUs.slice(0, 8)).toEqual([71, 214, 357, 500, 643, 786, 929, 71])
    expect(lengthUs.every((us, task) => us === lengthUs[task % 7])).toBe(true)
  })

  test('counts take the first tasks, shares are drawn among the rest', () => {
    const kinds = [
      kindOf(fixed(1), { of: 'share', share: 0.25 }),
      kindOf(fixed(2), { of: 'count', count: 300 }),
      kindOf(undefined, { of: 'share', share: 0.75 }),
    ]
    for (const arrivals of [poisson(20_300), byRate(20_300 / 3600)]) {
      const { kind, lengthUs } = drawn(fleetOf(arrivals, kinds))
      expect(kind.slice(0, 300).every((of) => of === 1)).toBe(true)
      expect(kind.slice(300).every((of) => of !== 1)).toBe(true)
      const first = kind.filter((of) => of === 0).length
      const rest = kind.length - 300
      expect(Math.abs(first - rest / 4)).toBeLessThan(4 * Math.sqrt((rest * 3) / 16))
      expect(lengthUs.every((us, task) => us === [1, 2, Infinity][kind[task] as number])).toBe(true)
    }
  })

  test('a trace says how long its jobs are', () => {
    const atUs = Float64Array.from({ length: 3000 }, (_, index) => index)
    const durationUs = atUs.map((us) => us * 7 + 1)
    const { lengthUs } = drawn(
      fleetOf({ of: 'trace', trace: { file: 'none', atUs, durationUs }, withinUs: 3000 }),
    )
    expect(lengthUs).toEqual([...durationUs])
  })
})
