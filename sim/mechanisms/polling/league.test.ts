import { describe, expect, test } from 'vitest'
import { randomStream } from '../../kernel/random.ts'
import type { PollPolicy } from '../../policies/policy.ts'
import { every, pollBy } from '../../testing/scenario.ts'
import { LEAGUE, type LeagueRow } from './league.suite.ts'
import { polled } from './quiet-world.suite.ts'

const S = 1_000_000
const GRID = 4001
const DRAWS = 20_000
const P95_OF_GRID = 3800

/** Midpoint `index` of [0.8 T, 1.2 T] in so many equal parts. */
const lengthUs = (jobS: number, index: number, points: number): number =>
  jobS * S * (0.8 + (0.4 * (2 * index + 1)) / (2 * points))

const appliedOf = (policy: PollPolicy, { timesOut }: LeagueRow): PollPolicy =>
  timesOut === true ? { ...policy, budgetUs: undefined } : policy

/** What the poll of each row costs and how late it is, over all lengths. */
function play(policy: PollPolicy, jobS: number, runs: number): { polls: number[]; lateS: number[] } {
  const all = Array.from({ length: runs }, (_, index) => polled(policy, lengthUs(jobS, index, runs), index))
  return { polls: all.map(({ polls }) => polls), lateS: all.map(({ lateUs }) => lateUs / S) }
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

function quantileOf(values: readonly number[], index: number): number {
  return values.toSorted((a, b) => a - b)[index] as number
}

/** Of two means, each of so many runs. */
function threeStandardErrors(values: readonly number[]): number {
  const mean = meanOf(values)
  const variance = meanOf(values.map((value) => (value - mean) ** 2))
  return 3 * Math.sqrt((2 * variance) / values.length)
}

describe.each(LEAGUE)('$title', ({ policy, rows }) => {
  test.each(rows)('a job of $jobS s', (row) => {
    const applied = appliedOf(policy, row)
    if (row.exact !== undefined) {
      const { polls, lateUs } = polled(applied, row.jobS * S)
      expect(polls).toBe(row.exact.polls)
      expect(Math.abs(lateUs / S - row.exact.lateS)).toBeLessThan(0.001)

      const all = play(applied, row.jobS, GRID)
      // Polls are printed with two decimals, times with three.
      expect(Math.abs(meanOf(all.polls) - row.pollsMean)).toBeLessThan(0.01)
      expect(Math.abs(meanOf(all.lateS) - row.lateMeanS)).toBeLessThan(0.001)
      expect(Math.abs(quantileOf(all.lateS, P95_OF_GRID) - row.lateP95S)).toBeLessThan(0.001)
    } else {
      const all = play(applied, row.jobS, DRAWS)
      expect(Math.abs(meanOf(all.polls) - row.pollsMean)).toBeLessThan(threeStandardErrors(all.polls) + 0.01)
      expect(Math.abs(meanOf(all.lateS) - row.lateMeanS)).toBeLessThan(threeStandardErrors(all.lateS) + 0.001)
      // The order of a quantile of N draws has a standard deviation of sqrt(0.95 x 0.05 N).
      const spread = Math.ceil(3 * Math.sqrt(2 * 0.95 * 0.05 * DRAWS))
      expect(row.lateP95S).toBeGreaterThan(quantileOf(all.lateS, 0.95 * DRAWS - spread))
      expect(row.lateP95S).toBeLessThan(quantileOf(all.lateS, 0.95 * DRAWS + spread))
    }
  })
})

test('a budget that is applied ends the job without it', () => {
  const opencode = LEAGUE.find(({ title }) => title.startsWith('opencode'))?.policy as PollPolicy
  expect(polled(opencode, 20 * S)).toEqual({ polls: 7, lateUs: NaN })
})

/**
 * Policies and lengths beyond the league, against a calculation that shares
 * nothing with the model: it adds up waits in seconds and looks.
 */
describe('beyond the league', () => {
  /** The poll of these waits that first sees the end. */
  function look(
    jobS: number,
    firstS: number,
    waitS: (index: number) => number,
  ): { polls: number; lateS: number } {
    let atS = firstS
    let polls = 1
    for (; atS < jobS; polls++) atS += waitS(polls - 1)
    return { polls, lateS: atS - jobS }
  }

  const ramp = (initialS: number, factor: number, maxS: number) => (index: number) =>
    Math.min(initialS * factor ** index, maxS)
  const growing = (initialS: number, multiplier: number, maxS: number) =>
    ({ of: 'growing', initialUs: initialS * S, multiplier, maxUs: maxS * S }) as const

  test.each<{ title: string; policy: PollPolicy; firstS: number; waitS: (index: number) => number }>([
    { title: 'aws s3, 5 s', policy: pollBy(every(5 * S)), firstS: 0, waitS: () => 5 },
    { title: 'gax-nodejs', policy: pollBy(growing(0.1, 1.3, 60)), firstS: 0, waitS: ramp(0.1, 1.3, 60) },
    { title: 'gapic proto', policy: pollBy(growing(5, 1.5, 45)), firstS: 0, waitS: ramp(5, 1.5, 45) },
    {
      title: 'pyfirecrest',
      policy: pollBy({ of: 'list', delaysUs: [S, S / 2, S / 4], last: 'repeats' }),
      firstS: 0,
      waitS: (index) => [1, 0.5][index] ?? 0.25,
    },
    {
      title: 'a list, first after',
      policy: pollBy({ of: 'list', delaysUs: [S, 7 * S], last: 'repeats' }, { first: 'after' }),
      firstS: 1,
      waitS: () => 7,
    },
    { title: 'google-genai', policy: pollBy(every(20 * S), { first: 'after' }), firstS: 20, waitS: () => 20 },
  ])('$title', ({ policy, firstS, waitS }) => {
    for (const jobS of [3, 20, 60, 90]) {
      const all = play(policy, jobS, GRID)
      const bare = Array.from({ length: GRID }, (_, index) =>
        look(lengthUs(jobS, index, GRID) / S, firstS, waitS),
      )
      expect(meanOf(all.polls)).toBeCloseTo(meanOf(bare.map(({ polls }) => polls)), 2)
      expect(meanOf(all.lateS)).toBeCloseTo(meanOf(bare.map(({ lateS }) => lateS)), 3)
      const lateS = bare.map((one) => one.lateS)
      expect(quantileOf(all.lateS, P95_OF_GRID)).toBeCloseTo(quantileOf(lateS, P95_OF_GRID), 3)
    }
  })

  /** Each wait from the one before, with a draw from 0 to 1. */
  type Chance = (index: number, beforeS: number, share: number) => number
  const google = ramp(1, 1.5, 20)

  test.each<{ title: string; policy: PollPolicy; chance: Chance; beginS: number }>([
    {
      title: 'google-api-core, full jitter',
      policy: pollBy(growing(1, 1.5, 20), { jitter: { of: 'full' } }),
      chance: (index, _, share) => google(index) * share,
      beginS: 0,
    },
    {
      title: 'equal jitter',
      policy: pollBy(growing(1, 1.5, 20), { jitter: { of: 'equal' } }),
      chance: (index, _, share) => (google(index) * (1 + share)) / 2,
      beginS: 0,
    },
    {
      title: 'decorrelated jitter',
      policy: pollBy(growing(1, 2, 20), { jitter: { of: 'decorrelated' } }),
      chance: (_, beforeS, share) => Math.min(20, 1 + (3 * beforeS - 1) * share),
      beginS: 1,
    },
    {
      title: 'half of it by chance',
      policy: pollBy(growing(1, 2, 30), { jitter: { of: 'stretch', less: 0.5, more: 0 } }),
      chance: (index, _, share) => ramp(1, 2, 30)(index) * (0.5 + 0.5 * share),
      beginS: 0,
    },
    {
      title: 'a random interval',
      policy: pollBy({ of: 'interval', interval: { of: 'uniform', fromUs: S, toUs: 3 * S } }),
      chance: (_index, _, share) => 1 + 2 * share,
      beginS: 0,
    },
  ])('$title', ({ policy, chance, beginS }) => {
    const draws = 4000
    const random = randomStream(99, 'beyond the league')
    for (const jobS of [3, 20, 90]) {
      const all = play(policy, jobS, draws)
      const bare = Array.from({ length: draws }, (_, index) => {
        let beforeS = beginS
        return look(
          lengthUs(jobS, index, draws) / S,
          0,
          (step) => (beforeS = chance(step, beforeS, random.nextFloat())),
        )
      })
      const gap = (ours: number[], theirs: number[]) => Math.abs(meanOf(ours) - meanOf(theirs))
      expect(
        gap(
          all.polls,
          bare.map(({ polls }) => polls),
        ),
      ).toBeLessThan(threeStandardErrors(all.polls) + 0.001)
      expect(
        gap(
          all.lateS,
          bare.map(({ lateS }) => lateS),
        ),
      ).toBeLessThan(threeStandardErrors(all.lateS) + 0.001)
    }
  })
})
