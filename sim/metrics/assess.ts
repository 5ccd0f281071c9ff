/** A row held against what the scenario demands and expects: pure, and told in words. */
import { spellDuration } from '../kernel/units.ts'
import type { Expectation } from '../scenario/expectation.ts'
import type { MetricRef } from '../scenario/metric.ts'
import type { Comparison, Threshold } from '../scenario/threshold.ts'
import type { Row } from './row.ts'

/** One demand a row did not meet. */
export interface Miss {
  /** The row's name and policy word. */
  mechanism: string
  policy: string
  /** As the scenario writes it: `p95(timeToLearn)`, `outcome`. */
  metric: string
  wanted: string
  got: string
  /** How far off, `undefined` where there is no distance: `3 s too late`, `2 too many`. */
  by?: string
  /** All of it in one sentence. */
  message: string
  /** Where an expected value stands. Thresholds have no place of their own. */
  at?: { file: string; line: number; column: number }
}

/** The thresholds a row misses. What was never learned misses every comparison. */
export function assessThresholds(thresholds: readonly Threshold[], row: Row): Miss[] {
  return thresholds.flatMap((threshold) => {
    const { comparison, value } = threshold
    const got = readMetric(threshold, row)
    if (got !== undefined && compares[comparison](got, value)) return []
    return [miss(row, threshold, `${COMPARED[comparison]}${spell(threshold, value)}`, got, value)]
  })
}

/**
 * The expected values that did not come out.
 *
 * @param rows the rows of the scenario's mechanisms, in their order
 */
export function assessExpectations(expectations: readonly Expectation[], rows: readonly Row[]): Miss[] {
  return expectations.flatMap((expectation) => {
    const row = rows[expectation.mechanism]
    if (row === undefined)
      throw new RangeError(`there is no row ${expectation.mechanism} for ${expectation.row}`)
    const { file, line, column } = expectation
    return missOf(expectation, row).map((found) => ({ ...found, at: { file, line, column } }))
  })
}

function missOf({ of, wanted, written }: Expectation, row: Row): Miss[] {
  if (of === 'outcome' || wanted.of === 'outcome') {
    if (row.outcome === written) return []
    const got = row.reason === undefined ? row.outcome : `${row.outcome} (${row.reason})`
    return [sentence(row, 'outcome', written, got)]
  }
  const got = readMetric(of, row)
  if (wanted.of === 'value') {
    const isEqual = got !== undefined && roundedTo(got, wanted.precision) === wanted.value
    return isEqual ? [] : [miss(row, of, spell(of, wanted.value), got, wanted.value)]
  }
  const { least, most } = wanted
  // The difference is to the bound that was crossed.
  const crossed =
    got === undefined
      ? (most ?? least)
      : most !== undefined && got > most
        ? most
        : least !== undefined && got < least
          ? least
          : undefined
  if (got !== undefined && crossed === undefined) return []
  const range =
    least === undefined
      ? `at most ${spell(of, most ?? 0)}`
      : most === undefined
        ? `at least ${spell(of, least)}`
        : `${spell(of, least)} to ${spell(of, most)}`
  return [miss(row, of, range, got, crossed ?? 0)]
}

/** Half a step away still reads the same. */
const roundedTo = (value: number, precision: number): number =>
  precision === 0 ? value : usOf(Math.round(value / precision) * precision) / 1000

const compares: Record<Comparison, (got: number, value: number) => boolean> = {
  '<=': (got, value) => got <= value,
  '>=': (got, value) => got >= value,
  '<': (got, value) => got < value,
  '>': (got, value) => got > value,
  '==': (got, value) => got === value,
  '!=': (got, value) => got !== value,
}

const COMPARED: Record<Comparison, string> = {
  '<=': 'at most ',
  '>=': 'at least ',
  '<': 'less than ',
  '>': 'more than ',
  '==': '',
  '!=': 'anything but ',
}

/** The value a row has, ms for times; `undefined` if it has none because nothing was learned. */
function readMetric({ metric, aggregate }: MetricRef, row: Row): number | undefined {
  switch (metric) {
    case 'timeToLearn':
      return row.timeToLearnMs ?? undefined
    case 'learnedAt':
      return row.learnedAtMs ?? undefined
    case 'blindTime':
      return row.blindTimeMs
    case 'connectionTime':
      // Seconds are exact to the microsecond; their product with 1000 is not.
      return Math.round(row.connections.seconds * 1e6) / 1000
    case 'lateness': {
      const lateness = row.latenessMs
      if (aggregate !== 'mean' && aggregate !== 'p50' && aggregate !== 'p95' && aggregate !== 'max') {
        throw new RangeError(`a row does not tell the ${aggregate ?? 'bare'} lateness`)
      }
      return lateness?.[aggregate]
    }
    case 'updates.happened':
      return row.updates.happened
    case 'updates.learned':
      return row.updates.learned
    case 'updates.coalesced':
      return row.updates.coalesced
    case 'updates.lost':
      return row.updates.lost
    case 'updates.duplicate':
      return row.updates.duplicate
    case 'connections.opened':
      return row.connections.opened
    case 'connections.peak':
      return row.connections.peak
    case 'octets.total':
      return row.octets.total
    case 'octets.up':
      return row.octets.up
    case 'octets.down':
      return row.octets.down
    case 'octets.head':
      return row.octets.head
    case 'octets.body':
      return row.octets.body
    case 'requests':
    case 'polls':
    case 'emptyPolls':
    case 'webhookPosts':
    case 'streamEvents':
    case 'heartbeats':
    case 'retries':
    case 'reconnects':
    case 'cuts':
      return row[metric]
  }
}

/** Whole microseconds of a time in ms: decimals of ms are exact to the microsecond and no further. */
const usOf = (ms: number): number => Math.round(ms * 1000)

const spell = ({ unit }: MetricRef, value: number): string =>
  unit === 'time' ? spellDuration(usOf(value)) : unit === 'octets' ? `${value} octets` : String(value)

function miss(row: Row, metric: MetricRef, wanted: string, got: number | undefined, bound: number): Miss {
  if (got === undefined) {
    const why = row.reason === undefined ? '' : `: ${row.reason}`
    return sentence(row, metric.text, wanted, `unknown, since ${row.outcome}${why}`)
  }
  return sentence(row, metric.text, wanted, spell(metric, got), distance(metric, got, bound))
}

function distance(metric: MetricRef, got: number, bound: number): string | undefined {
  const by = spell(metric, Math.abs(got - bound))
  if (metric.unit === 'time') {
    // An instant comes late, a span lasts long.
    const isSpan = metric.metric === 'blindTime' || metric.metric === 'connectionTime'
    if (usOf(got) === usOf(bound)) return undefined
    return `${by} too ${got > bound ? (isSpan ? 'long' : 'late') : isSpan ? 'short' : 'early'}`
  }
  return got === bound ? undefined : `${by} too ${got > bound ? 'many' : 'few'}`
}

function sentence(row: Row, metric: string, wanted: string, got: string, by?: string): Miss {
  const { mechanism, policy } = row
  const name = mechanism === policy ? mechanism : `${mechanism} (${policy})`
  const message = `${name}: ${metric} is ${got}, wanted ${wanted}${by === undefined ? '' : `: ${by}`}`
  return { mechanism, policy, metric, wanted, got, ...(by === undefined ? {} : { by }), message }
}
