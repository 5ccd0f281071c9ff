/** The names of what can be asked of a result: its JSON paths without the unit suffix. */
import { didYouMean } from '../policies/nearest.ts'
import { notYet, quoted } from './values.ts'

/** What a metric counts in; times are in ms, shares from 0 to 1, rates per second. */
export type MetricUnit = 'time' | 'count' | 'octets' | 'share' | 'rate'

export const AGGREGATES = ['mean', 'min', 'max', 'sum', 'p50', 'p90', 'p95', 'p99', 'p99.9'] as const
export type Aggregate = (typeof AGGREGATES)[number]

/** The metrics of one task, and of many. Most have one value in a run; see `KEPT` for the others. */
const MEASURED = {
  learned: 'share',
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
  tasks: 'count',
  rejected: 'count',
  waiting: 'time',
  requestsInFlight: 'count',
  connectionsOpen: 'count',
} as const satisfies Record<string, MetricUnit>

export type MetricName = keyof typeof MEASURED

/** Short names the format allows. */
const SHORT: Readonly<Record<string, MetricName>> = {
  lost: 'updates.lost',
  duplicate: 'updates.duplicate',
  coalesced: 'updates.coalesced',
}

/** Metrics of the format that nothing measures yet: money. */
export const LATER_METRICS = ['cost'] as const

/** What is asked: about the one task of a scenario, about the many of a fleet, or what may be asked about either. */
export type Subject = 'task' | 'fleet' | 'either'

/** What has many values in one run, what for, and which aggregates of them a row keeps. */
type Kept = Readonly<Record<string, { of: string; aggregates: readonly Aggregate[] }>>

const KEPT: Kept = {
  lateness: { of: 'each update', aggregates: ['mean', 'p50', 'p95', 'max'] },
  age: { of: 'each instant', aggregates: ['mean', 'max'] },
  staleness: { of: 'each instant', aggregates: ['mean', 'max'] },
}

const OF_TASKS: readonly Aggregate[] = ['mean', 'p50', 'p90', 'p95', 'p99', 'p99.9', 'max']

/** In a fleet each task learns at its own time, and load changes from instant to instant. */
const KEPT_OF_FLEETS: Kept = {
  timeToLearn: { of: 'each task', aggregates: OF_TASKS },
  learnedAt: { of: 'each task', aggregates: OF_TASKS },
  waiting: { of: 'each request', aggregates: ['mean', 'p95', 'max'] },
  requestsPerSecond: { of: 'each instant', aggregates: ['mean', 'max'] },
  requestsInFlight: { of: 'each instant', aggregates: ['mean', 'max'] },
  connectionsOpen: { of: 'each instant', aggregates: ['mean', 'max'] },
}

/** What only many tasks have. */
const OF_FLEETS_ALONE: readonly string[] = [
  'tasks',
  'rejected',
  'waiting',
  'requestsInFlight',
  'connectionsOpen',
]

/** What only one task is followed closely enough for. */
const OF_ONE_TASK_ALONE: readonly string[] = [
  'failedAt',
  'lateness',
  'age',
  'staleness',
  'freshness',
  'blindTime',
  'octets.waste',
]

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
export function parseMetric(
  text: string,
  subject: Subject = 'task',
): { ref: MetricRef } | { problem: string } {
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
    const isKept = of !== undefined && (Object.hasOwn(KEPT, of) || Object.hasOwn(KEPT_OF_FLEETS, of))
    const hint = isKept ? `: write ${path}(${of})` : didYouMean(name, KNOWN)
    return { problem: `there is no metric ${quoted(name)}${hint}\nmeasured: ${KNOWN_LINE}` }
  }
  const asked = { metric, aggregate, text }
  const problem =
    subject === 'task'
      ? problemOfTask(asked)
      : subject === 'fleet'
        ? problemOfFleet(asked)
        : problemOfEither(asked)
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

interface Asked {
  metric: string
  aggregate: Aggregate | undefined
  text: string
}

/** Why it can be asked for so of neither: in the words of what has it. */
function problemOfEither(asked: Asked): string | undefined {
  const [ofTask, ofFleet] = [problemOfTask(asked), problemOfFleet(asked)]
  return OF_FLEETS_ALONE.includes(asked.metric) ? ofFleet : ofFleet && ofTask
}

/** The line that makes a fleet of a scenario, in messages. */
export const FLEET_EXAMPLE = 'fleet: { tasks: 1000, window: 1h }'

/** Why a metric cannot be asked for so of one task. */
function problemOfTask({ metric, aggregate, text }: Asked): string | undefined {
  if (OF_FLEETS_ALONE.includes(metric)) {
    return `${text} is told of many tasks: add a fleet, such as ${FLEET_EXAMPLE}`
  }
  if (metric === 'requestsPerSecond' && aggregate !== undefined && aggregate !== 'mean') {
    return `of one task only mean(requestsPerSecond) is told: add a fleet, such as ${FLEET_EXAMPLE}`
  }
  return problemOfKept(KEPT, { metric, aggregate, text })
}

/** Why a metric cannot be asked for so of a fleet. */
function problemOfFleet({ metric, aggregate, text }: Asked): string | undefined {
  if (OF_ONE_TASK_ALONE.includes(metric)) return `${metric} is told of one task, not of a fleet`
  const problem = problemOfKept(KEPT_OF_FLEETS, { metric, aggregate, text })
  if (problem !== undefined || Object.hasOwn(KEPT_OF_FLEETS, metric)) return problem
  return aggregate === undefined || aggregate === 'mean'
    ? undefined
    : `${metric} is one number for a whole fleet: write ${metric}`
}

function problemOfKept(table: Kept, { metric, aggregate, text }: Asked): string | undefined {
  const kept = Object.hasOwn(table, metric) ? table[metric] : undefined
  if (kept === undefined || kept.aggregates.some((known) => known === aggregate)) return undefined
  const all = kept.aggregates.map((known) => `${known}(${metric})`).join(', ')
  return aggregate === undefined
    ? `${metric} is a number for ${kept.of}: write one of ${all}`
    : `${notYet(text, 'it is not measured')}\nmeasured: ${all}`
}

const KNOWN_LINE = Object.keys(MEASURED).join(', ')
