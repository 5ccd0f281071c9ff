/** Measured times from a column of a CSV file. */
import { didYouMean } from '../policies/nearest.ts'
import { parseDuration } from '../kernel/units.ts'
import { placeOfRow, readCsv, textOfField } from './trace/csv.ts'
import { quoted } from './values.ts'

/** The units that the name of a column may end in: `ms`, `length_s`, `length (s)`, `durationMs`. */
const UNIT = /(?:(?:^|[^A-Za-z])(us|ms|s|m|h|d)\)?|[a-z](Us|Ms|S|M|H|D))$/

/** The unit that the name of a column ends in, if it does. */
export function unitOf(column: string): string | undefined {
  const [, word, tail] = UNIT.exec(column) ?? []
  return word ?? tail?.toLowerCase()
}

/**
 * The values of a column in µs, in the order of its rows: durations with their
 * unit, or numbers in the unit that the column's name ends in.
 */
export function timesOfColumn(
  bytes: Uint8Array,
  column: string,
): { valuesUs: readonly number[] } | { problem: string } {
  const unit = unitOf(column)
  const valuesUs: number[] = []
  const read = readCsv(bytes, (names) => {
    const field = names.indexOf(column)
    if (field < 0) {
      return {
        problem: `there is no column ${quoted(column)}${didYouMean(column, names)}\ncolumns: ${names.join(', ')}`,
      }
    }
    return (row) => {
      const cell = textOfField(row, field)
      const us = timeOf(cell, unit)
      if (us === undefined) {
        const isBare = unit === undefined && /^\d+(?:\.\d+)?$/.test(cell)
        const hint = isBare
          ? `: it has no unit, and the column's name ends in none (such as ${column}_ms)`
          : ''
        return { problem: `${placeOfRow(row)}, column ${column}: ${quoted(cell)} is no duration${hint}` }
      }
      valuesUs.push(us)
      return undefined
    }
  })
  if ('problem' in read) return read
  return valuesUs.length > 0 ? { valuesUs } : { problem: `the column ${column} has no values` }
}

/** Whole µs of `20s`, or of a number in a unit. */
function timeOf(cell: string, unit: string | undefined): number | undefined {
  if (!/^\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(cell)) return parseDuration(cell)
  if (unit === undefined) return undefined
  const us = Math.round(Number(cell) * (parseDuration(`1${unit}`) as number))
  return Number.isSafeInteger(us) ? us : undefined
}
