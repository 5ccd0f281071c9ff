/** A row, of one task or of many, held against what the scenario demands and expects: pure, and told in words. */
import { formatDuration, spellDuration } from '../kernel/units.ts'
import type { Expectation, WantedEvent } from '../scenario/expectation.ts'
import type { MetricRef } from '../scenario/metric.ts'
import type { Comparison, Threshold } from '../scenario/threshold.ts'
import { firstMissing, type RunEvent } from './events.ts'
import { isFleetRow, readFleetError, readFleetMetric, whyUnknown } from './fleet-read.ts'
import type { FleetRow } from './fleet-row.ts'
import { readMetric, readStandardError } from './read.ts'
import type { Outcome, Row } from './row.ts'

type AnyRow = Row | FleetRow

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
export function assessThresholds(thresholds: readonly Threshold[], row: AnyRow): Miss[] {
  return thresholds.flatMap((threshold) => {
    const { comparison, value } = threshold
    const got = read(threshold, row)
    if (got !== undefined && compares[comparison](got, value)) return []
    return [miss(row, threshold, `${COMPARED[comparison]}${spell(threshold, value)}`, got, value)]
  })
}

const read = (ref: MetricRef, row: AnyRow): number | undefined =>
  isFleetRow(row) ? readFleetMetric(ref, row) : readMetric(ref, row)

const readError = (ref: MetricRef, row: AnyRow): number | undefined =>
  isFleetRow(row) ? readFleetError(ref, row) : readStandardError(ref, row)

/** What came out of one mechanism. */
export interface RowWithEvents<R extends Row | FleetRow = Row> {
  row: R
  /** Of the first of several runs; empty if nothing is expected of them, as nothing is of fleets. */
  events: readonly RunEvent[]
}

/**
 * The expected values that did not come out.
 *
 * @param results of the scenario's mechanisms, in their order; those that nothing is expected of may be missing
 */
export function assessExpectations(
  expectations: readonly Expectation[],
  results: readonly (RowWithEvents<AnyRow> | undefined)[],
): Miss[] {
  return expectations.flatMap((expectation) => {
    const result = results[expectation.mechanism]
    if (result === undefined)
      throw new RangeError(`there is no row ${expectation.mechanism} for ${expectation.row}`)
    const { file, line, column } = expectation
    return missOf(expectation, result).map((found) => ({ ...found, at: { file, line, column } }))
  })
}

/** What came out where something is expected, as text; `undefined` if there is no such value. */
export function obtained(
  { of, wanted }: Expectation,
  { row, events }: RowWithEvents<AnyRow>,
): string | undefined {
  if (of === 'outcome') return outcomeIn(row)
  if (of !== 'events') {
    const got = read(of, row)
    return got === undefined ? undefined : spell(of, got)
  }
  const kinds = new Set(wanted.of === 'events' ? wanted.events.map(({ event }) => event) : [])
  return `[${spellEvents(events.filter(({ event }) => kinds.has(event)))}]`
}

