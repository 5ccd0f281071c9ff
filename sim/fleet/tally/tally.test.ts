import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { quantile } from '../../metrics/quantile.ts'
import { Held } from './held.ts'
import { MomentCounts } from './moments.ts'
import { Samples } from './samples.ts'
import { WholeSums } from './whole.ts'

const frames = fc.record({
  fromUs: fc.nat({ max: 50 }),
  toUs: fc.oneof(fc.integer({ min: 60, max: 200 }), fc.constant(Infinity)),
  binUs: fc.constantFrom(1, 4, 6, 10),
})

/** Progressions, as columns. */
const rows = fc.array(fc.tuple(fc.nat({ max: 150 }), fc.nat({ max: 30 })), { maxLength: 20 })

const pointsOf = (
  some: readonly (readonly [number, number])[],
  everyUs: number,
  offsetUs: number,
): number[] =>
  some.flatMap(([fromUs, count]) => Array.from({ length: count }, (_, n) => fromUs + offsetUs + n * everyUs))

describe('counts of moments', () => {
  test('of progressions are those of each of their moments', () => {
    const property = fc.property(
      frames,
      fc.array(fc.tuple(rows, fc.constantFrom(1, 3, 4, 6, 10, 17, 20), fc.nat({ max: 9 })), { maxLength: 4 }),
      (frame, some) => {
        const counts = new MomentCounts(frame)
        const expected = new Map<number, number>()
        let total = 0
        for (const [progressions, everyUs, offsetUs] of some) {
          const fromUs = Float64Array.from(progressions, ([us]) => us)
          const count = Float64Array.from(progressions, ([, n]) => n)
          const inWindow = pointsOf(progressions, everyUs, offsetUs).filter(
            (us) => us >= frame.fromUs && us < frame.toUs,
          )
          const counted = counts.addProgressions({ fromUs, offsetUs, count, everyUs }, progressions.length)
          expect(counted).toBe(inWindow.length)
          total += counted
          for (const us of inWindow) {
            const bin = Math.floor((us - frame.fromUs) / frame.binUs)
            expected.set(bin, (expected.get(bin) ?? 0) + 1)
          }
        }
        const bins = [...counts.counts()]
        expect(counts.total).toBe(total)
        expect(bins.flatMap((count, bin) => (count === 0 ? [] : [[bin, count]]))).toEqual(
          [...expected].toSorted(([a], [b]) => a - b),
        )
      },
    )
    fc.assert(property, { seed: 1, numRuns: 500 })
  })
})

describe('held things', () => {
  test('are there from their beginning up to their end, and their time is exact', () => {
    const spans = fc.array(fc.tuple(fc.nat({ max: 250 }), fc.nat({ max: 90 })), { maxLength: 30 })
    const property = fc.property(frames, spans, fc.boolean(), (frame, some, areKnown) => {
      const held = new Held(frame)
      const sorted = some.toSorted(([a], [b]) => a - b)
      const from = Float64Array.from(sorted, ([us]) => us)
      const to = Float64Array.from(sorted, ([us, length]) => us + length)
      const lastUs = areKnown ? Math.max(0, ...to) : Infinity
      held.addColumns(from, to, sorted.length, lastUs)
      const levels = [...held.levels()]
      const levelAt = (us: number) =>
        sorted.filter(([begin, length]) => begin <= us && us < begin + length).length
      expect(levels).toEqual(levels.map((_, bin) => levelAt(frame.fromUs + bin * frame.binUs)))
      const timeUs = sorted.reduce(
        (sum, [us, length]) =>
          sum + Math.max(0, Math.min(us + length, frame.toUs) - Math.max(us, frame.fromUs)),
        0,
      )
      expect(held.timeUs()).toBe(BigInt(timeUs))
    })
    fc.assert(property, { seed: 1, numRuns: 500 })
  })
})

describe('samples', () => {
  test('know their quantiles, however they are divided and however large they are', () => {
    const values = fc.array(fc.oneof(fc.nat({ max: 100 }), fc.nat({ max: 2 ** 40 })), { minLength: 1 })
    const property = fc.property(
      values,
      fc.nat({ max: 100 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (all, cut, q) => {
        const [one, other] = [new Samples(), new Samples()]
        one.addColumn(Float64Array.from(all), 0, Math.min(cut, all.length))
        other.addColumn(Float64Array.from(all), Math.min(cut, all.length), all.length)
        one.merge(other.toData())
        expect(one.quantile(q)).toBe(
          quantile(
            all.toSorted((a, b) => a - b),
            q,
          ),
        )
        expect(one.quantile(1, all.length + 1)).toBeUndefined()
      },
    )
    fc.assert(property, { seed: 1, numRuns: 300 })
  })

  test('beyond 2^24 of them are known to within a 2048th', () => {
    const column = Float64Array.from({ length: 2 ** 20 }, (_, index) => index * 37)
    const [one, other] = [new Samples(), new Samples()]
    for (let n = 0; n < 9; n++) one.addColumn(column, 0, column.length)
    for (let n = 0; n < 8; n++) other.addColumn(column, 0, column.length)
    expect([one.isExact, other.isExact]).toEqual([true, true])
    one.merge(other.toData())
    expect(one.isExact).toBe(false)
    for (const q of [0.1, 0.5, 0.99]) {
      const exact = q * column.length * 37
      expect(Math.abs((one.quantile(q) ?? NaN) / exact - 1)).toBeLessThan(1 / 2000)
    }
    expect(one.quantile(1)).toBe((2 ** 20 - 1) * 37)
  })
})

test('sums are exact beyond 2^53, whoever adds what', () => {
  const large = 2 ** 52 - 1
  const [one, other] = [new WholeSums(2), new WholeSums(2)]
  for (let n = 0; n < 5; n++) one.add(1, large)
  other.addColumn(
    1,
    Float64Array.from({ length: 1000 }, () => 2 ** 44 + 1),
    1,
    1000,
  )
  one.merge(other)
  expect(one.valueOf(1)).toBe(5n * BigInt(large) + 999n * (2n ** 44n + 1n))
  expect(one.valueOf(0)).toBe(0n)
})
