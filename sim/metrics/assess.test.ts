import { describe, expect, test } from 'vitest'
import { parseExpected, type Expectation } from '../scenario/expectation.ts'
import { parseThreshold } from '../scenario/threshold.ts'
import { assessExpectations, assessThresholds } from './assess.ts'
import type { RunEvent } from './events.ts'
import { rowOfRuns } from './replications.ts'
import type { Row } from './row.ts'

const ROW: Row = {
  mechanism: 'poll every 7 s',
  policy: 'poll:7s',
  outcome: 'learned',
  learned: 1,
  requests: 17,
  polls: 16,
  emptyPolls: 13,
  webhookPosts: 0,
  streamEvents: 0,
  heartbeats: 0,
  retries: 0,
  reconnects: 0,
  cuts: 0,
  notModified: 0,
  slowDowns: 0,
  throttled: 0,
  removed: 0,
  updates: { happened: 5, learned: 5, coalesced: 1, lost: 0, messagesLost: 0, duplicate: 0 },
  octets: { total: 20_000, up: 8_000, down: 12_000, head: 6_585, body: 13_415, waste: 15_000 },
  timeToLearnMs: 5000.25,
  learnedAtMs: 105_000.25,
  failedAtMs: null,
  blindTimeMs: 0,
  latenessMs: { mean: 2500, p50: 1000, p95: 5000.25, max: 5000.25 },
  ageMs: { mean: 40_000, max: 85_000.25 },
  stalenessMs: { mean: 500, max: 5000.25 },
  freshness: 0.9,
  waste: 0.8125,
  requestsPerSecond: 0.25,
  connections: { opened: 16, peak: 1, seconds: 64 },
}
const NEVER: Row = {
  ...ROW,
  outcome: 'not-learned',
  reason: 'the horizon was reached',
  learned: 0,
  timeToLearnMs: null,
  learnedAtMs: null,
  latenessMs: null,
}

function demanded(expression: string, row: Row = ROW): string | undefined {
  const parsed = parseThreshold(expression)
  if ('problem' in parsed) throw new Error(parsed.problem)
  return assessThresholds([parsed.threshold], row)[0]?.message
}

function expected(
  metric: string,
  value: unknown,
  row: Row = ROW,
  events: RunEvent[] = [],
): string | undefined {
  const read = parseExpected(metric, value)
  if ('problem' in read) throw new Error(read.problem)
  const expectation: Expectation = {
    row: 'poll:7s',
    mechanism: 0,
    ...read,
    file: 'scenarios/mine.yaml',
    line: 4,
    column: 3,
  }
  return assessExpectations([expectation], [{ row, events }])[0]?.message
}

describe('thresholds', () => {
  test.each([
    'timeToLearn <= 5000.25ms',
    'timeToLearn > 5s',
    'p95(timeToLearn) != 5s',
    'lost == 0',
    'octets.body <= 13415',
    'octets.total < 21kB',
    'connectionTime == 64s',
    'mean(lateness) >= 2.5s',
    'max(requests) < 18',
  ])('%s is met', (expression) => {
    expect(demanded(expression)).toBeUndefined()
  })

  test.each([
    ['timeToLearn <= 2s', 'timeToLearn is 5.00025 s, wanted at most 2 s: 3.00025 s too late'],
    ['learnedAt >= 2m', 'learnedAt is 1 min 45.00025 s, wanted at least 2 min: 14.99975 s too early'],
    ['requests < 17', 'requests is 17, wanted less than 17'],
    ['p50(requests) == 15', 'p50(requests) is 17, wanted 15: 2 too many'],
    ['polls > 20', 'polls is 16, wanted more than 20: 4 too few'],
    ['octets.body <= 13kB', 'octets.body is 13415 octets, wanted at most 13000 octets: 415 octets too many'],
    ['connectionTime <= 60s', 'connectionTime is 1 min 4 s, wanted at most 1 min: 4 s too long'],
    ['updates.coalesced != 1', 'updates.coalesced is 1, wanted anything but 1'],
  ])('%s is missed', (expression, message) => {
    expect(demanded(expression)).toBe(`poll every 7 s (poll:7s): ${message}`)
  })

  test('what was never learned misses every demand on it', () => {
    const message =
      'poll every 7 s (poll:7s): timeToLearn is unknown, since not-learned: the horizon was reached, wanted at most 2 s'
    expect(demanded('timeToLearn <= 2s', NEVER)).toBe(message)
    expect(demanded('timeToLearn != 2s', NEVER)).toContain('unknown')
    expect(demanded('p95(lateness) < 2s', NEVER)).toContain('unknown')
  })
})

