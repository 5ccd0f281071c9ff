import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { columnsIn, compile, parseExpression, type Column, type Kind } from './expression.ts'

/** Columns of two rows. */
const COLUMNS = new Map<string, Column>([
  ['tokens', { kind: 'number', values: Float64Array.of(374, 10) }],
  ['words', { kind: 'number', values: Float64Array.of(44, 0) }],
  ['took', { kind: 'time', values: Float64Array.of(2_000_000, 500) }],
  ['began', { kind: 'date', values: Float64Array.of(1e15, 1e15) }],
  ['ended', { kind: 'date', values: Float64Array.of(1e15 + 7_000_000, 1e15) }],
])

function comesTo(text: string): { kind: Kind; values: number[] } | string {
  const parsed = parseExpression(text)
  if ('problem' in parsed) return parsed.problem
  const compiled = compile(parsed.expression, COLUMNS)
  if ('problem' in compiled) return compiled.problem
  return { kind: compiled.kind, values: [0, 1].map(compiled.valueAt) }
}

describe('an expression', () => {
  test.each([
    ['0.25ms * tokens + 30ms * words', 'time', [1_413_500, 2500]],
    ['tokens*0.25ms+words*30ms', 'time', [1_413_500, 2500]],
    ['max(1s, took)', 'time', [2_000_000, 1_000_000]],
    ['min(1s, took, 1ms * tokens)', 'time', [374_000, 500]],
    ['max(0, took - 1s)', 'time', [1_000_000, 0]],
    ['ended - began', 'time', [7_000_000, 0]],
    ['began + 1h30m', 'date', [1e15 + 5_400_000_000, 1e15 + 5_400_000_000]],
    ['(tokens - words) / 2 * 1us', 'time', [165, 5]],
    ['took / 2', 'time', [1_000_000, 250]],
    ['took / 1s', 'number', [2, 0.0005]],
    ['-(-tokens) - -words', 'number', [418, 10]],
    ['2 - 1 - 1', 'number', [0, 0]],
    ['8 / 4 / 2', 'number', [1, 1]],
    ['0.25us * tokens', 'time', [93.5, 2.5]],
    ['1e3 * 1ms', 'time', [1_000_000, 1_000_000]],
  ] as const)('%s', (text, kind, values) => {
    expect(comesTo(text)).toEqual({ kind, values })
  })

  test('names each column once', () => {
    const parsed = parseExpression('max(a, b.c) + a * größe_2')
    expect('expression' in parsed && columnsIn(parsed.expression)).toEqual(['a', 'b.c', 'größe_2'])
  })

  test.each([
    ['$ + 1', '"$" is not allowed here: columns, numbers, durations and + - * / ( ) min max'],
    ['tokens; words', '";" is not allowed here: columns, numbers, durations and + - * / ( ) min max'],
    ['', 'nothing stands here: columns, numbers, durations and + - * / ( ) min max'],
    ['30ms *', 'a value is missing after *'],
    ['* 3', '* stands where a value belongs'],
    ['(tokens', 'a ) is missing after tokens'],
    ['tokens)', 'a ) closes what no ( has opened'],
    ['max(tokens, ', 'a value is missing after ,'],
    ['tokens, words', 'a comma belongs inside min( ) or max( )'],
    ['30ms tokens', 'nothing stands between 30ms and tokens: write + - * or /'],
    ['sqrt(tokens)', 'there is no function sqrt: min and max'],
    ['3x * tokens', '"3x" is neither a number nor a duration'],
    ['1.5.2 + 1', '"1.5.2" is neither a number nor a duration'],
    ['1m1h * tokens', '"1m1h" is not a duration: units go from large to small, each once'],
    ['token * 1ms', 'there is no column "token": did you mean tokens?'],
    ['tokens + 5ms', 'a time cannot be added to a number: write units, such as 1ms * column'],
    ['took - tokens', 'a number cannot be taken from a time: write units, such as 1ms * column'],
    ['took * 1s', 'a time cannot be multiplied by a time'],
    ['tokens / 1s', 'a number cannot be divided by a time'],
    ['began + ended', 'a date cannot be added to a date'],
    ['1s - began', 'a date cannot be taken from a time'],
    ['began * 2', 'a date cannot be multiplied by a number'],
    ['max(tokens, 1s)', 'max( ) of a number and a time: write units, such as 1ms * column'],
    ['1+'.repeat(600), 'this is longer than 1000 characters'],
  ])('%s is refused', (text, problem) => {
    expect(comesTo(text)).toBe(problem)
  })
})

/** Numbers with operations between them, beside what they come to. */
const sums = fc.letrec<{ sum: { text: string; value: number } }>((tie) => ({
  sum: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.nat({ max: 50 }).map((value) => ({ text: String(value), value })),
    fc
      .tuple(tie('sum'), fc.constantFrom('+', '-', '*', '/'), tie('sum'), fc.constantFrom('', ' '))
      .map(([a, sign, b, space]) => ({
        text: `(${a.text})${space}${sign}${space}(${b.text})`,
        value:
          sign === '+'
            ? a.value + b.value
            : sign === '-'
              ? a.value - b.value
              : sign === '*'
                ? a.value * b.value
                : a.value / b.value,
      })),
    fc.tuple(fc.constantFrom('min', 'max'), tie('sum'), tie('sum')).map(([name, a, b]) => ({
      text: `${name}(${a.text}, ${b.text})`,
      value: name === 'min' ? Math.min(a.value, b.value) : Math.max(a.value, b.value),
    })),
    tie('sum').map(({ text, value }) => ({ text: `-(${text})`, value: 0 - value })),
  ),
})).sum

test('any expression of numbers comes to what it comes to by hand', () => {
  fc.assert(
    fc.property(sums, ({ text, value }) => {
      fc.pre(text.length <= 1000)
      expect(comesTo(text)).toEqual({ kind: 'number', values: [value, value] })
    }),
    { seed: 1, numRuns: 1000 },
  )
})

test('products bind before sums, and both from the left', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.constantFrom('+', '-', '*')), {
        minLength: 1,
        maxLength: 12,
      }),
      fc.integer({ min: 1, max: 9 }),
      (terms, last) => {
        const text = [...terms.flat(), last].join(' ')
        // Summands are products: cut at + and -, and add up with their signs.
        const value = text
          .split(/ (?=[+-])/)
          .map((summand) => {
            const [, sign = '+', product = ''] = /^(?:([+-]) )?(.*)$/.exec(summand) ?? []
            const factors = product.split(' * ').map(Number)
            return (sign === '-' ? -1 : 1) * factors.reduce((all, factor) => all * factor, 1)
          })
          .reduce((sum, one) => sum + one, 0)
        expect(comesTo(text)).toEqual({ kind: 'number', values: [value, value] })
      },
    ),
    { seed: 2, numRuns: 1000 },
  )
})

test('any text is read or refused in a sentence', () => {
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.constantFrom('a', '1', '.', '+', '-', '*', '/', '(', ')', ',', ' ', 'ms', 'min', '$'),
        maxLength: 20,
      }),
      (text) => {
        const result = comesTo(text)
        if (typeof result === 'string') expect(result.length).toBeGreaterThan(10)
      },
    ),
    { seed: 3, numRuns: 3000 },
  )
})
