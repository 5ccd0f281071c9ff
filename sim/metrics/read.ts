/** What a row says of one metric. */
import type { MetricRef } from '../scenario/metric.ts'
import { metricOf, numbersOf, valueAt, type Metric } from './metrics.ts'
import { aggregateOf, standardErrorOf, type Samples } from './replications.ts'
import type { Row } from './row.ts'

/**
 * The value a row has, ms for times; `undefined` if it has none, as the time to
 * learn of who never learned. Over several runs an aggregate is one over the
 * runs, and a bare metric is their mean, if every run has a value.
 *
 * Metrics with many values in one run are always asked for by an aggregate,
 * which is taken in each run; over the runs it is the mean of those, `max` the
 * largest.
 */
export function readMetric(ref: MetricRef, row: Row): number | undefined {
  const { metric, path } = whereOf(ref)
  const samples = row.runs?.samples[path.join('.')]
  if (samples === undefined) return inMs(metric, valueAt(row, path) ?? undefined)
  const isWithin = metric.kept !== undefined
  const aggregate = isWithin ? (ref.aggregate === 'max' ? 'max' : 'mean') : ref.aggregate
  if (aggregate === undefined && samples.includes(null)) return undefined
  return inMs(metric, aggregateOf(samples, aggregate ?? 'mean', metric))
}

/** The standard error of a metric's mean over the runs; `undefined` where there is none. */
export function readStandardError(ref: MetricRef, row: Row): number | undefined {
  const { metric, path } = whereOf(ref)
  const samples: Samples = row.runs?.samples[path.join('.')] ?? []
  return inMs(metric, standardErrorOf(samples))
}

/** @throws RangeError if rows do not keep this */
function whereOf({ metric: name, aggregate }: MetricRef): { metric: Metric; path: readonly string[] } {
  const metric = metricOf(name)
  if (metric.kept === undefined) return { metric, path: metric.path }
  const path = numbersOf(metric)[metric.kept.indexOf(aggregate ?? '')]
  if (path === undefined) throw new RangeError(`a row does not tell the ${aggregate ?? 'bare'} ${name}`)
  return { metric, path }
}

/** Seconds are exact to the microsecond; their product with 1000 is not. */
const inMs = ({ inSeconds }: Metric, value: number | undefined): number | undefined =>
  inSeconds === true && value !== undefined ? Math.round(value * 1e6) / 1000 : value
