/** Arrivals that were recorded: a CSV file with when tasks began, and perhaps how long they took and whose they were. */
import { formatDuration, parseDuration } from '../../kernel/units.ts'
import { didYouMean } from '../../policies/nearest.ts'
import { unitOf } from '../column.ts'
import type { Trace } from '../fleet.ts'
import { LONGEST_US, quoted } from '../values.ts'
import { instantUsOf, numberOf } from './cell.ts'
import { placeOfRow, readCsv, textOfField, type CsvRow } from './csv.ts'
import {
  columnsIn,
  compile,
  parseExpression,
  type Column,
  type Compiled,
  type Expression,
  type Kind,
} from './expression.ts'

/** What is read of a file. `at` and `duration` are columns, or expressions over columns. */
export interface TraceSpec {
  at: string
  duration: string | undefined
  /** A column. */
  client: string | undefined
  /** Only so many rows, the first ones. */
  rows: number | undefined
  /** How many times as fast the tasks come. */
  speed: number
}

interface Problem {
  problem: string
}

/** Which value of the spec a problem is of; `file` where the whole file is meant. */
export type TraceKey = 'file' | 'at' | 'duration' | 'client' | 'rows'

/** A column while it is read: how its fields are, and its values so far. */
interface Reading {
  name: string
  /** The expression that named it first. */
  key: TraceKey
  field: number
  kind: Kind | undefined
  values: Float64Array
}

/**
 * Reads a trace. Problems name row and column; nothing is left out or mended.
 *
 * @param file its path, for people
 */
export function readTrace(
  file: string,
  bytes: Uint8Array,
  spec: TraceSpec,
): { trace: Trace } | (Problem & { key: TraceKey }) {
  const wrong = (problem: string, key: TraceKey) => ({ problem: `${file}: ${problem}`, key })
  let key: TraceKey = 'file'
  const numbered: Reading[] = []
  const lines: { client: Int32Array; field: number } = { client: new Int32Array(0), field: -1 }
  const clients = new Map<string, number>()
  let at: Expression | undefined
  let duration: Expression | undefined
  let capacity = 1024

  const read = readCsv(bytes, (names) => {
    const problemOfName = (name: string): Problem | undefined => {
      if (!names.includes(name)) {
        return {
          problem: `there is no column ${quoted(name)}${didYouMean(name, names)}\ncolumns: ${names.join(', ')}`,
        }
      }
      const isTwice = names.indexOf(name) !== names.lastIndexOf(name)
      return isTwice ? { problem: `the column ${quoted(name)} is there twice` } : undefined
    }
    for (const its of ['at', 'duration'] as const) {
      const text = spec[its]?.trim()
      if (text === undefined) continue
      key = its
      const parsed = names.includes(text)
        ? { expression: { of: 'column', name: text } as const }
        : parseExpression(text)
      if ('problem' in parsed) return parsed
      if (its === 'at') at = parsed.expression
      else duration = parsed.expression
      for (const name of columnsIn(parsed.expression)) {
        const problem = problemOfName(name)
        if (problem !== undefined) return problem
        if (numbered.some((column) => column.name === name)) continue
        const values = new Float64Array(capacity)
        numbered.push({ name, key: its, field: names.indexOf(name), kind: undefined, values })
      }
    }
    if (spec.client !== undefined) {
      key = 'client'
      const problem = problemOfName(spec.client)
      if (problem !== undefined) return problem
      lines.field = names.indexOf(spec.client)
      lines.client = new Int32Array(capacity)
    }
    key = 'file'
    const { rows: most = Infinity } = spec
    return (row) => {
      const index = row.number - 1
      if (index >= most) return 'done'
      if (index === capacity) {
        capacity *= 2
        for (const column of numbered) column.values = grown(column.values, new Float64Array(capacity))
        if (lines.field >= 0) lines.client = grown(lines.client, new Int32Array(capacity))
      }
      for (const column of numbered) {
        const value = valueOf(row, column)
        if (Number.isNaN(value)) {
          key = column.key
          return { problem: whyNot(row, column) }
        }
        column.values[index] = value
      }
      if (lines.field >= 0) lines.client[index] = clientNumber(row, lines.field, clients)
      return undefined
    }
  })
  if ('problem' in read) return wrong(read.problem, key)
  const rows = Math.min(read.rows, spec.rows ?? Infinity)
  if (rows === 0) return wrong('it has no rows below its names', 'file')
  if (spec.rows !== undefined && rows < spec.rows)
    return wrong(`it has ${rows} rows, and ${spec.rows} are asked for`, 'rows')

  const columns = new Map<string, Column>(
    numbered.map(({ name, kind = 'number', values }) => [name, { kind, values }]),
  )
  const whole = { rows, bytes, columns }
  const arrivals = timesOf('at', spec.at, at as Expression, whole)
  if ('problem' in arrivals) return wrong(arrivals.problem, 'at')
  const atUs = fromFirst(arrivals.us, spec, whole)
  if ('problem' in atUs) return wrong(atUs.problem, 'at')
  const durations = duration && timesOf('duration', spec.duration as string, duration, whole)
  if (durations && 'problem' in durations) return wrong(durations.problem, 'duration')
  return {
    trace: {
      file,
      atUs: atUs.us,
      ...(durations && { durationUs: durations.us }),
      ...(lines.field >= 0 && { client: lines.client.slice(0, rows) }),
    },
  }
}

