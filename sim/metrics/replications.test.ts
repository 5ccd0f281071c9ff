import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseMetric } from '../scenario/metric.ts'
import { METRICS, metricOf, numbersOf, valueAt } from './metrics.ts'
import { readMetric, readStandardError } from './read.ts'
import { aggregateOf, rowOfRuns, standardErrorOf, statisticsOf } from './replications.ts'
import { rowOf } from './row-of.ts'
import type { Row } from './row.ts'

const { reason: _, ...BARE } = rowOf({
  mechanism: 'poll every 5 s',
  policy: 'poll:5s',
  records: [],
  endUs: 0,
})
const learned = (polls: number, timeToLearnMs: number): Row => ({
  ...BARE,
  outcome: 'learned',
  learned: 1,
  polls,
  timeToLearnMs,
  latenessMs: { mean: timeToLearnMs / 2, p50: 0, p95: timeToLearnMs, max: timeToLearnMs },
})
const NEVER: Row = { ...BARE, outcome: 'not-learned', reason: 'the horizon', polls: 100 }
const read = (text: string, row: Row) => {
  const parsed = parseMetric(text)
  if ('problem' in parsed) throw new Error(parsed.problem)
  return readMetric(parsed.ref, row)
}

describe('the table of metrics', () => {
  test('names every number of a row, once, in the place it stands in', () => {
    const numbers = (value: unknown, path: string[] = []): string[] =>
      typeof value === 'number'
        ? [path.join('.')]
        : Object.entries(value as object).flatMap(([key, below]) =>
            typeof below === 'string' ? [] : numbers(below, [...path, key]),
          )
    const some = { mean: 1, p50: 1, p95: 1, max: 1 }
    const span = { mean: 1, max: 1 }
    const full: Row = {
      ...learned(1, 1),
      learnedAtMs: 1,
      failedAtMs: 1,
      latenessMs: some,
      ageMs: span,
      stalenessMs: span,
      freshness: 1,
      waste: 1,
      requestsPerSecond: 1,
    }
    const told = METRICS.flatMap(numbersOf).map((path) => path.join('.'))
    expect(told.toSorted()).toEqual(numbers(full).toSorted())
    expect(METRICS.flatMap(numbersOf).map((path) => valueAt(full, path))).not.toContain(undefined)
  })

  test('counts in the units that scenarios write', () => {
    for (const { name, unit, kept } of METRICS) {
      const parsed = parseMetric(kept === undefined ? name : `max(${name})`)
      if ('ref' in parsed) expect([name, parsed.ref.unit]).toEqual([name, unit])
    }
  })
})

describe('several runs as one row', () => {
  const rows = [learned(3, 2_000), learned(4, 4_000), learned(4, 3_000), NEVER] as const

  test('each number is the mean; who never learned is counted, and enters no time', () => {
    const row = rowOfRuns(rows)
    expect(row).toMatchObject({ mechanism: 'poll every 5 s', outcome: 'learned', polls: 27.75, requests: 0 })
    expect(row.learned).toBe(0.75)
    expect(row).toMatchObject({
      timeToLearnMs: 3_000,
      latenessMs: { max: 3_000 },
      failedAtMs: null,
      ageMs: null,
    })
    expect(row.runs).toMatchObject({
      count: 4,
      outcomes: { learned: 3, 'not-learned': 1, failed: 0 },
      reasons: [{ reason: 'the horizon', runs: 1 }],
    })
    expect(row.runs?.samples['timeToLearnMs']).toEqual([2_000, 4_000, 3_000, null])
  })

  test('the outcome is the commonest', () => {
    expect(rowOfRuns([learned(1, 1), NEVER]).outcome).toBe('not-learned')
    expect(rowOfRuns([NEVER, { ...NEVER, outcome: 'failed' }, NEVER]).outcome).toBe('not-learned')
  })

  test('aggregates go over the runs, a bare metric is the mean of what every run has', () => {
    const row = rowOfRuns(rows)
    expect(read('polls', row)).toBe(27.75)
    expect(read('p50(polls)', row)).toBe(4)
    expect(read('sum(polls)', row)).toBe(111)
    expect(read('mean(timeToLearn)', row)).toBe(3_000)
    expect(read('timeToLearn', row)).toBeUndefined()
    expect(read('mean(lateness)', row)).toBe(1_500)
    expect(read('p95(timeToLearn)', rowOfRuns([rows[0], rows[1]]))).toBe(4_000)
  })

  test('one run alone is every aggregate of itself', () => {
    for (const aggregate of ['mean', 'min', 'max', 'sum', 'p50', 'p99.9'])
      expect(read(`${aggregate}(polls)`, rows[0])).toBe(3)
    expect(read('max(lateness)', rows[0])).toBe(2_000)
  })

  test('among quantiles, who never learned lies beyond all others', () => {
    const { max, p95, p50, min, n } = statisticsOf([2_000, 4_000, 3_000, null], metricOf('timeToLearn')) ?? {
      n: 0,
    }
    expect({ min, p50, p95, max, n }).toEqual({ min: 2_000, p50: 4_000, p95: null, max: null, n: 3 })
    // Who did not fail did not fail later: there it is no missing value.
    expect(statisticsOf([2_000, null], metricOf('failedAt'))).toMatchObject({ max: 2_000, n: 1 })
    expect(statisticsOf([null, null], metricOf('timeToLearn'))).toBeUndefined()
  })

  test('the standard error of a mean needs two values', () => {
    expect(standardErrorOf([1, 2, 3, null])).toBeCloseTo(Math.sqrt(1 / 3), 12)
    expect(standardErrorOf([1, null])).toBeUndefined()
    const ref = { text: 'polls', metric: 'polls', unit: 'count' } as const
    expect(readStandardError(ref, rowOfRuns(rows))).toBeCloseTo(24.0845, 4)
    expect(readStandardError(ref, rows[0])).toBeUndefined()
  })
})

test('a quantile of N values is the one of index floor(q N), whatever their order', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(1_000), { minLength: 1, maxLength: 60 }), (values) => {
      const ascending = values.toSorted((a, b) => a - b)
      const below = (q: number) =>
        ascending.filter((_, index) => index < Math.floor(q * values.length)).length
      expect(aggregateOf(values, 'p95', {})).toBe(ascending[below(0.95)])
      expect(aggregateOf(values, 'p50', {})).toBe(ascending[below(0.5)])
      expect(aggregateOf(values, 'max', {})).toBe(Math.max(...values))
      expect(aggregateOf(values, 'min', {})).toBe(Math.min(...values))
    }),
    { seed: 1, numRuns: 200 },
  )
})
