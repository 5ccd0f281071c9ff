import { describe, expect, test } from 'vitest'
import { randomStream } from './random.ts'

describe('a random stream', () => {
  test('is pinned: a change here changes every seeded result', () => {
    const stream = randomStream(1, 'arrivals')
    expect([stream.nextUint32(), stream.nextUint32(), stream.nextUint32()]).toEqual([
      872195148, 407417647, 2100132175,
    ])
    expect(stream.nextFloat()).toBe(0.8625036421592808)
  })

  test('gives the same again for the same seed and purpose, and something else for any other', () => {
    const first = (seed: number, purpose: string): number => randomStream(seed, purpose).nextUint32()
    expect(first(7, 'latency agent->client')).toBe(first(7, 'latency agent->client'))
    const others = [
      first(7, 'latency agent->client'),
      first(7, 'latency client->agent'),
      first(8, 'latency agent->client'),
      first(7 + 2 ** 32, 'latency agent->client'),
      first(7, 'latencý agent->client'),
      first(7, ''),
    ]
    expect(new Set(others).size).toBe(others.length)
  })

  test('nextFloat stays in [0, 1) and uses all 53 bits', () => {
    const stream = randomStream(3, 'floats')
    const values = Array.from({ length: 10_000 }, () => stream.nextFloat())
    expect(values.every((value) => value >= 0 && value < 1)).toBe(true)
    expect(values.every((value) => Number.isInteger(value * 2 ** 53))).toBe(true)
    expect(values.some((value) => !Number.isInteger(value * 2 ** 52))).toBe(true)
    expect(mean(values)).toBeCloseTo(0.5, 2)
  })

  test('the first draws of seeds 1 to 1000 are uniform, and tell nothing about the next seed or another purpose', () => {
    const seeds = Array.from({ length: 1001 }, (_, i) => i + 1)
    const arrivals = seeds.map((seed) => randomStream(seed, 'arrivals').nextFloat())
    const latency = seeds.map((seed) => randomStream(seed, 'latency').nextFloat())
    const secondDraw = seeds.map((seed) => {
      const stream = randomStream(seed, 'arrivals')
      stream.nextFloat()
      return stream.nextFloat()
    })
    // 1000 independent pairs correlate by less than 3.3 standard errors (0.104) in 999 of 1000 cases.
    expect(mean(arrivals)).toBeCloseTo(0.5, 1)
    expect(Math.abs(correlation(arrivals.slice(0, 1000), arrivals.slice(1)))).toBeLessThan(0.104)
    expect(Math.abs(correlation(seeds, arrivals))).toBeLessThan(0.104)
    expect(Math.abs(correlation(arrivals, latency))).toBeLessThan(0.104)
    expect(Math.abs(correlation(arrivals, secondDraw))).toBeLessThan(0.104)
  })

  test.each([-1, 1.5, Number.NaN, 2 ** 53])('refuses the seed %d', (seed) => {
    expect(() => randomStream(seed, 'any')).toThrow(
      `a seed is a whole number from 0 to 2^53 - 1, not ${seed}`,
    )
  })
})

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function correlation(xs: readonly number[], ys: readonly number[]): number {
  const [meanX, meanY] = [mean(xs), mean(ys)]
  let xy = 0
  let xx = 0
  let yy = 0
  for (const [i, x] of xs.entries()) {
    const y = ys[i] as number
    xy += (x - meanX) * (y - meanY)
    xx += (x - meanX) ** 2
    yy += (y - meanY) ** 2
  }
  return xy / Math.sqrt(xx * yy)
}
