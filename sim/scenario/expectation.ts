/** What the scenario's author holds true of a row: `poll:7s: { requests: 17, timeToLearn: 5s }`. */
import { didYouMean } from '../policies/nearest.ts'
import { parseMetric, type MetricRef, type Subject } from './metric.ts'
import { parseMetricValue } from './threshold.ts'
import { durationProblem, durationUs, kindOf, quoted } from './values.ts'

export const OUTCOMES = ['learned', 'not-learned', 'failed'] as const

/** What can be expected to happen in a run. */
export const EVENTS = [
  'sent',
  'opened',
  'poll',
  'post',
  'cut',
  'closed',
  'reconnect',
  'slow-down',
  'throttled',
  'learned',
  'failed',
  'gave-up',
  'removed',
] as const

/** One event with its instant, right if it is the same when rounded to the precision it was written in. */
export interface WantedEvent {
  atUs: number
  precisionUs: number
  event: (typeof EVENTS)[number]
}

/** The values that are right. Times in ms. */
export type Wanted =
  | { of: 'outcome'; outcome: (typeof OUTCOMES)[number] }
  /** Right if it is the same when rounded to the precision it was written in: 1000 for `5s`, 1 for `5.000s`, 0 for exactly. */
  | { of: 'value'; value: number; precision: number }
  /** Bounds included; without one there is none on that side. */
  | { of: 'range'; least?: number; most?: number }
  /** Within so many standard errors of the runs. */
  | { of: 'errors'; value: number; times: number }
  /** In this order among the others. */
  | { of: 'events'; events: readonly WantedEvent[] }

export interface Expectation {
  /** The row's name as the scenario writes it. */
  row: string
  /** Which of the scenario's mechanisms the row is of, from 0. */
  mechanism: number
  /** What is looked at; outcome and events are no numbers. */
  of: MetricRef | 'outcome' | 'events'
  wanted: Wanted
  /** As written, for messages: `5s`, `..60s`, `370 ± 8%`. */
  written: string
  file: string
  line: number
  column: number
}

/** What is wrong with an expectation: its metric, its value, or one entry of its list. Further lines are hints. */
interface Wrong {
  problem: string
  of: 'metric' | 'value'
  entry?: number
}

/** Reads what is expected of one metric. */
export function parseExpected(
  name: string,
  value: unknown,
  subject: Subject = 'task',
): Pick<Expectation, 'of' | 'wanted' | 'written'> | Wrong {
  const wrong = (problem: string, of: 'metric' | 'value' = 'value') => ({ problem, of })
  if (name === 'events' && subject === 'fleet')
    return wrong('events are told of one task, not of a fleet', 'metric')
  if (name === 'events') return parseEvents(value)
  if (name === 'outcome') {
    const outcome = OUTCOMES.find((known) => known === value)
    return outcome === undefined
      ? wrong(`${quoted(value)} is no outcome: it is ${OUTCOMES.join(', ')}`)
      : { of: 'outcome', wanted: { of: 'outcome', outcome }, written: outcome }
  }
  const metric = parseMetric(name, subject)
  if ('problem' in metric) return wrong(metric.problem, 'metric')
  if (typeof value !== 'string' && typeof value !== 'number') {
    return wrong(`expected a value of ${name}, such as 17, ..60s or 370 ± 8%, got ${kindOf(value)}`)
  }
  const written = String(value).trim()
  const wanted = parseWanted(metric.ref, written)
  return 'problem' in wanted ? wrong(wanted.problem) : { of: metric.ref, wanted, written }
}

function parseEvents(value: unknown): Pick<Expectation, 'of' | 'wanted' | 'written'> | Wrong {
  if (!Array.isArray(value) || value.length === 0) {
    return {
      problem: `events is a list: write [${typeof value === 'string' ? value : '60s cut'}]`,
      of: 'value',
    }
  }
  const events: WantedEvent[] = []
  for (const [entry, written] of value.entries()) {
    const [, at = '', name = ''] = /^(\S+)\s+(\S+)$/.exec(String(written)) ?? []
    const event = EVENTS.find((known) => known === name)
    const problem =
      name === ''
        ? `${quoted(written)} is no event: write an instant and what happens, such as 60s cut`
        : (durationProblem(at) ??
          (event === undefined ? `"${name}" is no event${didYouMean(name, EVENTS)}` : undefined))
    if (problem !== undefined)
      return { problem: `${problem}\nevents: ${EVENTS.join(', ')}`, of: 'value', entry }
    if (event === undefined) continue
    const precisionUs = Math.round(precisionOf(at) * 1000)
    events.push({ atUs: durationUs(at), precisionUs, event })
  }
  return { of: 'events', wanted: { of: 'events', events }, written: `[${value.join(', ')}]` }
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
  return { of: 'value', value: value.value, precision: writtenPrecision(ref, written) }
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
  const value = parseMetricValue(ref, middle)
  if ('problem' in value) return value
  const times = /^(\d+(?:\.\d+)?)\s*se$/.exec(width)?.[1]
  if (times !== undefined) return { of: 'errors', value: value.value, times: Number(times) }
  // Of a share, 1% is one of its hundred parts; of all else, a hundredth of the value.
  const share = ref.unit === 'share' ? undefined : /^(\d+(?:\.\d+)?)%$/.exec(width)?.[1]
  const by =
    share === undefined ? parseMetricValue(ref, width) : { value: (value.value * Number(share)) / 100 }
  if ('problem' in by) return by
  return { of: 'range', least: value.value - by.value, most: value.value + by.value }
}

/** How exactly a value is meant: a time, share or rate as it is written, a count exactly unless it has decimals. */
function writtenPrecision({ unit }: MetricRef, written: string): number {
  if (unit === 'time') return precisionOf(written)
  const decimals = /\.(\d+)/.exec(written)?.[1]?.length ?? 0
  if (unit === 'share') return 0.01 / 10 ** decimals
  return unit === 'rate' || decimals > 0 ? 10 ** -decimals : 0
}

/** The smallest step a written time can tell apart, in ms: 1000 for `5s`, 1 for `6.182s`. */
function precisionOf(written: string): number {
  const [, decimals = '', unit] = /(?:\.(\d+))?(us|ms|s|m|h|d)$/.exec(written) ?? []
  // A bare 0 has no unit, so it is meant exactly.
  if (unit === undefined) return 0
  const unitMs = { us: 0.001, ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }[unit] as number
  return unitMs / 10 ** decimals.length
}
