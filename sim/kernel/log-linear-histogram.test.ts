import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LogLinearHistogram } from './log-linear-histogram.ts'

const value = fc.oneof(
  fc.nat(3000),
  fc.nat(2 ** 31 - 1),
  fc.maxSafeNat(),
  fc.nat(53).map((power) => 2 ** power - (power === 53 ? 1 : 0)),
)
const values = fc.array(value, { minLength: 1, maxLength: 200 })
const histogramOf = (recorded: readonly number[]): LogLinearHistogram => {
  const histogram = new LogLinearHistogram()
  for (const one of recorded) histogram.record(one)
  return histogram
}

describe('a log-linear histogram', () => {
  test('knows every value by its rank to within 2^-11, small ones and the two ends exactly', () => {
    fc.assert(
      fc.property(values, (recorded) => {
        const histogram = histogramOf(recorded)
        const ascending = recorded.toSorted((a, b) => a - b)
        for (const [rank, exact] of ascending.entries()) {
          const about = histogram.atRank(rank) ?? Number.NaN
          expect(Math.abs(about - exact)).toBeLessThanOrEqual(exact * 2 ** -11)
          if (exact < 2048) expect(about).toBe(exact)
        }
        expect([histogram.atRank(0), histogram.atRank(recorded.length - 1)]).toEqual([
          ascending[0],
          ascending.at(-1),
        ])
        expect([histogram.min, histogram.max, histogram.count]).toEqual([
          ascending[0],
          ascending.at(-1),
          recorded.length,
        ])
      }),
      { seed: 1, numRuns: 500 },
    )
  })

  test('takes the quantile by nearest rank', () => {
    const histogram = histogramOf([10, 20, 30, 40])
    const quantiles = [0, 0.25, 0.26, 0.5, 0.75, 0.95, 1].map((q) => histogram.quantile(q))
    expect(quantiles).toEqual([10, 10, 20, 20, 30, 40, 40])
  })

  test('has no quantile without values', () => {
    expect(new LogLinearHistogram().quantile(0.5)).toBeUndefined()
    expect(histogramOf([1]).atRank(1)).toBeUndefined()
  })

  test('is the same by columns, in parts and by way of plain data', () => {
    fc.assert(
      fc.property(values, values, (some, others) => {
        const whole = histogramOf([...some, ...others]).toData()
        const columns = new LogLinearHistogram()
        columns.recordMany(Float64Array.from([7, ...some, 7]), 1, some.length + 1)
        columns.recordMany(Float64Array.from(others))
        expect(columns.toData()).toEqual(whole)
        const merged = histogramOf(others)
        merged.merge(histogramOf(some))
        expect(merged.toData()).toEqual(whole)
        const again = LogLinearHistogram.of(whole)
        expect([again.toData(), again.count]).toEqual([whole, some.length + others.length])
      }),
      { seed: 2, numRuns: 300 },
    )
  })

  test.each([-1, -(2 ** 40), 2 ** 53, Infinity, Number.NaN])('refuses %d', (wrong) => {
    const message = `a histogram counts whole numbers from 0 to 2^53 - 1, not ${wrong}`
    expect(() => new LogLinearHistogram().record(wrong)).toThrow(message)
    expect(() => new LogLinearHistogram().recordMany(Float64Array.of(wrong))).toThrow(message)
  })
})
