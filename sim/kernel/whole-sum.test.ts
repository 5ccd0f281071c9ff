import fc from 'fast-check'
import { expect, test } from 'vitest'
import { WholeSum } from './whole-sum.ts'

const MOST = 2 ** 52
const value = fc.oneof(
  fc.integer({ min: -1000, max: 1000 }),
  fc.maxSafeInteger().map((one) => Math.trunc(one / 2)),
  fc.constantFrom(MOST, -MOST, MOST - 1, 0),
)
const values = fc.array(value, { maxLength: 100 })
const exact = (some: readonly number[]) => some.reduce((sum, one) => sum + BigInt(one), 0n)

test('a sum is exact: one by one, by columns, in parts, and by way of a bigint', () => {
  fc.assert(
    fc.property(values, values, (some, others) => {
      const expected = exact([...some, ...others])
      const single = new WholeSum()
      for (const one of [...some, ...others]) single.add(one)
      const columns = new WholeSum()
      columns.addAll(Float64Array.from([5, ...some, 5]), 1, some.length + 1)
      columns.addAll(Float64Array.from(others))
      const merged = WholeSum.of(exact(some))
      merged.merge(WholeSum.of(exact(others)))
      // Equal sums are equal in their digits as well.
      expect([columns, merged]).toEqual([single, single])
      expect(single.toBigInt()).toBe(expected)
      expect(single.toNumber()).toBe(Number(expected))
    }),
    { seed: 1, numRuns: 1000 },
  )
})

test('where doubles have run out of digits, a 1 still counts', () => {
  const sum = WholeSum.of(2n ** 60n)
  sum.add(1)
  expect(sum.toBigInt()).toBe(2n ** 60n + 1n)
})
