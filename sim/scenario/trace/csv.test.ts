import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readCsv, textOfField } from './csv.ts'

function rowsOf(text: string | Uint8Array): { names: readonly string[]; rows: string[][]; problem?: string } {
  let names: readonly string[] = []
  const rows: string[][] = []
  const read = readCsv(typeof text === 'string' ? Buffer.from(text) : text, (head) => {
    names = head
    return (row) => {
      expect(row.number).toBe(rows.length + 1)
      rows.push(head.map((_, field) => textOfField(row, field)))
      return undefined
    }
  })
  if ('problem' in read) return { names, rows, problem: read.problem }
  expect(read.rows).toBe(rows.length)
  return { names, rows }
}

describe('what a writer writes a reader reads', () => {
  const anything = fc.string({
    unit: fc.constantFrom('a', 'é', '€', '7', ' ', ',', '"', '\n', '\r\n', '.'),
    maxLength: 6,
  })
  /** In quotes all may stand; bare only what has nothing to be told apart. */
  const cell = fc.record({
    text: anything,
    inQuotes: fc.boolean(),
    before: fc.constantFrom('', ' ', '\t'),
    after: fc.constantFrom('', ' '),
  })
  const mustBeQuoted = (text: string) => /[,"\r\n]/.test(text) || text !== text.trim()
  type Cell = { text: string; inQuotes: boolean; before: string; after: string }
  const written = ({ text, inQuotes, before, after }: Cell) =>
    inQuotes || mustBeQuoted(text)
      ? `${before}"${text.replaceAll('"', '""')}"${after}`
      : `${before}${text}${after}`

  test('any cells, with or without quotes, spaces, a byte order mark and a last line end', () => {
    fc.assert(
      fc.property(
        fc
          .integer({ min: 2, max: 5 })
          .chain((width) =>
            fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1 }),
          ),
        fc.constantFrom('\n', '\r\n'),
        fc.boolean(),
        fc.boolean(),
        (table, end, hasMark, hasLastEnd) => {
          const lines = table.map((row) => row.map(written).join(','))
          const text = `${hasMark ? '\uFEFF' : ''}${lines.join(end)}${hasLastEnd ? end : ''}`
          const [names = [], ...rows] = table.map((row) => row.map((one) => one.text))
          expect(rowsOf(text)).toEqual({ names, rows })
        },
      ),
      { seed: 1, numRuns: 500 },
    )
  })

  test('any octets are read or refused, and never more rows than lines', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r', ' '), maxLength: 40 }),
        (text) => {
          const { rows, names, problem } = rowsOf(text)
          expect(rows.length).toBeLessThan(text.split('\n').length)
          if (problem === undefined) expect(rows.every((row) => row.length === names.length)).toBe(true)
          else
            expect(problem).toMatch(
              /^(?:row \d+ \(line \d+\)|the line of names|it begins with no line of names)/,
            )
        },
      ),
      { seed: 2, numRuns: 2000 },
    )
  })
})

describe('what is no row is told', () => {
  test.each([
    ['', 'it begins with no line of names, such as at,duration'],
    ['\n\n', 'it begins with no line of names, such as at,duration'],
    ['\na,b\n', 'it begins with no line of names, such as at,duration'],
    ['a,"b\n1,2\n', 'the line of names: a quote is opened and never closed'],
    ['a,b"\n1,2\n', 'the line of names: a quote in the middle of a field: put the whole field in quotes'],
    ['a,b\n1,2\n3\n', 'row 2 (line 3): 1 field, where the line of names has 2'],
    ['a,b\n1,2,3\n', 'row 1 (line 2): 3 fields, where the line of names has 2'],
    ['a,b\n1,2\n\n3,4\n', 'row 2 (line 3) is empty'],
    ['a\n1\n \n2\n', 'row 2 (line 3) is empty'],
    ['a,b\n"1,2\n3,4\n', 'row 1 (line 2): a quote is opened and never closed'],
    [
      'a,b\n"1"x,2\n',
      'row 1 (line 2): something follows a closing quote: two quotes stand for one inside a field',
    ],
    ['a,b\n1,2"3"\n', 'row 1 (line 2): a quote in the middle of a field: put the whole field in quotes'],
    // A field over two lines moves lines and rows apart.
    ['a,b\n"1\n1",2\n3\n', 'row 2 (line 4): 1 field, where the line of names has 2'],
  ])('%j', (text, problem) => {
    expect(rowsOf(text).problem).toBe(problem)
  })

  test('octets that are no UTF-8', () => {
    expect(rowsOf(Buffer.from([97, 44, 98, 10, 0xff, 44, 49, 10])).problem).toBe('this is no text in UTF-8')
  })
})
