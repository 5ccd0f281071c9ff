import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fixed } from '../kernel/distribution.ts'
import { randomStream, type RandomStream } from '../kernel/random.ts'
import { createBackoff, type Backoff, type Jitter, type Waits } from './backoff.ts'

const S = 1_000_000
const NONE: Jitter = { of: 'none' }

const backoffOf = (facts: Partial<Backoff>): Backoff => ({
  waits: { of: 'interval', interval: fixed(3 * S) },
  jitter: NONE,
  attempts: undefined,
  budgetUs: undefined,
  resetAfterUs: undefined,
  timeoutUs: undefined,
  ...facts,
})

const growing = (initialUs: number, multiplier: number, maxUs?: number): Waits => ({
  of: 'growing',
  initialUs,
  multiplier,
  maxUs,
})

/** A stream that gives these shares of 1 one after the other. */
const shares = (...values: number[]): RandomStream => ({
  nextUint32: () => expect.unreachable('waits are drawn as shares'),
  nextFloat: () => values.shift() ?? expect.unreachable('one draw too many'),
})

/** The first waits, at most `count`. */
function waitsOf(backoff: Backoff, count: number, random: RandomStream = shares()): number[] {
  const running = createBackoff(backoff, random)
  const waits: number[] = []
  for (let wait = running.next(); wait !== undefined; wait = running.next()) {
    waits.push(wait)
    if (waits.length === count) break
  }
  return waits
}

describe('waits without jitter, which draw nothing', () => {
  test('grow by their factor up to their cap', () => {
    const legacy = backoffOf({ waits: growing(0.5 * S, 1.5, 5 * S) })
    expect(waitsOf(legacy, 8)).toEqual([
      500_000, 750_000, 1_125_000, 1_687_500, 2_531_250, 3_796_875, 5_000_000, 5_000_000,
    ])
  })

  test('are whole µs, but grow from what they were before rounding', () => {
    expect(waitsOf(backoffOf({ waits: growing(1, 1.4) }), 6)).toEqual([1, 1, 2, 3, 4, 5])
  })

  test('stay numbers without a cap', () => {
    expect(waitsOf(backoffOf({ waits: growing(S, 10) }), 400).at(-1)).toBe(2 ** 52)
  })

  test('come from a list, which ends or repeats its last', () => {
    const delaysUs = [5 * S, 300 * S]
    expect(waitsOf(backoffOf({ waits: { of: 'list', delaysUs, last: 'ends' } }), 4)).toEqual(delaysUs)
    expect(waitsOf(backoffOf({ waits: { of: 'list', delaysUs, last: 'repeats' } }), 4)).toEqual([
      5 * S,
      300 * S,
      300 * S,
      300 * S,
    ])
  })

  test('three attempts have two waits between them', () => {
    expect(waitsOf(backoffOf({ attempts: 3 }), 9)).toEqual([3 * S, 3 * S])
    expect(waitsOf(backoffOf({ attempts: 1 }), 9)).toEqual([])
  })

  test('a budget allows an attempt at its very end, and counts what attempts take', () => {
    expect(waitsOf(backoffOf({ budgetUs: 9 * S }), 9)).toHaveLength(3)
    expect(waitsOf(backoffOf({ budgetUs: 9 * S - 1 }), 9)).toHaveLength(2)
    const waits = createBackoff(backoffOf({ budgetUs: 9 * S }), shares())
    expect([waits.next(0), waits.next(6 * S), waits.next(6 * S + 1)]).toEqual([3 * S, 3 * S, undefined])
  })

  test('begin anew after a success: step, attempts and budget', () => {
    const backoff = createBackoff(backoffOf({ waits: growing(S, 2), attempts: 3, budgetUs: 4 * S }), shares())
    expect([backoff.next(), backoff.next(), backoff.next()]).toEqual([S, 2 * S, undefined])
    backoff.reset()
    expect([backoff.next(), backoff.next(), backoff.next()]).toEqual([S, 2 * S, undefined])
  })
})

