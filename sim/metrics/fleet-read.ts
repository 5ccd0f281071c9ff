/** What a row about many tasks says of one metric. */
import type { Aggregate, MetricRef } from '../scenario/metric.ts'
import type { Estimate, FleetRow, OverTime, Spread } from './fleet-row.ts'
import type { Row } from './row.ts'

export const isFleetRow = (row: Row | FleetRow): row is FleetRow => 'load' in row

/** Half a 95 % confidence interval is so many standard errors. */
const ERRORS_OF_95 = 1.96

/**
 * The value a row has, ms for times; `undefined` if it has none: quantiles that
 * lie among tasks that never learned, times of a load that has no steady state,
 * octets that were not measured, and what only one task is followed closely enough for.
 */
export const readFleetMetric = (ref: MetricRef, row: FleetRow): number | undefined => {
  const value = estimateOf(ref, row)
  return typeof value === 'number' ? value : value?.value
}

/** The standard error of a metric; `undefined` where there is none, as of what is exact. */
export function readFleetError(ref: MetricRef, row: FleetRow): number | undefined {
  const value = estimateOf(ref, row)
  if (value === undefined) return undefined
  // Requests are counted: what is known of their rate is known of them.
  if (typeof value === 'number' && ref.metric === 'requests') return errorOf(row.load.mean, value)
  return typeof value === 'number' ? undefined : errorOf(value)
}

function errorOf({ value, plusMinus }: Estimate, times: number = value): number | undefined {
  if (plusMinus === null) return undefined
  return (value === 0 ? plusMinus : (plusMinus / value) * times) / ERRORS_OF_95
}

/** Why a row has no value for a metric, for people. */
export function whyUnknown({ metric, aggregate }: MetricRef, row: FleetRow): string {
  const isTime = metric === 'timeToLearn' || metric === 'waiting'
  if (isTime && row.overload !== null) return noSteadyState(row.overload)
  if (metric === 'timeToLearn')
    return row.timeToLearnMs === null
      ? 'no task learned of its end'
      : `the ${aggregate ?? 'value'} lies among tasks that never learned`
  if (metric === 'waiting')
    return row.waitingMs === null ? 'no request waits: the agent has any number of handlers' : 'none waited'
  if (metric.startsWith('octets.')) return 'messages were not measured'
  if (metric === 'learned') return 'no task began in the window'
  return metric === 'waste' ? 'nothing was polled' : `it is told of one task, not of a fleet`
}

/** What is said instead of a mean that would only grow with the window. */
export const noSteadyState = ({ load }: { load: number }): string =>
  `no steady state: the handlers are asked for ${Number(load.toPrecision(3))} of what they can do`

function estimateOf({ metric, aggregate }: MetricRef, row: FleetRow): Estimate | number | undefined {
  switch (metric) {
    case 'learned':
      return row.tasks === 0 ? undefined : row.outcomes.learned / row.tasks
    case 'timeToLearn':
      return row.overload === null ? ofSpread(row.timeToLearnMs, aggregate) : undefined
    case 'waiting':
      return row.overload === null ? ofSpread(row.waitingMs, aggregate) : undefined
    case 'requestsPerSecond':
      return overTime(row.load, aggregate)
    case 'requestsInFlight':
      return overTime(row.requestsInFlight, aggregate)
    case 'connectionsOpen':
      return overTime(row.connectionsOpen, aggregate)
    case 'connections.peak':
      return row.connectionsOpen.peak
    case 'connections.opened':
      return row.connections.opened
    case 'connectionTime':
      return row.connections.seconds * 1000
    case 'waste':
      return row.polls === 0 ? undefined : row.emptyPolls / row.polls
    case 'updates.happened':
    case 'updates.learned':
    case 'updates.coalesced':
    case 'updates.lost':
    case 'updates.messagesLost':
    case 'updates.duplicate':
      return row.updates[below(metric) as keyof FleetRow['updates']]
    case 'octets.total':
    case 'octets.up':
    case 'octets.down':
    case 'octets.head':
    case 'octets.body':
      return row.octets?.[below(metric) as keyof NonNullable<FleetRow['octets']>]
    case 'tasks':
    case 'requests':
    case 'polls':
    case 'emptyPolls':
    case 'notModified':
    case 'webhookPosts':
    case 'streamEvents':
    case 'heartbeats':
    case 'retries':
    case 'reconnects':
    case 'cuts':
    case 'slowDowns':
    case 'throttled':
    case 'rejected':
    case 'removed':
      return row[metric]
    case 'learnedAt':
    case 'failedAt':
    case 'lateness':
    case 'age':
    case 'staleness':
    case 'freshness':
    case 'blindTime':
    case 'octets.waste':
      return undefined
  }
}

const below = (path: string): string => path.slice(path.indexOf('.') + 1)

const overTime = ({ mean, peak }: OverTime, aggregate: Aggregate | undefined): Estimate =>
  aggregate === 'max' ? peak : mean

/** `p99.9` stands as `p999`: a key with a dot would be taken for a path. */
function ofSpread(
  spread: Spread | FleetRow['waitingMs'],
  aggregate: Aggregate | undefined,
): Estimate | number | undefined {
  const key = (aggregate ?? 'mean').replace('.', '')
  return (spread as Readonly<Record<string, Estimate | number | null>> | null)?.[key] ?? undefined
}
