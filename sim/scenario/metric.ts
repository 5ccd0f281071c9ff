/** The names of what can be asked of a result: its JSON paths without the unit suffix. */
import { didYouMean } from '../policies/nearest.ts'
import { notYet, quoted } from './values.ts'

/** What a metric counts in; times are in ms, shares from 0 to 1, rates per second. */
export type MetricUnit = 'time' | 'count' | 'octets' | 'share' | 'rate'

export const AGGREGATES = ['mean', 'min', 'max', 'sum', 'p50', 'p90', 'p95', 'p99', 'p99.9'] as const
export type Aggregate = (typeof AGGREGATES)[number]

/** The metrics of one task. Most have one value in a run; see `KEPT` for the others. */
const MEASURED = {
  timeToLearn: 'time',
  learnedAt: 'time',
  failedAt: 'time',
  lateness: 'time',
  age: 'time',
  staleness: 'time',
  blindTime: 'time',
  connectionTime: 'time',
  requests: 'count',
  polls: 'count',
  emptyPolls: 'count',
  notModified: 'count',
  webhookPosts: 'count',
  streamEvents: 'count',
  heartbeats: 'count',
  retries: 'count',
  reconnects: 'count',
  cuts: 'count',
  slowDowns: 'count',
  throttled: 'count',
  removed: 'count',
  'updates.happened': 'count',
  'updates.learned': 'count',
  'updates.coalesced': 'count',
  'updates.lost': 'count',
  'updates.messagesLost': 'count',
  'updates.duplicate': 'count',
  'connections.opened': 'count',
  'connections.peak': 'count',
  'octets.total': 'octets',
  'octets.up': 'octets',
  'octets.down': 'octets',
  'octets.head': 'octets',
  'octets.body': 'octets',
  'octets.waste': 'octets',
  freshness: 'share',
  waste: 'share',
  requestsPerSecond: 'rate',
} as const satisfies Record<string, MetricUnit>

export type MetricName = keyof typeof MEASURED

/** Short names the format allows. */
const SHORT: Readonly<Record<string, MetricName>> = {
  lost: 'updates.lost',
  duplicate: 'updates.duplicate',
  coalesced: 'updates.coalesced',
}

/** Metrics of the format that nothing measures yet: they are about many tasks, or money. */
export const LATER_METRICS = [
  'waiting',
  'rejected',
  'tasks',
  'requestsInFlight',
  'connectionsOpen',
  'cost',
] as const

/** What has many values in one run, one for each update or instant, and which aggregates of them a row keeps. */
const KEPT: Readonly<Record<string, { of: string; aggregates: readonly Aggregate[] }>> = {
  lateness: { of: 'each update', aggregates: ['mean', 'p50', 'p95', 'max'] },
  age: { of: 'each instant', aggregates: ['mean', 'max'] },
  staleness: { of: 'each instant', aggregates: ['mean', 'max'] },
}

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
    const [, of, path] = /^(\w+)\.(\w+)$/.exec(metric) ?? []
    const isKept = of !== undefined && Object.hasOwn(KEPT, of)
    const hint = isKept ? `: write ${path}(${of})` : didYouMean(name, KNOWN)
    return { problem: `there is no metric ${quoted(name)}${hint}\nmeasured: ${KNOWN_LINE}` }
  }
  const problem = aggregateProblem(metric, aggregate, text)
  if (problem !== undefined) return { problem }
  return {
    ref: {
      text,
      metric: metric as MetricName,
      ...(aggregate ? { aggregate } : {}),
      unit: MEASURED[metric as MetricName],
    },
  }
}

/** Why a metric cannot be asked for so. */
function aggregateProblem(
  metric: string,
  aggregate: Aggregate | undefined,
  text: string,
): string | undefined {
  if (metric === 'requestsPerSecond' && aggregate !== undefined && aggregate !== 'mean') {
    return notYet(text, 'of one task only mean(requestsPerSecond) is measured')
  }
  const kept = Object.hasOwn(KEPT, metric) ? KEPT[metric] : undefined
  if (kept === undefined || kept.aggregates.some((known) => known === aggregate)) return undefined
  const all = kept.aggregates.map((known) => `${known}(${metric})`).join(', ')
  return aggregate === undefined
    ? `${metric} is a number for ${kept.of}: write one of ${all}`
    : `${notYet(text, 'it is not measured')}\nmeasured: ${all}`
}

const KNOWN_LINE = Object.keys(MEASURED).join(', ')
