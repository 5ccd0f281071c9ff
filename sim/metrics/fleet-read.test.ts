/** Rows about many tasks, held against demands and expected values. */
import { describe, expect, test } from 'vitest'
import { parseExpected, type Expectation } from '../scenario/expectation.ts'
import { AGGREGATES, parseMetric } from '../scenario/metric.ts'
import { parseThreshold } from '../scenario/threshold.ts'
import { aFleetRow } from '../testing/fleet.ts'
import { assessExpectations, assessThresholds, obtained } from './assess.ts'
import { readFleetError, readFleetMetric } from './fleet-read.ts'
import type { FleetRow } from './fleet-row.ts'

const ROW = aFleetRow({
  waitingMs: { mean: { value: 4, plusMinus: 0.2 }, p95: { value: 12, plusMinus: null }, max: 80 },
  throttled: 3,
  rejected: 2,
  updates: { happened: 10, learned: 8, coalesced: 1, lost: 2, messagesLost: 0, duplicate: 5 },
})

const refOf = (text: string) => {
  const parsed = parseMetric(text, 'fleet')
  if ('problem' in parsed) throw new Error(parsed.problem)
  return parsed.ref
}
const METRIC_NAMES =
  'learned timeToLearn lateness age staleness freshness blindTime connectionTime requests polls emptyPolls ' +
  'notModified webhookPosts streamEvents heartbeats retries reconnects cuts slowDowns throttled removed waste ' +
  'requestsPerSecond tasks rejected waiting requestsInFlight connectionsOpen connections.opened ' +
  'connections.peak octets.total octets.up octets.down octets.head octets.body octets.waste updates.happened ' +
  'updates.learned updates.coalesced updates.lost updates.messagesLost updates.duplicate'

const read = (text: string, row = ROW) => readFleetMetric(refOf(text), row)

function demanded(expression: string, row = ROW): string | undefined {
  const parsed = parseThreshold(expression, 'fleet')
  if ('problem' in parsed) throw new Error(parsed.problem)
  return assessThresholds([parsed.threshold], row)[0]?.message
}

function expectationOf(metric: string, value: unknown): Expectation {
  const parsed = parseExpected(metric, value, 'fleet')
  if ('problem' in parsed) throw new Error(parsed.problem)
  return { row: 'poll:5s', mechanism: 0, ...parsed, file: 'a.yaml', line: 1, column: 1 }
}
const expected = (metric: string, value: unknown, row = ROW) =>
  assessExpectations([expectationOf(metric, value)], [{ row, events: [] }])[0]?.message

test.each([
  ['tasks', 7_200],
  ['learned', 1],
  ['requests', 43_200],
  ['waste', 0.8],
  ['throttled', 3],
  ['rejected', 2],
  ['lost', 2],
  ['octets.body', 27_600_000],
  ['connections.opened', 7_200],
  ['connections.peak', 71],
  ['connectionTime', 172_944_000],
  ['mean(requestsPerSecond)', 12],
  ['max(requestsPerSecond)', 31],
  ['max(requestsInFlight)', 9],
  ['max(connectionsOpen)', 71],
  ['mean(timeToLearn)', 1_000],
  ['p50(timeToLearn)', 900],
  ['p90(timeToLearn)', 1_900],
  ['p95(timeToLearn)', 2_000],
  ['p99(timeToLearn)', 2_400],
  ['p99.9(timeToLearn)', 2_450.5],
  ['max(timeToLearn)', 2_500],
  ['mean(waiting)', 4],
  ['p95(waiting)', 12],
  ['max(waiting)', 80],
])('%s is %d', (metric, value) => {
  expect(read(metric)).toBe(value)
})

test('whatever can be asked of a fleet, a row tells', () => {
  const asked = METRIC_NAMES.split(' ')
    .flatMap((name) => [name, ...AGGREGATES.map((one) => `${one}(${name})`)])
    .filter((text) => 'ref' in parseMetric(text, 'fleet'))
  expect(asked.length).toBeGreaterThan(60)
  expect(asked.filter((text) => read(text) === undefined)).toEqual([])
})

test('the standard error comes of the confidence interval; what is exact has none', () => {
  const error = (text: string) => readFleetError(refOf(text), ROW)
  expect(error('mean(timeToLearn)')).toBeCloseTo(10, 9)
  expect(error('p95(timeToLearn)')).toBeUndefined()
  expect(error('polls')).toBeUndefined()
  // 1 % of half the interval, as their rate has.
  expect(error('requests')).toBeCloseTo(432 / 1.96, 9)
})

describe('demands', () => {
  test('met or missed, in the words of one task', () => {
    expect(demanded('p95(timeToLearn) <= 2s')).toBeUndefined()
    expect(demanded('p99.9(timeToLearn) <= 2s')).toBe(
      'poll every 5 s (poll:5s): p99.9(timeToLearn) is 2.4505 s, wanted at most 2 s: 450.5 ms too late',
    )
    expect(demanded('max(requestsPerSecond) <= 30')).toBe(
      'poll every 5 s (poll:5s): max(requestsPerSecond) is 31 per s, wanted at most 30 per s: 1 per s too high',
    )
    expect(demanded('rejected == 0')).toContain('rejected is 2, wanted 0: 2 too many')
  })

  test('what has no value misses, and says why', () => {
    const overloaded: FleetRow = { ...ROW, overload: { load: 1.3 } }
    expect(demanded('mean(timeToLearn) <= 1h', overloaded)).toBe(
      'poll every 5 s (poll:5s): mean(timeToLearn) is unknown: no steady state: the handlers are asked for 1.3 of what they can do, wanted at most 1 h',
    )
    const dark: FleetRow = {
      ...ROW,
      timeToLearnMs: { ...(ROW.timeToLearnMs as NonNullable<FleetRow['timeToLearnMs']>), p999: null },
    }
    expect(demanded('p99.9(timeToLearn) <= 1h', dark)).toContain(
      'unknown: the p99.9 lies among tasks that never learned',
    )
    expect(demanded('max(waiting) <= 1s', aFleetRow())).toContain('unknown: no request waits')
    expect(demanded('octets.total <= 1', aFleetRow({ octets: null }))).toContain(
      'unknown: messages were not measured',
    )
  })
})

describe('expected values', () => {
  test('within so many standard errors', () => {
    expect(expected('mean(timeToLearn)', '1.025s ± 3se')).toBeUndefined()
    expect(expected('mean(timeToLearn)', '1.035s ± 3se')).toContain(
      'wanted 1.005 s to 1.065 s (1.035s ± 3se)',
    )
    expect(expected('requests', '43700 ± 3se')).toBeUndefined()
    expect(expected('requests', '44000 ± 3se')).toContain(': 138.7755 too few')
    // The peak was seen once: only itself is near enough.
    expect(expected('max(requestsPerSecond)', '31 ± 3se')).toBeUndefined()
    expect(expected('max(requestsPerSecond)', '31.2 ± 3se')).toBeDefined()
  })

  test('an outcome is that of every task', () => {
    const mixed = aFleetRow({ outcomes: { learned: 7_000, notLearned: 150, failed: 50, unfinished: 0 } })
    expect(expected('outcome', 'learned')).toBeUndefined()
    expect(expected('outcome', 'learned', mixed)).toContain(
      'outcome is learned for 7000 of 7200 tasks, not-learned for 150 of 7200 tasks, failed for 50 of 7200 tasks, wanted learned',
    )
    expect(obtained(expectationOf('outcome', 'learned'), { row: ROW, events: [] })).toBe('learned')
  })
})