function missOf({ of, wanted, written }: Expectation, { row, events }: RowWithEvents<AnyRow>): Miss[] {
  if (of === 'outcome' || wanted.of === 'outcome') {
    return cameOut(row, written) ? [] : [sentence(row, 'outcome', written, outcomeIn(row))]
  }
  if (of === 'events' || wanted.of === 'events')
    return wanted.of === 'events' ? missedEvents(wanted.events, written, { row, events }) : []
  const got = read(of, row)
  if (wanted.of === 'errors') {
    const by = wanted.times * (readError(of, row) ?? 0)
    if (got !== undefined && Math.abs(got - wanted.value) <= by) return []
    const range = `${spell(of, wanted.value - by)} to ${spell(of, wanted.value + by)} (${written})`
    return [miss(row, of, range, got, wanted.value + (got !== undefined && got < wanted.value ? -by : by))]
  }
  if (wanted.of === 'value') {
    const isEqual = got !== undefined && readsAs(got, wanted)
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

function missedEvents(
  wanted: readonly WantedEvent[],
  written: string,
  { row, events }: RowWithEvents<AnyRow>,
): Miss[] {
  const missing = firstMissing(events, wanted)
  if (missing === undefined) return []
  const { atUs, event } = missing
  const there = spellEvents(events.filter((one) => one.event === event)) || `no ${event}`
  const got = `missing ${formatDuration(atUs)} ${event} in its place (there is ${there})`
  return [sentence(row, 'events', written, got)]
}

/** So many events are told one by one. */
const EVENTS_TOLD = 6

function spellEvents(events: readonly RunEvent[]): string {
  const told = events.slice(0, EVENTS_TOLD).map(spellEvent).join(', ')
  return events.length > EVENTS_TOLD ? `${told}, and ${events.length - EVENTS_TOLD} more` : told
}

const spellEvent = ({ atUs, event, repeats }: RunEvent): string =>
  repeats === undefined
    ? `${formatDuration(atUs)} ${event}`
    : `${formatDuration(atUs)} ${event} (${repeats.count} times, every ${formatDuration(repeats.everyUs)})`

/** Half a step away still reads the same. */
const readsAs = (got: number, { value, precision }: { value: number; precision: number }): boolean =>
  precision === 0 ? got === value : Math.round(got / precision) === Math.round(value / precision)

/** Several runs, and all tasks of a fleet, must have ended so. */
function cameOut(row: AnyRow, wanted: string): boolean {
  if (isFleetRow(row)) return countsOf(row)[wanted as Outcome] === row.tasks
  const { outcome, runs } = row
  return runs === undefined ? outcome === wanted : runs.outcomes[wanted as Outcome] === runs.count
}

const countsOf = ({ outcomes }: FleetRow) => ({
  learned: outcomes.learned,
  'not-learned': outcomes.notLearned,
  failed: outcomes.failed,
  unfinished: outcomes.unfinished,
})

/** The outcome, and why it came; of several runs, or tasks, all outcomes there were. */
function outcomeIn(row: AnyRow): string {
  if (isFleetRow(row)) {
    const ended = Object.entries(countsOf(row)).filter(([, tasks]) => tasks > 0)
    const [only] = ended
    if (only !== undefined && ended.length === 1) return only[0]
    return ended.map(([one, tasks]) => `${one} for ${tasks} of ${row.tasks} tasks`).join(', ') || 'no task'
  }
  const { outcome, reason, runs } = row
  if (runs === undefined) return reason === undefined ? outcome : `${outcome} (${reason})`
  const there = Object.entries(runs.outcomes).filter(([, times]) => times > 0)
  if (there.length === 1) return outcome
  return there.map(([one, times]) => `${one} in ${times} of ${runs.count} runs`).join(', ')
}

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

/** Whole microseconds of a time in ms: decimals of ms are exact to the microsecond and no further. */
const usOf = (ms: number): number => Math.round(ms * 1000)

function spell({ unit }: MetricRef, value: number): string {
  switch (unit) {
    case 'time':
      return spellDuration(usOf(value))
    case 'octets':
      return `${rounded(value)} octets`
    case 'share':
      return `${rounded(value * 100)} %`
    case 'rate':
      return `${rounded(value)} per s`
    case 'count':
      return String(rounded(value))
  }
}

/** Means have more decimals than anybody reads. */
const rounded = (value: number): number => Number(value.toFixed(4))

function miss(row: AnyRow, metric: MetricRef, wanted: string, got: number | undefined, bound: number): Miss {
  if (got !== undefined)
    return sentence(row, metric.text, wanted, spell(metric, got), distance(metric, got, bound))
  if (isFleetRow(row)) return sentence(row, metric.text, wanted, `unknown: ${whyUnknown(metric, row)}`)
  const why = row.reason === undefined ? '' : `: ${row.reason}`
  return sentence(row, metric.text, wanted, `unknown, since ${outcomeOfAll(row)}${why}`)
}

const outcomeOfAll = (row: Row): string => (row.runs === undefined ? row.outcome : outcomeIn(row))

function distance(metric: MetricRef, got: number, bound: number): string | undefined {
  const by = spell(metric, Math.abs(got - bound))
  if (by === spell(metric, 0)) return undefined
  const [above, below] = tooMuch(metric)
  return `${by} too ${got > bound ? above : below}`
}

/** Metrics that tell when something was, or how late. */
const INSTANTS: readonly MetricRef['metric'][] = ['timeToLearn', 'learnedAt', 'failedAt', 'lateness']

/** What one says of more and of less than was wanted. An instant comes late, a span lasts long. */
function tooMuch({ metric, unit }: MetricRef): readonly [above: string, below: string] {
  if (unit === 'share' || unit === 'rate') return ['high', 'low']
  if (unit !== 'time') return ['many', 'few']
  return INSTANTS.includes(metric) ? ['late', 'early'] : ['long', 'short']
}

function sentence(row: AnyRow, metric: string, wanted: string, got: string, by?: string): Miss {
  const { mechanism, policy } = row
  const name = mechanism === policy ? mechanism : `${mechanism} (${policy})`
  const message = `${name}: ${metric} is ${got}, wanted ${wanted}${by === undefined ? '' : `: ${by}`}`
  return { mechanism, policy, metric, wanted, got, ...(by === undefined ? {} : { by }), message }
}
