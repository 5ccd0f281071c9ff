import { expect, test } from 'vitest'
import { fixed } from '../kernel/distribution.ts'
import type { Capacity } from '../policies/desk.ts'
import type { Policy } from '../policies/policy.ts'
import type { ExchangeRecord } from '../records/record.ts'
import type { Scenario } from '../scenario/scenario.ts'
import {
  backoffOf,
  entryOf,
  every,
  pollEvery,
  QUIET_AGENT,
  scenarioOf,
  seconds,
  status,
  streamBy,
} from '../testing/scenario.ts'
import { replay } from './replay.ts'

const ROOM: Capacity = {
  handlers: 1,
  service: [{ operations: undefined, time: fixed(seconds(2)) }],
  queue: undefined,
  connections: undefined,
  full: { answer: 503, retryAfterUs: seconds(5) },
}

const JOB = [status(0, 'working'), status(seconds(20), 'completed')]

async function played(capacity: Partial<Capacity>, policy: Policy, more: Partial<Scenario> = {}) {
  const agent = { ...QUIET_AGENT, capacity: { ...ROOM, ...capacity } }
  const result = await replay(scenarioOf({ updates: JOB }, { agent, ...more }), entryOf(policy))
  const exchanges = result.records.filter((record): record is ExchangeRecord => record.kind === 'exchange')
  return {
    ...result,
    /** Start, end and status of each exchange, in seconds. */
    exchanges: exchanges.map(({ startUs, endUs = NaN, status: code }) => [startUs / 1e6, endUs / 1e6, code]),
    served: result.records.filter((record) => record.kind === 'served'),
    turnedAway: result.records.filter((record) => record.kind === 'turned-away').length,
  }
}

test('a request takes as long as its handler, and shows the task as it is afterwards', async () => {
  const { exchanges, row, served } = await played({}, pollEvery(seconds(9), seconds(9)))
  // The job begins when the send has been served, at 2 s, and ends at 22 s: a poll sent at 22 s would be too late, one at 20 s is not.
  expect(exchanges).toEqual([
    [0, 2, 200],
    [11, 13, 200],
    [22, 24, 200],
  ])
  expect(row.timeToLearnMs).toBe(2000)
  expect(served).toHaveLength(3)
  const between = await played({}, pollEvery(seconds(9), seconds(8)))
  // Sent at 21 s, before the end, and served at 23 s, after it.
  expect(between.exchanges.at(-1)).toEqual([21, 23, 200])
  expect(between.row.outcome).toBe('learned')
})

test('a stream leaves its handler once it is open and keeps its connection until it ends', async () => {
  const beside = { kind: 'together' as const, parts: [streamBy(), pollEvery(seconds(5))] }
  const open = await played({ connections: 2 }, beside)
  expect(open.row.outcome).toBe('learned')
  expect(open.turnedAway).toBe(0)
  const full = await played({ connections: 1 }, beside)
  // The stream holds the only connection, so every poll is turned away, each 5 s later.
  const polls = full.exchanges.filter(([startS = 0]) => startS > 0)
  expect(polls.every(([, , code]) => code === 503)).toBe(true)
  expect(full.turnedAway).toBeGreaterThan(2)
  expect(full.row.timeToLearnMs).toBe(0)
})

test('who is turned away hears how the agent is full', async () => {
  const faults: Scenario['faults'] = [
    { effect: { of: 'cut', how: 'close' }, when: { of: 'once', fromUs: seconds(5), toUs: seconds(5) } },
  ]
  const policy = streamBy({ reconnect: backoffOf(every(seconds(1))) })
  const { exchanges } = await played({ queue: 0, connections: 1 }, policy, { faults })
  expect(exchanges).toEqual([
    [0, 5, 200],
    [6, 22, 200],
  ])
  const refused = await played(
    { connections: 0, full: { answer: 'refuse', retryAfterUs: undefined } },
    policy,
  )
  expect(refused.exchanges[0]?.[2]).toBeUndefined()
  expect(refused.row.outcome).not.toBe('learned')
})

test('who waits for a connection that never becomes free waits to the end of the run', async () => {
  const full = { answer: 'wait', retryAfterUs: undefined } as const
  const { row } = await played({ connections: 0, full }, pollEvery(seconds(5)))
  expect(row.outcome).toBe('not-learned')
})

test('a restart forgets who is in line', async () => {
  const faults: Scenario['faults'] = [
    {
      effect: { of: 'restart', host: 'agent', loses: 'streams' },
      when: { of: 'once', fromUs: seconds(12), toUs: seconds(12) },
    },
  ]
  const { exchanges, row } = await played({}, pollEvery(seconds(9), seconds(9)), { faults })
  // The poll of 11 s was in service; its connection is reset, and the next one is served.
  expect(exchanges.slice(0, 2)).toEqual([
    [0, 2, 200],
    [11, 12, undefined],
  ])
  expect(row.outcome).toBe('learned')
})
