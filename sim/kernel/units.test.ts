import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatDuration, parseDuration } from './units.ts'

describe('a written duration', () => {
  test('reads back to the same number of microseconds', () => {
    // Lengths of every size, not only the huge ones a flat choice would give.
    const us = fc.tuple(fc.nat({ max: 52 }), fc.maxSafeNat()).map(([bits, n]) => n % 2 ** (bits + 1))
    const property = fc.property(us, (n) => parseDuration(formatDuration(n)) === n)
    fc.assert(property, { seed: 1, numRuns: 2_000 })
  })

  test.each([
    ['0', 0],
    ['0s', 0],
    ['142us', 142],
    ['250ms', 250_000],
    ['0.142ms', 142],
    ['1.5s', 1_500_000],
    ['0.1s', 100_000],
    ['20s', 20_000_000],
    ['7m', 420_000_000],
    ['1h30m', 5_400_000_000],
    ['1h30s', 3_630_000_000],
    ['1m40.5s', 100_500_000],
    ['3d', 259_200_000_000],
    ['1d2h3m4s5ms6us', 93_784_005_006],
  ])('%s is read as %d µs', (text, us) => {
    expect(parseDuration(text)).toBe(us)
  })

  test.each([
    '',
    '7',
    '1.5',
    's',
    '7 s',
    '7 sec',
    '7sec',
    '-50ms',
    '+50ms',
    '1e3s',
    '.5s',
    '1.s',
    '5S',
    '0.5us',
    '1.0001ms',
    '30m1h',
    '1s1s',
    '1.5h30m',
    '20s ',
    '1h,30m',
    '300000d',
    'constructor',
    '1constructor',
  ])('"%s" is none', (text) => {
    expect(parseDuration(text)).toBeUndefined()
  })

  test.each([
    [0, '0s'],
    [142, '142us'],
    [250_000, '250ms'],
    [6_550_000, '6.55s'],
    [100_000_000, '1m40s'],
    [3_630_000_000, '1h30s'],
    [86_400_000_000, '1d'],
    [60_000_001, '1m0.000001s'],
    [-50_000, '-50ms'],
  ])('%d µs is written %s', (us, text) => {
    expect(formatDuration(us)).toBe(text)
  })
})