function grown<Values extends Float64Array | Int32Array>(values: Values, into: Values): Values {
  into.set(values)
  return into
}

/** The first field of a column says what all of them are. */
function valueOf(row: CsvRow, column: Reading): number {
  const start = row.starts[column.field] as number
  const end = row.ends[column.field] as number
  column.kind ??= kindOfField(row, column.field)
  switch (column.kind) {
    case 'number':
      return numberOf(row.bytes, start, end)
    case 'date':
      return instantUsOf(row.bytes, start, end)
    case 'time':
      return parseDuration(textOfField(row, column.field)) ?? NaN
  }
}

function kindOfField(row: CsvRow, field: number): Kind {
  const [start, end] = [row.starts[field] as number, row.ends[field] as number]
  if (!Number.isNaN(instantUsOf(row.bytes, start, end))) return 'date'
  const text = textOfField(row, field)
  return text !== '0' && parseDuration(text) !== undefined ? 'time' : 'number'
}

const WANTED: Readonly<Record<Kind, string>> = {
  number: 'no number',
  time: 'no duration, as those above it are',
  date: 'no date and time, as those above it are',
}

function whyNot(row: CsvRow, { name, field, kind = 'number' }: Reading): string {
  const text = textOfField(row, field)
  const isFirst = row.number === 1
  const wanted = isFirst ? 'no number, no duration and no date with a time' : WANTED[kind]
  return `${placeOfRow(row)}, column ${name}: ${text === '' ? 'nothing stands here' : `${quoted(text)} is ${wanted}`}`
}

function clientNumber(row: CsvRow, field: number, clients: Map<string, number>): number {
  const text = textOfField(row, field)
  const known = clients.get(text)
  if (known !== undefined) return known
  clients.set(text, clients.size)
  return clients.size - 1
}

interface Whole {
  rows: number
  bytes: Uint8Array
  columns: ReadonlyMap<string, Column>
}

/** Where a row stands, told only when something is wrong with it: lines are not kept. */
function placeOf(index: number, { bytes }: Whole): string {
  let place = `row ${index + 1}`
  readCsv(bytes, () => (row) => {
    if (row.number <= index) return undefined
    place = placeOfRow(row)
    return 'done'
  })
  return place
}

/** What an expression comes to in each row, in whole µs; dates since 1970. */
function timesOf(
  key: 'at' | 'duration',
  text: string,
  expression: Expression,
  whole: Whole,
): { us: Float64Array } | Problem {
  const compiled = compile(expression, whole.columns)
  if ('problem' in compiled) return { problem: `${key}: ${compiled.problem}` }
  const inUnit = withUnit(compiled, expression)
  const { kind, valueAt } = inUnit
  if (kind === 'number') {
    const factor = expression.of === 'column' ? `1ms * ${expression.name}` : `1ms * (${text.trim()})`
    return { problem: `${key}: ${quoted(text.trim())} has no unit: write ${factor}` }
  }
  if (kind === 'date' && key === 'duration')
    return {
      problem: `duration: ${quoted(text.trim())} is a date and no time: write a difference of two columns`,
    }
  const us = new Float64Array(whole.rows)
  for (let row = 0; row < whole.rows; row++) {
    const value = Math.round(valueAt(row))
    if (!(value >= 0 && (kind === 'date' || value <= LONGEST_US)))
      return { problem: `${placeOf(row, whole)}, ${nameOf(key, expression)}: ${whyNoTime(value)}` }
    us[row] = value
  }
  return { us }
}

/** `column length_ms` where that is all, else the key. */
const nameOf = (key: string, expression: Expression): string =>
  expression.of === 'column' ? `column ${expression.name}` : key

function whyNoTime(us: number): string {
  if (!Number.isFinite(us)) return `it comes to ${us}`
  return us < 0 ? `${formatDuration(us)} is negative` : 'it is longer than 36500d, the longest'
}

/** A column of numbers alone is in the unit that its name ends in. */
function withUnit(compiled: Compiled, expression: Expression): Compiled {
  if (compiled.isZero === true) return { kind: 'time', valueAt: compiled.valueAt }
  const unit = expression.of === 'column' && compiled.kind === 'number' ? unitOf(expression.name) : undefined
  if (unit === undefined) return compiled
  const unitUs = parseDuration(`1${unit}`) as number
  return { kind: 'time', valueAt: (row) => compiled.valueAt(row) * unitUs }
}

/** Counted from the first; each at or after the one before. */
function fromFirst(us: Float64Array, { at, speed }: TraceSpec, whole: Whole): { us: Float64Array } | Problem {
  const firstUs = us[0] as number
  let beforeUs = firstUs
  const counted = new Float64Array(us.length)
  for (let row = 0; row < us.length; row++) {
    const itsUs = us[row] as number
    if (itsUs < beforeUs)
      return {
        problem: `${placeOf(row, whole)}, ${whole.columns.has(at.trim()) ? `column ${at.trim()}` : 'at'}: it comes ${formatDuration(beforeUs - itsUs)} before the row above it: sort the rows by when they began`,
      }
    beforeUs = itsUs
    const sinceUs = Math.round((itsUs - firstUs) / speed)
    if (sinceUs > LONGEST_US) return { problem: `${placeOf(row, whole)}, at: ${whyNoTime(sinceUs)}` }
    counted[row] = sinceUs
  }
  return { us: counted }
}
