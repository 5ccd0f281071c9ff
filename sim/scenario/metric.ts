/** The names of what can be asked of a result: its JSON paths without the unit suffix. */
import { didYouMean } from '../policies/nearest.ts'
import { notYet, quoted } from './values.ts'

/** What a metric counts in; times are in ms. */
export type MetricUnit = 'time' | 'count' | 'octets'

export const AGGREGATES = ['mean', 'min', 'max', 'sum', 'p50', 'p90', 'p95', 'p99', 'p99.9'] as const
export type Aggregate = (typeof AGGREGATES)[number]

/** The metrics of this release. One run has one value of each; only `lateness` has one for every update. */
const MEASURED = {
  timeToLearn: 'time',
  learnedAt: 'time',
  lateness: 'time',
  blindTime: 'time',
  connectionTime: 'time',
  requests: 'count',
  polls: 'count',
  emptyPolls: 'count',
  webhookPosts: 'count',
  streamEvents: 'count',
  heartbeats: 'count',
  retries: 'count',
  reconnects: 'count',
  cuts: 'count',
  'updates.happened': 'count',
  'updates.learned': 'count',
  'updates.coalesced': 'count',
  'updates.lost': 'count',
  'updates.duplicate': 'count',
  'connections.opened': 'count',
  'connections.peak': 'count',
  'octets.total': 'octets',
  'octets.up': 'octets',
  'octets.down': 'octets',
  'octets.head': 'octets',
  'octets.body': 'octets',
} as const satisfies Record<string, MetricUnit>

export type MetricName = keyof typeof MEASURED

/** Short names the format allows. */
const SHORT: Readonly<Record<string, MetricName>> = {
  lost: 'updates.lost',
  duplicate: 'updates.duplicate',
  coalesced: 'updates.coalesced',
}

/** Metrics of the format that nothing measures yet. */
export const LATER_METRICS = [
  'age',
  'staleness',
  'waiting',
  'failedAt',
  'notModified',
  'slowDowns',
  'throttled',
  'rejected',
  'tasks',
  'requestsPerSecond',
  'requestsInFlight',
  'connectionsOpen',
  'freshness',
  'waste',
  'cost',
] as const

/** What the row knows of the lateness of all updates. */
const LATENESS = ['mean', 'p50', 'p95', 'max'] as const

/** A metric as asked for: `p95(lateness)`. */
export interface MetricRef {
  /** As written, for messages. */
  text: string
  metric: MetricName
  aggregate?: Aggregate
  unit: MetricUnit
}

/** Names that can be written, for suggestions. */
const KNOWN: readonly string[] = [...Object.keys(MEASURED), ...Object.keys(SHORT), ...LATER_METRICS]

/** Reads the name of a metric. */
export function parseMetric(text: string): { ref: MetricRef } | { problem: string } {
  const [, around, inside] = /^([\w.]+)\(([^)]*)\)$/.exec(text) ?? []
  if (around === 'cost') return { problem: notYet('cost', 'it is not measured') }
  const aggregate = AGGREGATES.find((known) => known === around)
  if (around !== undefined && aggregate === undefined) {
    return {
      problem: `"${around}" is no aggregate${didYouMean(around, AGGREGATES)}\nallowed: ${AGGREGATES.join(', ')}`,
    }
  }
  const name = (inside ?? text).trim()
  if (LATER_METRICS.some((known) => known === name)) return { problem: notYet(name, 'it is not measured') }
  const metric = Object.hasOwn(SHORT, name) ? (SHORT[name] as MetricName) : name
  if (!Object.hasOwn(MEASURED, metric)) {
    const path = /^lateness\.(\w+)$/.exec(metric)?.[1]
    const hint = path === undefined ? didYouMean(name, KNOWN) : `: write ${path}(lateness)`
    return { problem: `there is no metric ${quoted(name)}${hint}\nmeasured: ${KNOWN_LINE}` }
  }
  if (metric === 'lateness' && !LATENESS.some((known) => known === aggregate)) {
    const all = LATENESS.map((known) => `${known}(lateness)`).join(', ')
    return {
      problem:
        aggregate === undefined
          ? `lateness is a number for each update: write one of ${all}`
          : `${notYet(text, 'it is not measured')}\nmeasured: ${all}`,
    }
  }
  return {
    ref: {
      text,
      metric: metric as MetricName,
      ...(aggregate ? { aggregate } : {}),
      unit: MEASURED[metric as MetricName],
    },
  }
}

const KNOWN_LINE = Object.keys(MEASURED).join(', ')
