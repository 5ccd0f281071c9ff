/**
 * CSV files as RFC 4180 has them, read from their octets in one pass: a line of
 * names, then rows of as many fields, with LF or CRLF, a byte order mark or
 * none, fields in quotes or bare, and spaces around either. Nothing is skipped:
 * a row that is no row is told.
 *
 * Ours rather than a library: what comes out are numbers in typed arrays, and
 * parsers that make a text of every field take ten times as long for a million
 * rows. What it must do is little and the tests hold it against a writer.
 */
import { isUtf8 } from 'node:buffer'

/** One row as it lies in the file. The same object for each: what is kept must be copied. */
export interface CsvRow {
  /** From 1; the names are no row. */
  number: number
  /** Of the file, from 1: a field in quotes may go over several. */
  line: number
  readonly bytes: Buffer
  /** Where each field begins and ends, without its quotes. */
  readonly starts: Int32Array
  readonly ends: Int32Array
}

interface Problem {
  problem: string
}

/** What becomes of each row: a problem, or `done` where no further row is wanted. */
export type RowReader = (row: CsvRow) => Problem | 'done' | undefined

const [TAB, LF, CR, SPACE, QUOTE, COMMA] = [9, 10, 13, 32, 34, 44] as const

/** A field as text. Where it stood in quotes, two quotes are one. */
export function textOfField({ bytes, starts, ends }: CsvRow, field: number): string {
  const start = starts[field] as number
  const text = bytes.toString('utf8', start, ends[field])
  return start > 0 && bytes[start - 1] === QUOTE ? text.replaceAll('""', '"') : text
}

/** `row 4 (line 5)` */
export const placeOfRow = ({ number, line }: CsvRow): string => `row ${number} (line ${line})`

/**
 * Reads a file from its names to its last row.
 *
 * @param begin learns the names and says what is done with each row
 */
export function readCsv(
  bytes: Uint8Array,
  begin: (names: readonly string[]) => RowReader | Problem,
): { rows: number } | Problem {
  if (!isUtf8(bytes)) return { problem: 'this is no text in UTF-8' }
  const from = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
  const scan = createScanner(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), from)

  const head = scan.next(countOfFields(bytes, from))
  if (head === 'end' || 'blank' in head)
    return { problem: 'it begins with no line of names, such as at,duration' }
  if ('problem' in head) return { problem: `the line of names: ${head.problem}` }
  const names = Array.from(head.row.starts, (_, field) => textOfField(head.row, field))
  const reader = begin(names)
  if ('problem' in reader) return reader

  scan.begin(names.length)
  for (;;) {
    const next = scan.next(names.length)
    if (next === 'end') return { rows: scan.rows() }
    if ('problem' in next) return { problem: `${next.place}: ${next.problem}` }
    if ('blank' in next) return { problem: `${next.blank} is empty` }
    const end = reader(next.row)
    if (end === 'done') return { rows: scan.rows() }
    if (end !== undefined) return end
  }
}

type Next = 'end' | { row: CsvRow } | { blank: string } | (Problem & { place: string })

/** Goes from line to line. */
function createScanner(bytes: Buffer, from: number) {
  const size = bytes.length
  let at = from
  let line = 1
  let isHead = true
  let row: CsvRow = { number: 0, line: 1, bytes, starts: new Int32Array(0), ends: new Int32Array(0) }
  const found: { row: CsvRow } = { row }

  function wrong(problem: string): Problem & { place: string } {
    return { problem, place: placeOfRow(row) }
  }

  /** Whether nothing but line ends and spaces follows. */
  function isRestEmpty(): boolean {
    for (let i = at; i < size; i++) {
      const octet = bytes[i] as number
      if (octet !== LF && octet !== CR && octet !== SPACE && octet !== TAB) return false
    }
    return true
  }

  return {
    rows: () => row.number,

    /** After the names: rows of so many fields follow. */
    begin(fields: number): void {
      isHead = false
      row = { number: 0, line, bytes, starts: new Int32Array(fields), ends: new Int32Array(fields) }
      found.row = row
    },

    next(fields: number): Next {
      if (isHead) {
        row = { number: 0, line: 1, bytes, starts: new Int32Array(fields), ends: new Int32Array(fields) }
        found.row = row
      }
      if (at >= size) return 'end'
      const { starts, ends } = row
      row.line = line
      if (!isHead) row.number += 1
      let field = 0
      let octet = bytes[at] as number
      for (;;) {
        while (octet === SPACE || octet === TAB) octet = bytes[++at] as number
        let start = at
        let end: number
        if (octet === QUOTE) {
          start = ++at
          for (;;) {
            while (at < size && bytes[at] !== QUOTE) if (bytes[at++] === LF) line += 1
            if (at >= size) return wrong('a quote is opened and never closed')
            if (bytes[at + 1] !== QUOTE) break
            at += 2
          }
          end = at
          octet = bytes[++at] as number
          while (octet === SPACE || octet === TAB) octet = bytes[++at] as number
          if (octet === CR && (at + 1 >= size || bytes[at + 1] === LF)) octet = bytes[++at] as number
          if (at < size && octet !== COMMA && octet !== LF)
            return wrong('something follows a closing quote: two quotes stand for one inside a field')
        } else {
          while (at < size && octet !== COMMA && octet !== LF) {
            if (octet === QUOTE)
              return wrong('a quote in the middle of a field: put the whole field in quotes')
            octet = bytes[++at] as number
          }
          end = at
          if (octet !== COMMA && end > start && bytes[end - 1] === CR) end -= 1
          while (end > start && (bytes[end - 1] === SPACE || bytes[end - 1] === TAB)) end -= 1
          if (field === 0 && end === start && octet !== COMMA) {
            if (isRestEmpty()) {
              row.number -= isHead ? 0 : 1
              at = size
              return 'end'
            }
            return { blank: placeOfRow(row) }
          }
        }
        if (field < fields) {
          starts[field] = start
          ends[field] = end
        }
        field += 1
        if (at >= size || octet !== COMMA) break
        octet = bytes[++at] as number
      }
      at += 1
      line += 1
      if (field !== fields) {
        return wrong(`${field} ${field === 1 ? 'field' : 'fields'}, where the line of names has ${fields}`)
      }
      return found
    },
  }
}

/** How many fields the line of names has: commas outside quotes, and one. */
function countOfFields(bytes: Uint8Array, from: number): number {
  let count = 1
  let inQuotes = false
  for (let at = from; at < bytes.length; at++) {
    if (bytes[at] === QUOTE) inQuotes = !inQuotes
    else if (!inQuotes && bytes[at] === LF) break
    else if (!inQuotes && bytes[at] === COMMA) count += 1
  }
  return count
}