describe('expected values', () => {
  test.each([
    ['requests', 17],
    ['requests', '17'],
    ['requests', '..17'],
    ['requests', '17..'],
    ['requests', '16..18'],
    ['requests', '18 ± 6%'],
    ['requests', '18 +- 1'],
    // To the precision it is written in.
    ['timeToLearn', '5s'],
    ['timeToLearn', '5.000s'],
    ['timeToLearn', '5000ms'],
    ['timeToLearn', '5.0003s'],
    ['timeToLearn', '5.00025s'],
    ['learnedAt', '1m45s'],
    ['blindTime', 0],
    ['octets.body', 13_415],
    ['outcome', 'learned'],
    ['waste', '81%'],
    ['waste', '81.3%'],
    ['mean(requestsPerSecond)', 0.25],
  ])('%s: %s is right', (metric, value) => {
    expect(expected(metric, value)).toBeUndefined()
  })

  test.each([
    ['requests', 16, 'requests is 17, wanted 16: 1 too many'],
    ['requests', '..16', 'requests is 17, wanted at most 16: 1 too many'],
    ['requests', '20..', 'requests is 17, wanted at least 20: 3 too few'],
    ['requests', '18..20', 'requests is 17, wanted 18 to 20: 1 too few'],
    ['requests', '20 ± 10%', 'requests is 17, wanted 18 to 22: 1 too few'],
    ['timeToLearn', '5.0001s', 'timeToLearn is 5.00025 s, wanted 5.0001 s: 150 µs too late'],
    ['timeToLearn', '..5s', 'timeToLearn is 5.00025 s, wanted at most 5 s: 250 µs too late'],
    ['timeToLearn', '6s', 'timeToLearn is 5.00025 s, wanted 6 s: 999.75 ms too early'],
    ['outcome', 'failed', 'outcome is learned, wanted failed'],
    ['waste', '90%', 'waste is 81.25 %, wanted 90 %: 8.75 % too low'],
    ['requestsPerSecond', '0.1', 'requestsPerSecond is 0.25 per s, wanted 0.1 per s: 0.15 per s too high'],
    ['max(age)', '..1m', 'max(age) is 1 min 25.00025 s, wanted at most 1 min: 25.00025 s too long'],
    ['freshness', '95% ± 1%', 'freshness is 90 %, wanted 94 % to 96 %: 4 % too low'],
  ])('%s: %s is missed', (metric, value, message) => {
    expect(expected(metric, value)).toBe(`poll every 7 s (poll:7s): ${message}`)
  })

  test('an outcome says why it came out', () => {
    expect(expected('outcome', 'learned', NEVER)).toBe(
      'poll every 7 s (poll:7s): outcome is not-learned (the horizon was reached), wanted learned',
    )
  })

  test('a miss knows where its value was expected', () => {
    const read = parseExpected('polls', 3)
    if ('problem' in read) throw new Error(read.problem)
    const expectation: Expectation = { row: 'b', mechanism: 1, ...read, file: 'a.yaml', line: 4, column: 3 }
    const [miss] = assessExpectations(
      [expectation],
      [undefined, { row: { ...ROW, mechanism: 'b', policy: 'b' }, events: [] }],
    )
    expect(miss).toMatchObject({
      message: 'b: polls is 16, wanted 3: 13 too many',
      at: { file: 'a.yaml', line: 4, column: 3 },
    })
  })

  test('events are wanted in their order among the others, and a miss tells which there are', () => {
    const events: RunEvent[] = [
      { atUs: 0, event: 'opened' },
      { atUs: 60_000_000, event: 'cut' },
      { atUs: 63_000_000, event: 'opened' },
    ]
    expect(expected('events', ['60s cut', '63s opened'], ROW, events)).toBeUndefined()
    expect(expected('events', ['60s cut', '64s opened'], ROW, events)).toBe(
      'poll every 7 s (poll:7s): events is missing 1m4s opened in its place (there is 0s opened, 1m3s opened), ' +
        'wanted [60s cut, 64s opened]',
    )
    expect(expected('events', ['1s learned'], ROW, events)).toContain('there is no learned')
  })
})

describe('rows of several runs', () => {
  const runs = (...polls: number[]): Row => {
    const [first = ROW, ...others] = polls.map((count) => ({ ...ROW, polls: count }))
    return rowOfRuns([first, ...others])
  }

  test('are held against standard errors of their own', () => {
    // Mean 10, standard error 1.
    const row = runs(9, 11)
    expect(expected('mean(polls)', '12.9 ± 3se', row)).toBeUndefined()
    expect(expected('mean(polls)', '13.1 ± 3se', row)).toBe(
      'poll every 7 s (poll:7s): mean(polls) is 10, wanted 10.1 to 16.1 (13.1 ± 3se): 0.1 too few',
    )
    expect(expected('polls', '10.4 ± 0.5', row)).toBeUndefined()
  })

  test('by the share of them that learned', () => {
    const row = rowOfRuns([ROW, ROW, ROW, NEVER])
    expect(expected('learned', '75%', row)).toBeUndefined()
    // Three of four: a standard error of a quarter.
    expect(expected('learned', '100% ± 1se', row)).toBeUndefined()
    expect(expected('learned', '..70%', row)).toBe(
      'poll every 7 s (poll:7s): learned is 75 %, wanted at most 70 %: 5 % too high',
    )
    expect(demanded('learned >= 99%', row)).toBe(
      'poll every 7 s (poll:7s): learned is 75 %, wanted at least 99 %: 24 % too low',
    )
    expect(demanded('learned >= 99%', ROW)).toBeUndefined()
    expect(demanded('learned == 0%', NEVER)).toBeUndefined()
  })

  test('by their aggregates', () => {
    const row = runs(...Array.from({ length: 100 }, (_, i) => i))
    expect(demanded('p95(polls) == 95', row)).toBeUndefined()
    expect(demanded('mean(polls) == 49.5', row)).toBeUndefined()
    expect(demanded('max(polls) < 99', row)).toBe(
      'poll every 7 s (poll:7s): max(polls) is 99, wanted less than 99',
    )
  })

  test('have an outcome only if all runs have it', () => {
    const never = rowOfRuns([ROW, ROW, NEVER])
    expect(expected('outcome', 'learned', rowOfRuns([ROW, ROW]))).toBeUndefined()
    expect(expected('outcome', 'learned', never)).toBe(
      'poll every 7 s (poll:7s): outcome is learned in 2 of 3 runs, not-learned in 1 of 3 runs, wanted learned',
    )
    expect(demanded('timeToLearn <= 10s', never)).toContain(
      'timeToLearn is unknown, since learned in 2 of 3 runs',
    )
    expect(demanded('mean(timeToLearn) <= 10s', never)).toBeUndefined()
    expect(demanded('p95(timeToLearn) <= 10s', never)).toContain('unknown')
  })
})
