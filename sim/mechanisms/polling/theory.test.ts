import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fixed } from '../../kernel/distribution.ts'
import { randomStream } from '../../kernel/random.ts'
import { every, pollBy } from '../../testing/scenario.ts'
import { pollingModel } from './model.ts'
import { polled, quietWorld } from './quiet-world.suite.ts'
import {
  bestIntervalUs,
  emptyShare,
  fixedPolls,
  freshness,
  growingSumUs,
  missedShare,
  momentsOfUniform,
  overUniformLengths,
  renewalLateness,
} from './theory.ts'

const S = 1_000_000
const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

/** Instants of a Poisson process. */
function randomInstants(meanUs: number, untilUs: number): number[] {
  const random = randomStream(1, 'changes')
  const instants: number[] = []
  for (let atUs = 0; ; instants.push(atUs)) {
    atUs -= meanUs * Math.log(1 - random.nextFloat())
    if (atUs >= untilUs) return instants
  }
}

describe('the model agrees with the books', () => {
  test('on every fixed interval, at any length, exactly', () => {
    const anyPolling = fc.record({
      everyUs: fc.integer({ min: 1000, max: 40_000 }),
      firstUs: fc.integer({ min: 0, max: 50_000 }),
      lengthUs: fc.integer({ min: 0, max: 1_000_000 }),
    })
    fc.assert(
      fc.property(anyPolling, (facts) => {
        const policy = pollBy(every(facts.everyUs), { first: fixed(facts.firstUs) })
        expect(polled(policy, facts.lengthUs)).toEqual(fixedPolls(facts))
      }),
      { seed: 1, numRuns: 300 },
    )
  })

  test('a round trip stretches the interval, and the way down makes it later', () => {
    const world = quietWorld(100 * S, { upUs: 20_000, downUs: 30_000 })
    const { learnedUs, requests } = pollingModel(pollBy(every(7 * S)), world)
    const { polls, lateUs } = fixedPolls({ everyUs: 7_050_000, firstUs: 50_000, lengthUs: 100 * S })
    expect(requests).toHaveLength(polls + 1)
    // The end happens at the agent the way up after the send.
    expect((learnedUs as number) - 100 * S - 20_000).toBe(lateUs + 30_000)
  })

  test.each([
    { initialUs: 0.5 * S, multiplier: 1.5, maxUs: 5 * S },
    { initialUs: 0.1 * S, multiplier: 1.3, maxUs: 60 * S },
    { initialUs: 2 * S, multiplier: 2, maxUs: 16 * S },
    { initialUs: 3 * S, multiplier: 2, maxUs: 3 * S },
  ])('on the instants of $initialUs µs x $multiplier up to $maxUs µs', (growth) => {
    const { requests } = pollingModel(pollBy({ of: 'growing', ...growth }), quietWorld(600 * S))
    const instants = requests.slice(1).map(({ startUs }) => startUs)
    for (const [count, atUs] of instants.entries())
      expect(Math.abs(atUs - growingSumUs(growth, count))).toBeLessThanOrEqual(count / 2)
  })

  test('on means over lengths: what a fine grid of jobs gives, the integral does', () => {
    const growth = { initialUs: 0.5 * S, multiplier: 1.5, maxUs: 5 * S }
    const instants = Array.from({ length: 20 }, (_, count) => growingSumUs(growth, count))
    const window = { fromUs: 16 * S, toUs: 24 * S }
    const grid = Array.from({ length: 40_000 }, (_, index) =>
      polled(pollBy({ of: 'growing', ...growth }), window.fromUs + 200 * index + 100),
    )
    const { polls, lateUs } = overUniformLengths(instants, window)
    expect(meanOf(grid.map((one) => one.polls))).toBeCloseTo(polls, 3)
    expect(meanOf(grid.map((one) => one.lateUs)) / lateUs).toBeCloseTo(1, 4)
  })

  test.each([
    { jitter: { of: 'none' } as const, from: 6, to: 6 },
    { jitter: { of: 'full' } as const, from: 0, to: 6 },
    { jitter: { of: 'equal' } as const, from: 3, to: 6 },
    { jitter: { of: 'stretch', less: 0.25, more: 0.5 } as const, from: 4.5, to: 9 },
  ])('on mean lateness with jitter $jitter.of: E[D^2] / (2 E[D])', ({ jitter, from, to }) => {
    const policy = pollBy(every(6 * S), { jitter })
    const runs = 10_000
    const late = Array.from(
      { length: runs },
      (_, seed) => polled(policy, 100 * S + (12 * S * seed) / runs, seed).lateUs / S,
    )
    // The standard deviation of lateness stays below the longest wait over the square root of 3.
    const tolerance = (3 * to) / Math.sqrt(3 * runs)
    expect(Math.abs(meanOf(late) - renewalLateness(momentsOfUniform(from, to)))).toBeLessThan(tolerance)
  })

  test.each([
    { changesPerPoll: 0.015_114, published: 66.67 },
    { changesPerPoll: 1, published: 1.58 },
  ])(
    'on polls in vain: $changesPerPoll random changes a poll, $published polls to a find',
    ({ changesPerPoll, published }) => {
      expect(1 / (1 - emptyShare(changesPerPoll))).toBeCloseTo(published, 2)
      const pollUs = 60 * S
      const endUs = 100_000 * pollUs
      const changes = randomInstants(pollUs / changesPerPoll, endUs)
      const found = new Set(changes.map((atUs) => Math.ceil(atUs / pollUs))).size
      const sawNews = findsOf(pollUs, changes, endUs)
      expect(sawNews).toBe(found)
      // A share p of 100,000 has a standard error of sqrt(p (1 - p) / 100,000), at most 0.0016.
      expect(1 - sawNews / 100_000).toBeCloseTo(emptyShare(changesPerPoll), 2)
    },
  )

  test.each([
    [0.1, 0.952],
    [0.5, 0.787],
    [1, 0.632],
    [2, 0.432],
    [5, 0.199],
  ])('on freshness: %d changes a poll, right %d of the time', (changesPerPoll, published) => {
    expect(freshness(changesPerPoll)).toBeCloseTo(published, 3)
    const pollUs = 60 * S
    const endUs = 20_000 * pollUs
    const changes = randomInstants(pollUs / changesPerPoll, endUs)
    // Between two polls the copy is right until the first change.
    const polls = pollInstants(pollUs, changes, endUs)
    let next = 0
    let rightUs = 0
    for (const [index, atUs] of polls.entries()) {
      while ((changes[next] ?? Infinity) <= atUs) next += 1
      rightUs += Math.min(changes[next] ?? Infinity, polls[index + 1] ?? atUs) - atUs
    }
    // An interval's share has a standard deviation below 0.5, and there are 20,000.
    expect(Math.abs(rightUs / endUs - freshness(changesPerPoll))).toBeLessThan(0.011)
  })

  test('freshness without changes is whole', () => {
    expect(freshness(0)).toBe(1)
  })

  test.each([
    { changeS: 5, pollS: 1, missed: 0 },
    { changeS: 5, pollS: 5, missed: 0 },
    { changeS: 5, pollS: 15, missed: 2 / 3 },
    { changeS: 1, pollS: 50, missed: 0.98 },
  ])('on changes nobody sees: every $changeS s, polled every $pollS s', ({ changeS, pollS, missed }) => {
    expect(missedShare({ changeUs: changeS, pollUs: pollS })).toBeCloseTo(missed, 10)
    const count = 3000
    const changes = Array.from({ length: count }, (_, index) => (index + 1) * changeS * S)
    const seen = findsOf(pollS * S, changes, count * changeS * S)
    expect(1 - seen / count).toBeCloseTo(missed, 10)
  })

  test('on the best interval: no other of a range costs less', () => {
    const [lengthUs, pollCost, lateCostPerUs] = [3600 * S, 1, 0.5 / S]
    const best = bestIntervalUs({ lengthUs, pollCost, lateCostPerUs })
    expect(best / S).toBe(120)
    const costOf = (everyUs: number): number => {
      const jobs = Array.from({ length: 400 }, (_, index) =>
        polled(pollBy(every(everyUs)), lengthUs + (everyUs * (index + 0.5)) / 400),
      )
      // The poll at once and the one that is late are paid whatever the interval.
      return meanOf(jobs.map(({ polls, lateUs }) => (polls - 1.5) * pollCost + lateUs * lateCostPerUs))
    }
    const intervals = [60, 80, 100, 115, 120, 125, 140, 160, 240].map((s) => s * S)
    const costs = intervals.map(costOf)
    expect(intervals[costs.indexOf(Math.min(...costs))]).toBe(best)
  })
})

/** When a client polls at a fixed interval while these changes happen. */
function pollInstants(pollUs: number, changesUs: readonly number[], endUs: number): number[] {
  const world = quietWorld(endUs, { updatesUs: changesUs, endUs: undefined, horizonUs: endUs + 1 })
  const { requests } = pollingModel(pollBy(every(pollUs)), world)
  return requests.filter(({ operation }) => operation === 'GetTask').map(({ startUs }) => startUs)
}

/** How many of these polls find a change. */
function findsOf(pollUs: number, changesUs: readonly number[], endUs: number): number {
  let next = 0
  return pollInstants(pollUs, changesUs, endUs).filter((atUs) => {
    const before = next
    while ((changesUs[next] ?? Infinity) <= atUs) next += 1
    return next > before
  }).length
}
