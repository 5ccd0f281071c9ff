/** Measured times from a column of a CSV file. */
import { didYouMean } from '../policies/nearest.ts'
import { parseDuration } from '../kernel/units.ts'
import { quoted } from './values.ts'

/** The units that the name of a column may end in: `ms`, `length_s`, `length (s)`, `durationMs`. */
const UNIT = /(?:(?:^|[^A-Za-z])(us|ms|s|m|h|d)\)?|[a-z](Us|Ms|S|M|H|D))$/

/**
 * The values of a column in µs, in the order of its rows: durations with their
 * unit, or numbers in the unit that the column's name ends in.
 */
export function timesOfColumn(
  text: string,
  column: string,
): { valuesUs: readonly number[] } | { problem: string } {
  const [head = '', ...rows] = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  const names = cellsOf(head)
  const index = names.indexOf(column)
  if (index < 0) {
    return {
      problem: `there is no column ${quoted(column)}${didYouMean(column, names)}\ncolumns: ${names.join(', ')}`,
    }
  }
  const [, word, tail] = UNIT.exec(column) ?? []
  const unit = word ?? tail?.toLowerCase()
  const valuesUs: number[] = []
  for (const [number, row] of rows.entries()) {
    if (row.trim() === '') continue
    const cell = cellsOf(row)[index] ?? ''
    const us = timeOf(cell, unit)
    if (us === undefined) {
      const line = number + 2
      const isBare = unit === undefined && /^\d+(?:\.\d+)?$/.test(cell)
      const hint = isBare ? `: it has no unit, and the column's name ends in none (such as ${column}_ms)` : ''
      return { problem: `line ${line}, column ${column}: ${quoted(cell)} is no duration${hint}` }
    }
    valuesUs.push(us)
  }
  return valuesUs.length > 0 ? { valuesUs } : { problem: `the column ${column} has no values` }
}

/** Whole µs of `20s`, or of a number in a unit. */
function timeOf(cell: string, unit: string | undefined): number | undefined {
  if (!/^\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(cell)) return parseDuration(cell)
  if (unit === undefined) return undefined
  const us = Math.round(Number(cell) * (parseDuration(`1${unit}`) as number))
  return Number.isSafeInteger(us) ? us : undefined
}

/** Cells of a line; in quotes a comma belongs to the cell, and two quotes are one. */
function cellsOf(line: string): string[] {
  const cells: string[] = []
  for (const [, inQuotes, bare] of line.matchAll(/(?:^|,)(?:\s*"((?:[^"]|"")*)"\s*|([^,]*))/g)) {
    cells.push(inQuotes === undefined ? (bare ?? '').trim() : inQuotes.replaceAll('""', '"'))
  }
  return cells
}
