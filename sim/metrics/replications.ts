/**
 * Many runs of one cell as one row: each number is the mean over the runs, and
 * the samples stand beside it. A run that never learned is censored: it is
 * counted, but has no time to learn that could enter a mean; among the quantiles
 * it lies beyond all others.
 */
import type { Aggregate } from '../scenario/metric.ts'
import { METRICS, numbersOf, valueAt, type Metric } from './metrics.ts'
import type { Outcome, Row, Runs } from './row.ts'

export type Samples = readonly (number | null)[]

/**
 * @param rows one for each run, in order; at least one
 * @returns a row whose outcome is the commonest, the worse of two equally common ones
 */
export function rowOfRuns(rows: readonly [Row, ...Row[]]): Row {
  const samples: Record<string, Samples> = {}
  const means = new Map<readonly string[], number | null>()
  for (const path of METRICS.flatMap(numbersOf)) {
    const values = rows.map((row) => valueAt(row, path))
    samples[path.join('.')] = values
    means.set(path, meanOf(values) ?? null)
  }
  const outcomes = { learned: 0, 'not-learned': 0, failed: 0 }
  const reasons = new Map<string, number>()
  for (const { outcome, reason } of rows) {
    outcomes[outcome]++
    if (reason !== undefined) reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
  }
  const runs: Runs = {
    count: rows.length,
    outcomes,
    reasons: [...reasons].map(([reason, times]) => ({ reason, runs: times })),
    samples,
  }
  const { mechanism, policy } = rows[0]
  const outcome = commonest(outcomes)
  return { mechanism, policy, outcome, ...(nested(means) as Numbers), runs }
}

type Numbers = Omit<Row, 'mechanism' | 'policy' | 'outcome' | 'reason' | 'runs'>

function commonest(outcomes: Readonly<Record<Outcome, number>>): Outcome {
  const most = Math.max(...Object.values(outcomes))
  return (['failed', 'not-learned', 'learned'] as const).find(
    (outcome) => outcomes[outcome] === most,
  ) as Outcome
}

/** Values by their paths as objects in each other; one without any value is `null`, as a row has it. */
export function nested<V>(values: ReadonlyMap<readonly string[], V | null>): object {
  const root: Record<string, V | null | Record<string, V | null>> = {}
  for (const [[key = '', below], value] of values) {
    if (below === undefined) root[key] = value
    else root[key] = { ...(root[key] as Record<string, V | null>), [below]: value }
  }
  for (const [key, value] of Object.entries(root))
    if (value !== null && typeof value === 'object' && Object.values(value).every((one) => one === null))
      root[key] = null
  return root
}

export interface Statistics {
  mean: number
  /** Quantiles and largest; `null` where they fall among runs that never learned. */
  p50: number | null
  p95: number | null
  min: number
  max: number | null
  /** Runs that have a value. */
  n: number
}

/** `undefined` if no run has a value. */
export function statisticsOf(samples: Samples, metric: Metric): Statistics | undefined {
  const mean = meanOf(samples)
  const of = (aggregate: Aggregate) => aggregateOf(samples, aggregate, metric) ?? null
  if (mean === undefined) return undefined
  return {
    mean,
    p50: of('p50'),
    p95: of('p95'),
    min: of('min') as number,
    max: of('max'),
    n: valuesOf(samples).length,
  }
}

const valuesOf = (samples: Samples): number[] => samples.filter((value) => value !== null)

const meanOf = (samples: Samples): number | undefined => {
  const values = valuesOf(samples)
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length
}

/**
 * An aggregate over the runs; `undefined` where it is not known. Quantiles: of
 * N values in ascending order the one of index floor(q N), counted from 0.
 */
export function aggregateOf(
  samples: Samples,
  aggregate: Aggregate,
  { censored = false }: Pick<Metric, 'censored'>,
): number | undefined {
  const known = valuesOf(samples)
  if (aggregate === 'mean') return meanOf(samples)
  if (aggregate === 'sum')
    return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0)
  const ascending = known.toSorted((a, b) => a - b)
  if (aggregate === 'min') return ascending[0]
  // Whoever never learned lies beyond the end of the list.
  const count = censored ? samples.length : ascending.length
  const q = aggregate === 'max' ? 1 : Number(aggregate.slice(1)) / 100
  return ascending[Math.min(count - 1, Math.floor(q * count))]
}

/** The standard error of the mean; `undefined` with fewer than two values. */
export function standardErrorOf(samples: Samples): number | undefined {
  const values = valuesOf(samples)
  const mean = meanOf(samples)
  if (mean === undefined || values.length < 2) return undefined
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return Math.sqrt(squares / (values.length - 1) / values.length)
}
