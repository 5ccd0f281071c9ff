import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { instantUsOf, numberOf } from './cell.ts'

const number = (text: string) => numberOf(Buffer.from(text), 0, Buffer.byteLength(text))
const instant = (text: string) => instantUsOf(Buffer.from(text), 0, Buffer.byteLength(text))

describe('a number', () => {
  test('is what the language makes of the same digits, to the last bit', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (double) => {
        // Minus zero is written as zero.
        const value = double + 0
        expect(number(String(value))).toBe(value)
        const short = value.toPrecision(9)
        expect(number(short)).toBe(Number(short) + 0)
      }),
      { seed: 1, numRuns: 5000 },
    )
  })

  test('of many digits is rounded as one of few is', () => {
    fc.assert(
      fc.property(fc.nat({ max: 10 ** 9 }), fc.nat({ max: 10 ** 9 }), (whole, decimals) => {
        const text = `${whole}.${decimals}`
        expect(number(text)).toBe(Number(text))
      }),
      { seed: 2, numRuns: 2000 },
    )
  })

  test.each(['', '-', '.5', '5.', '1e', '1e+', 'NaN', 'Infinity', '0x10', '1,5', '1 2', '1e999', '--1', '٣'])(
    '%j is none',
    (text) => {
      expect(number(text)).toBeNaN()
    },
  )
})

describe('a date', () => {
  test('is what the language makes of it, to the millisecond', () => {
    fc.assert(
      fc.property(
        fc.date({
          min: new Date('0001-01-01T00:00:00Z'),
          max: new Date('9999-12-31T23:59:59.999Z'),
          noInvalidDate: true,
        }),
        (date) => {
          const text = date.toISOString()
          expect(instant(text)).toBe(date.getTime() * 1000)
          expect(instant(text.replace('T', ' ').replace('Z', ''))).toBe(date.getTime() * 1000)
        },
      ),
      { seed: 3, numRuns: 2000 },
    )
  })

  test.each([
    ['2023-11-16 18:15:46.6805900', '2023-11-16T18:15:46Z', 680_590],
    ['2023-11-16T18:15:46.1234564', '2023-11-16T18:15:46Z', 123_456],
    ['2023-11-16T18:15:46.1234565', '2023-11-16T18:15:46Z', 123_457],
    ['2023-11-16T18:15:46.9999999', '2023-11-16T18:15:47Z', 0],
    ['2024-02-29T00:00:00+05:30', '2024-02-28T18:30:00Z', 0],
    ['2024-02-29T00:00:00-0130', '2024-02-29T01:30:00Z', 0],
    ['2023-11-16t18:15:46.5z', '2023-11-16T18:15:46Z', 500_000],
  ])('%s', (text, second, us) => {
    expect(instant(text)).toBe(new Date(second).getTime() * 1000 + us)
  })

  test.each([
    '2023-11-16',
    '2023-11-16 18:15',
    '2023-13-01 00:00:00',
    '2023-00-10 00:00:00',
    '2023-02-29 00:00:00',
    '2023-04-31 00:00:00',
    '2023-11-16 24:00:00',
    '2023-11-16 10:60:00',
    '2023-11-16 10:00:60',
    '2023-11-16 10:00:00.',
    '2023-11-16 10:00:00 UTC',
    '2023-11-16 10:00:00+1',
    '2023-11-16 10:00:00+24:00',
    '16.11.2023 10:00:00.000',
    '2023/11/16 10:00:00',
    '1700158546',
  ])('%s is none', (text) => {
    expect(instant(text)).toBeNaN()
  })
})