describe('jitter', () => {
  const doubling = (jitter: Jitter) => backoffOf({ waits: growing(100, 2, 800), jitter })

  // d is 100, 200, 400, 800, 800.
  test.each<{ jitter: Jitter; draws: number[]; waits: number[] }>([
    { jitter: { of: 'full' }, draws: [0, 0.5, 0.25, 0.75, 0.5], waits: [0, 100, 100, 600, 400] },
    { jitter: { of: 'equal' }, draws: [0, 0.5, 0.25, 0.75, 0.5], waits: [50, 150, 250, 700, 600] },
    // min(800, 100 + share x (3 x before - 100)), before: 100, 200, 350, 838 cut to 800, 1350 cut to 800
    { jitter: { of: 'decorrelated' }, draws: [0.5, 0.5, 0.75, 0.9, 0.1], waits: [200, 350, 800, 800, 330] },
    // The first is exact, since initial = d; from the cap on nothing is drawn.
    { jitter: { of: 'uniform-growth' }, draws: [0.9, 0.5, 0.5], waits: [100, 150, 250, 800, 800] },
    {
      jitter: { of: 'stretch', less: 0.25, more: 0.5 },
      draws: [0, 0.5, 0.25, 0.75, 0],
      waits: [75, 225, 375, 1050, 600],
    },
  ])('$jitter.of, by hand', ({ jitter, draws, waits }) => {
    expect(waitsOf(doubling(jitter), waits.length, shares(...draws))).toEqual(waits)
  })

  test('decorrelated waits forget the one before when they begin anew', () => {
    const backoff = createBackoff(doubling({ of: 'decorrelated' }), shares(1, 1, 1))
    expect([backoff.next(), backoff.next()]).toEqual([300, 800])
    backoff.reset()
    expect(backoff.next()).toBe(300)
  })

  /** Means and variances of U(a, b): (a + b) / 2 and (b - a)^2 / 12. */
  test.each<{ jitter: Jitter; lowest: number; highest: number }>([
    { jitter: { of: 'full' }, lowest: 0, highest: 400_000 },
    { jitter: { of: 'equal' }, lowest: 200_000, highest: 400_000 },
    { jitter: { of: 'uniform-growth' }, lowest: 100_000, highest: 400_000 },
    { jitter: { of: 'stretch', less: 0.5, more: 0 }, lowest: 200_000, highest: 400_000 },
  ])('the third wait of $jitter.of is uniform from $lowest to $highest', ({ jitter, lowest, highest }) => {
    const backoff = backoffOf({ waits: growing(100_000, 2, 800_000), jitter })
    const random = randomStream(1, 'moments')
    const thirds = Array.from({ length: 20_000 }, () => waitsOf(backoff, 3, random)[2] as number)
    const mean = thirds.reduce((sum, wait) => sum + wait, 0) / thirds.length
    const variance = thirds.reduce((sum, wait) => sum + (wait - mean) ** 2, 0) / thirds.length
    const sd = (highest - lowest) / Math.sqrt(12)
    expect(Math.abs(mean - (lowest + highest) / 2)).toBeLessThan((3 * sd) / Math.sqrt(thirds.length))
    expect(Math.sqrt(variance) / sd).toBeCloseTo(1, 1)
    expect(Math.min(...thirds)).toBeGreaterThanOrEqual(lowest)
    expect(Math.max(...thirds)).toBeLessThanOrEqual(highest)
  })

  test('whatever the jitter, waits are whole, not negative and within their bounds, and a seed repeats them', () => {
    const anyJitter = fc.constantFrom<Jitter>(
      { of: 'none' },
      { of: 'full' },
      { of: 'equal' },
      { of: 'decorrelated' },
      { of: 'uniform-growth' },
    )
    const anyBackoff = fc
      .record({
        initialUs: fc.integer({ min: 0, max: 10 ** 7 }),
        multiplier: fc.double({ min: 1, max: 4, noNaN: true }),
        more: fc.integer({ min: 0, max: 10 ** 9 }),
        jitter: anyJitter,
      })
      .map(({ initialUs, multiplier, more, jitter }) =>
        backoffOf({ waits: growing(initialUs, multiplier, initialUs + more), jitter }),
      )
    fc.assert(
      fc.property(anyBackoff, fc.nat(), (backoff, seed) => {
        const waits = waitsOf(backoff, 30, randomStream(seed, 'waits'))
        const maxUs = backoff.waits.of === 'growing' ? (backoff.waits.maxUs as number) : 0
        expect(waits.every((wait) => Number.isSafeInteger(wait) && wait >= 0 && wait <= maxUs)).toBe(true)
        expect(waitsOf(backoff, 30, randomStream(seed, 'waits'))).toEqual(waits)
      }),
      { seed: 1, numRuns: 300 },
    )
  })
})
