import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { entityStream } from './entity-random.ts'
import { keyOf } from './random.ts'
import { threefry2x32 } from './threefry.ts'

const entity = fc.oneof(fc.nat(100), fc.maxSafeNat())
const index = fc.oneof(fc.nat(10), fc.nat(2 ** 32 - 1))

test('a draw is the block of its definition', () => {
  const draws = entityStream(9, 'latency')
  const key = keyOf(9, 'latency')
  fc.assert(
    fc.property(entity, index, (of, at) => {
      const entityKey = threefry2x32([Math.floor(of / 2 ** 32), 0], key)
      const [first, second] = threefry2x32([(of % 2 ** 32) | 0, at | 0], entityKey)
      expect(draws.uint32(of, at)).toBe(first >>> 0)
      expect(draws.float(of, at)).toBe(((first >>> 5) * 2 ** 26 + (second >>> 6)) / 2 ** 53)
    }),
    { seed: 1, numRuns: 2000 },
  )
})

test('is pinned: a change here changes every seeded fleet', () => {
  const draws = entityStream(1, 'latency')
  expect([draws.uint32(0, 0), draws.uint32(1, 0), draws.uint32(2 ** 32, 0), draws.float(3, 4)]).toEqual([
    2721434029, 2034196003, 66836989, 0.9272214563237512,
  ])
})

test('the order of draws does not matter, nor what else is drawn', () => {
  const [one, other] = [entityStream(1, 'any'), entityStream(1, 'any')]
  const named = Array.from({ length: 300 }, (_, i) => [(i % 70) * 2 ** 32 + i, i % 3] as const)
  const forth = named.map(([of, at]) => one.float(of, at))
  const back = named.toReversed().map(([of, at]) => other.float(of, at))
  expect(back.toReversed()).toEqual(forth)
})

test('the stream of an entity gives its draws by index', () => {
  const draws = entityStream(4, 'jitter')
  const stream = draws.streamOf(2 ** 33 + 5)
  expect([stream.nextFloat(), stream.nextUint32(), stream.nextFloat()]).toEqual([
    draws.float(2 ** 33 + 5, 0),
    draws.uint32(2 ** 33 + 5, 1),
    draws.float(2 ** 33 + 5, 2),
  ])
  expect(draws.streamOf(7, 12).nextFloat()).toBe(draws.float(7, 12))
})

test('refuses a seed that is none', () => {
  expect(() => entityStream(-1, 'any')).toThrow('a seed is a whole number from 0 to 2^53 - 1, not -1')
})

/** Rows of draws in which neighbours differ in one thing alone. */
const COUNT = 20_000
const ROWS: Record<string, (i: number) => number> = {
  seeds: (i) => entityStream(i, 'any').float(0, 0),
  purposes: (i) => entityStream(0, `purpose ${i}`).float(0, 0),
  entities: (
    (draws) => (i: number) =>
      draws.float(i, 0)
  )(entityStream(0, 'any')),
  'high words of entities': (
    (draws) => (i: number) =>
      draws.float(i * 2 ** 32, 0)
  )(entityStream(0, 'any')),
  indices: (
    (draws) => (i: number) =>
      draws.float(0, i)
  )(entityStream(0, 'any')),
}

describe.each(Object.entries(ROWS))('draws of neighbouring %s', (_, draw) => {
  const values = Array.from({ length: COUNT }, (_element, i) => draw(i))

  test('are spread evenly, in their high digits and in their low ones', () => {
    for (const digits of [
      values,
      values.map((value) => (value * 2 ** 20) % 1),
      values.map((value) => (value * 2 ** 45) % 1),
    ]) {
      const counts = new Uint32Array(64)
      for (const value of digits) counts[Math.floor(value * 64)] = (counts[Math.floor(value * 64)] ?? 0) + 1
      const expected = COUNT / 64
      const chiSquare = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
      // 63 degrees of freedom: within these bounds in 99.8 of 100 cases.
      expect(chiSquare).toBeGreaterThan(33.9)
      expect(chiSquare).toBeLessThan(103.4)
    }
  })

  test('tell nothing about the next, nor the one after', () => {
    for (const lag of [1, 2]) {
      let sum = 0
      for (let i = lag; i < COUNT; i++) sum += ((values[i] ?? 0) - 0.5) * ((values[i - lag] ?? 0) - 0.5)
      // The variance of a uniform is 1/12. Four standard errors.
      expect(Math.abs((12 * sum) / COUNT)).toBeLessThan(4 / Math.sqrt(COUNT))
    }
  })
})
