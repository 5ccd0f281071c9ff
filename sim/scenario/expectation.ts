/** What the scenario's author holds true of a row: `poll:7s: { requests: 17, timeToLearn: 5s }`. */
import { parseMetric, type MetricRef } from './metric.ts'
import { parseMetricValue } from './threshold.ts'
import { kindOf, notYet, quoted } from './values.ts'

export const OUTCOMES = ['learned', 'not-learned', 'failed'] as const

/** The values that are right. Times in ms. */
export type Wanted =
  | { of: 'outcome'; outcome: (typeof OUTCOMES)[number] }
  /** A time is right if it is the same when rounded to the precision it was written in: 1000 for `5s`, 1 for `5.000s`. */
  | { of: 'value'; value: number; precision: number }
  /** Bounds included; without one there is none on that side. */
  | { of: 'range'; least?: number; most?: number }

export interface Expectation {
  /** The row's name as the scenario writes it. */
  row: string
  /** Which of the scenario's mechanisms the row is of, from 0. */
  mechanism: number
  /** What is looked at; the outcome is no number. */
  of: MetricRef | 'outcome'
  wanted: Wanted
  /** As written, for messages: `5s`, `..60s`, `370 ± 8%`. */
  written: string
  file: string
  line: number
  column: number
}

/** Reads what is expected of one metric; a problem's further lines are hints. */
export function parseExpected(
  name: string,
  value: unknown,
): Pick<Expectation, 'of' | 'wanted' | 'written'> | { problem: string; of: 'metric' | 'value' } {
  const wrong = (problem: string, of: 'metric' | 'value' = 'value') => ({ problem, of })
  if (name === 'events') return wrong(notYet('events', 'expect counts and times'), 'metric')
  if (name === 'outcome') {
    const outcome = OUTCOMES.find((known) => known === value)
    return outcome === undefined
      ? wrong(`${quoted(value)} is no outcome: it is ${OUTCOMES.join(', ')}`)
      : { of: 'outcome', wanted: { of: 'outcome', outcome }, written: outcome }
  }
  const metric = parseMetric(name)
  if ('problem' in metric) return wrong(metric.problem, 'metric')
  if (typeof value !== 'string' && typeof value !== 'number') {
    return wrong(`expected a value of ${name}, such as 17, ..60s or 370 ± 8%, got ${kindOf(value)}`)
  }
  const written = String(value).trim()
  const wanted = parseWanted(metric.ref, written)
  return 'problem' in wanted ? wrong(wanted.problem) : { of: metric.ref, wanted, written }
}

function parseWanted(ref: MetricRef, written: string): Wanted | { problem: string } {
  if (/^[<>=!]/.test(written)) {
    return { problem: `a value cannot begin with ${written[0]}: write a range such as 3.. or ..60s` }
  }
  const around = /^(.*?\S)\s*(?:±|\+-)\s*(.+)$/.exec(written)
  if (around) return parseAround(ref, around[1] as string, around[2] as string)
  const range = /^(.*?)\.\.(.*)$/.exec(written)
  if (range) return parseRange(ref, written, range[1] as string, range[2] as string)
  const value = parseMetricValue(ref, written)
  if ('problem' in value) return value
  return { of: 'value', value: value.value, precision: ref.unit === 'time' ? precisionOf(written) : 0 }
}

function parseRange(ref: MetricRef, written: string, from: string, to: string): Wanted | { problem: string } {
  if (from === '' && to === '') return { problem: '".." has no bound: write 3.., ..60s or 17..18' }
  const least = from === '' ? undefined : parseMetricValue(ref, from)
  const most = to === '' ? undefined : parseMetricValue(ref, to)
  if (least && 'problem' in least) return least
  if (most && 'problem' in most) return most
  if (least && most && least.value > most.value) return { problem: `${written} runs backwards` }
  return {
    of: 'range',
    ...(least ? { least: least.value } : {}),
    ...(most ? { most: most.value } : {}),
  }
}

function parseAround(ref: MetricRef, middle: string, width: string): Wanted | { problem: string } {
  if (/^\d+(?:\.\d+)?\s*se$/.test(width)) {
    return { problem: notYet('a width in standard errors (se)', 'write a share such as 8%, or a value') }
  }
  const value = parseMetricValue(ref, middle)
  if ('problem' in value) return value
  const share = /^(\d+(?:\.\d+)?)%$/.exec(width)?.[1]
  const by =
    share === undefined ? parseMetricValue(ref, width) : { value: (value.value * Number(share)) / 100 }
  if ('problem' in by) return by
  return { of: 'range', least: value.value - by.value, most: value.value + by.value }
}

/** The smallest step a written time can tell apart, in ms: 1000 for `5s`, 1 for `6.182s`. */
function precisionOf(written: string): number {
  const [, decimals = '', unit] = /(?:\.(\d+))?(us|ms|s|m|h|d)$/.exec(written) ?? []
  // A bare 0 has no unit, so it is meant exactly.
  if (unit === undefined) return 0
  const unitMs = { us: 0.001, ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }[unit] as number
  return unitMs / 10 ** decimals.length
}
