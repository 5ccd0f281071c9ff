import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readTrace, type TraceSpec } from './trace.ts'

const SPEC: TraceSpec = { at: 'at_s', duration: undefined, client: undefined, rows: undefined, speed: 1 }

const read = (text: string, spec: Partial<TraceSpec> = {}) =>
  readTrace('t.csv', Buffer.from(text), { ...SPEC, ...spec })

function told(text: string, spec: Partial<TraceSpec> = {}) {
  const result = read(text, spec)
  if ('problem' in result) return result.problem.split('\n')[0]
  const { atUs, durationUs, client } = result.trace
  return {
    at: [...atUs],
    ...(durationUs && { duration: [...durationUs] }),
    ...(client && { client: [...client] }),
  }
}

describe('a trace', () => {
  test.each<[string, string, Partial<TraceSpec>, object]>([
    ['numbers in the unit of their name', 'at_s\n5\n5\n7.5\n', {}, { at: [0, 0, 2_500_000] }],
    ['durations', 'at\n1m\n1m30s\n', { at: 'at' }, { at: [0, 30_000_000] }],
    [
      'dates, in 100 ns',
      'when\n2023-11-16 23:59:59.9999998\n2023-11-17 00:00:01.0000000\n',
      { at: 'when' },
      { at: [0, 1_000_000] },
    ],
    [
      'dates of several zones',
      'at\n2024-01-01T12:00:00+01:00\n2024-01-01T11:00:01Z\n',
      { at: 'at' },
      { at: [0, 1_000_000] },
    ],
    ['an expression for when', 'n\n3\n5\n', { at: '250us * n' }, { at: [0, 500] }],
    [
      'lengths by an expression',
      'at_s,in,out\n0,374,44\n1,0,1\n',
      { duration: '0.25ms * in + 30ms * out' },
      { at: [0, 1_000_000], duration: [1_413_500, 30_000] },
    ],
    ['lengths by a column', 'at_s,took_ms\n0,1.5\n', { duration: 'took_ms' }, { at: [0], duration: [1500] }],
    [
      'a column of an odd name',
      'at_s,length (s)\n0,2\n',
      { duration: 'length (s)' },
      { at: [0], duration: [2_000_000] },
    ],
    [
      'clients in the order they appear',
      'at_s,who\n0,bob\n1,ann\n2,"bob"\n',
      { client: 'who' },
      { at: [0, 1e6, 2e6], client: [0, 1, 0] },
    ],
    ['the first rows', 'at_s\n0\n1\nrubbish\n', { rows: 2 }, { at: [0, 1_000_000] }],
    [
      'twice the speed',
      'at_s,d\n1,3s\n4,3s\n',
      { speed: 2, duration: 'd' },
      { at: [0, 1_500_000], duration: [3e6, 3e6] },
    ],
    ['CRLF, a byte order mark, quotes', '\uFEFF"at_s",b\r\n"1",x\r\n 2 ,"y,\n"', {}, { at: [0, 1_000_000] }],
  ])('%s', (_what, text, spec, expected) => {
    expect(told(text, spec)).toEqual(expected)
  })

  test.each<[string, Partial<TraceSpec>, string]>([
    ['', {}, 'it begins with no line of names, such as at,duration'],
    ['at_s\n', {}, 'it has no rows below its names'],
    ['at_m\n1\n', {}, 'there is no column "at_s": did you mean at_m?'],
    ['at_s,at_s\n1,2\n', {}, 'the column "at_s" is there twice'],
    ['at_s\n1\n', { client: 'who' }, 'there is no column "who"'],
    ['at_s\n1\n', { duration: '1ms * token' }, 'there is no column "token"'],
    ['at_s\n1\nNaN\n', {}, 'row 2 (line 3), column at_s: "NaN" is no number'],
    ['at_s\r\n"1"\r\n" 2 "', {}, 'row 2 (line 3), column at_s: " 2 " is no number'],
    ['at_s\n1\n""\n', {}, 'row 2 (line 3), column at_s: nothing stands here'],
    [
      'at_s\nsoon\n',
      {},
      'row 1 (line 2), column at_s: "soon" is no number, no duration and no date with a time',
    ],
    ['at\n1s\n2\n', { at: 'at' }, 'row 2 (line 3), column at: "2" is no duration, as those above it are'],
    [
      'at\n2024-01-01 00:00:00\n2024-01-32 00:00:00\n',
      { at: 'at' },
      'row 2 (line 3), column at: "2024-01-32 00:00:00" is no date and time, as those above it are',
    ],
    ['at_s\n-1\n', {}, 'row 1 (line 2), column at_s: -1s is negative'],
    ['at_s\n1e300\n', {}, 'row 1 (line 2), column at_s: it is longer than 36500d, the longest'],
    [
      'at_s\n1\n3\n2\n',
      {},
      'row 3 (line 4), column at_s: it comes 1s before the row above it: sort the rows by when they began',
    ],
    [
      'n\n1\n0\n',
      { at: '1s * n' },
      'row 2 (line 3), at: it comes 1s before the row above it: sort the rows by when they began',
    ],
    ['at\n1\n', { at: 'at' }, 'at: "at" has no unit: write 1ms * at'],
    ['at_s,n\n1,2\n', { duration: 'n + 1' }, 'duration: "n + 1" has no unit: write 1ms * (n + 1)'],
    [
      'at_s,n\n1,2\n',
      { duration: 'n + 1s' },
      'duration: a time cannot be added to a number: write units, such as 1ms * column',
    ],
    ['at_s,n\n1,5\n2,0\n', { duration: '1s / n' }, 'row 2 (line 3), duration: it comes to Infinity'],
    ['at_s,n\n1,5\n2,0\n', { duration: '1s * n / n' }, 'row 2 (line 3), duration: it comes to NaN'],
    ['at_s,n\n1,5\n2,7\n', { duration: '6s - 1s * n' }, 'row 2 (line 3), duration: -1s is negative'],
    [
      'at_s,d\n1,2024-01-01 00:00:00\n',
      { duration: 'd' },
      'duration: "d" is a date and no time: write a difference of two columns',
    ],
    ['at_s\n1\n2\n', { rows: 3 }, 'it has 2 rows, and 3 are asked for'],
    ['at_s,b\n1,2\n3\n', {}, 'row 2 (line 3): 1 field, where the line of names has 2'],
    ['at_s,b\n1,"2\n', {}, 'row 1 (line 2): a quote is opened and never closed'],
  ])('%j with %j is refused', (text, spec, problem) => {
    expect(told(text, spec)).toBe(`t.csv: ${problem}`)
  })

  test('a problem is marked at the key that asks for the column', () => {
    const keyOf = (text: string, spec: Partial<TraceSpec>) => {
      const result = read(text, spec)
      return 'problem' in result ? result.key : undefined
    }
    expect(keyOf('at_s,n\n1,x\n', { duration: '1ms * n' })).toBe('duration')
    expect(keyOf('at_s,n\n1,2\n', { client: 'who' })).toBe('client')
    expect(keyOf('at_s,n\n2,2\n1,2\n', { duration: '1ms * n' })).toBe('at')
    expect(keyOf('at_s\n1\n', { rows: 9 })).toBe('rows')
    expect(keyOf('at_s\n1,2\n', {})).toBe('file')
  })

  test('any tasks come back as they were written', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            wait: fc.nat({ max: 10 ** 10 }),
            tokens: fc.nat({ max: 10 ** 6 }),
            who: fc.nat({ max: 5 }),
          }),
          // Beyond the first size of the columns, so that they have to grow.
          { minLength: 1, maxLength: 3000, size: 'max' },
        ),
        fc.constantFrom('\n', '\r\n'),
        (tasks, end) => {
          let us = 0
          const rows = tasks.map(({ wait, tokens, who }) => `${(us += wait)},${tokens},client-${who}`)
          const result = read(['at_us,tokens,who', ...rows].join(end), {
            at: 'at_us',
            duration: '0.25ms * tokens',
            client: 'who',
          })
          if ('problem' in result) throw new Error(result.problem)
          const [first] = tasks
          us = -(first?.wait ?? 0)
          expect([...result.trace.atUs]).toEqual(tasks.map(({ wait }) => (us += wait)))
          expect([...(result.trace.durationUs ?? [])]).toEqual(tasks.map(({ tokens }) => 250 * tokens))
          const order = [...new Set(tasks.map(({ who }) => who))]
          expect([...(result.trace.client ?? [])]).toEqual(tasks.map(({ who }) => order.indexOf(who)))
        },
      ),
      // Thousands of rows would be made smaller one by one.
      { seed: 1, numRuns: 40, endOnFailure: true },
    )
  })

  test('a million rows', () => {
    const rows = Array.from({ length: 1_000_000 }, (_, index) => `${index * 3.5},${index % 4000}`)
    const result = read(['at_ms,tokens', ...rows].join('\n'), { at: 'at_ms', duration: '30ms * tokens' })
    if ('problem' in result) throw new Error(result.problem)
    expect(result.trace.atUs).toHaveLength(1_000_000)
    expect(result.trace.atUs.at(-1)).toBe(3_499_996_500)
    expect(result.trace.durationUs?.at(-1)).toBe(30_000 * 3999)
  })
})
