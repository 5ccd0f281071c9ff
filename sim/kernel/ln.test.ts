import { expect, test } from 'vitest'
import { ln } from './ln.ts'
import { randomStream } from './random.ts'

/** Both are rounded to a double, so where doubles lie further apart than that they may differ by one. */
const spacing = (value: number) => 2 ** (Math.floor(Math.log2(Math.abs(value))) - 52)

test('ln is the logarithm to within 4e-15, or to the next double', () => {
  const stream = randomStream(1, 'points')
  let worst = 0
  for (let exponent = -53; exponent <= 53; exponent++)
    for (let i = 0; i < 4000; i++) {
      const x = (1 + stream.nextFloat()) * 2 ** exponent
      const wrong = Math.abs(ln(x) - Math.log(x))
      worst = Math.max(worst, wrong / Math.max(4e-15, spacing(Math.log(x))))
    }
  expect(worst).toBeLessThanOrEqual(1)
})

test('near 1 it keeps its digits, as the small among exponential draws need', () => {
  for (let power = 8; power <= 53; power++)
    for (const x of [1 - 2 ** -power, 1 + 2 ** (1 - power)])
      expect(Math.abs(ln(x) / Math.log(x) - 1)).toBeLessThan(1e-12)
  expect(ln(1)).toBe(0)
})

test('the ends of its parts and the powers of two are no exception', () => {
  for (let part = 0; part <= 256; part++) {
    const edge = 1 + part / 256
    for (const x of [edge, edge - 2 ** -52, edge + 2 ** -51, edge * 2 ** -40])
      expect(Math.abs(ln(x) - Math.log(x))).toBeLessThanOrEqual(4e-15)
  }
  for (let power = -1022; power <= 1023; power++) expect(ln(2 ** power)).toBeCloseTo(power * Math.LN2, 11)
})

test('it is pinned: every machine gives these very doubles', () => {
  expect([ln(0.1), ln(Math.PI), ln(2 ** -53), ln(1e15)]).toEqual([
    -2.302585092994046, 1.1447298858494002, -36.7368005696771, 34.538776394910684,
  ])
})
