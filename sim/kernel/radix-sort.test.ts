import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sortUint32 } from './radix-sort.ts'

const value = fc.oneof(fc.nat(5), fc.nat(5000), fc.nat(2 ** 22), fc.nat(2 ** 32 - 1))
const ofOneSize = fc
  .constantFrom(5, 5000, 2 ** 22, 2 ** 32 - 1)
  .chain((max) => fc.array(fc.nat(max), { maxLength: 300 }))

test('sorts as the built-in sort does', () => {
  fc.assert(
    fc.property(fc.oneof(ofOneSize, fc.array(value, { maxLength: 300 })), (some) => {
      const values = Uint32Array.from(some)
      sortUint32(values)
      expect(values).toEqual(Uint32Array.from(some).sort())
    }),
    { seed: 1, numRuns: 1000 },
  )
})

test('sorts the first values alone, in memory that is lent', () => {
  const values = Uint32Array.of(9, 2 ** 31, 3, 1, 0)
  sortUint32(values, 3, new Uint32Array(8))
  expect([...values]).toEqual([3, 9, 2 ** 31, 1, 0])
})
