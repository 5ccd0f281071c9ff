import { describe, expect, test } from 'vitest'
import { rowOf } from '../metrics/row-of.ts'
import type { ExchangeRecord, RunRecord } from '../records/record.ts'
import { readScenario } from '../scenario/index.ts'
import { seconds } from '../testing/scenario.ts'
import { CHECKERS } from './checkers/index.ts'
import { sameAgain } from './checkers/same-again.ts'
import type { SwarmRun } from './run.ts'

/** A run by hand: what was declared, as a file says it, and what is said to have been recorded. */
function runOf(text: string, records: readonly RunRecord[], more: Partial<SwarmRun> = {}): SwarmRun {
  const { scenario } = readScenario(text, 'by-hand')
  const [entry] = scenario.mechanisms
  if (entry === undefined) throw new Error('a mechanism is missing')
  const endUs = more.endUs ?? seconds(20)
  return {
    scenario,
    entry,
    records,
    endUs,
    row: rowOf({ mechanism: '', policy: entry.word, records, endUs }),
    leftovers: { events: 0, timers: 0, waiting: [] },
    seen: [],
    ...more,
  }
}

/** The checkers that find something wrong, with what they say. */
const verdictsOn = (run: SwarmRun): Record<string, string[]> =>
  Object.fromEntries(
    CHECKERS.map((checker) => [checker.name, checker.check(run)] as const).filter(
      ([, wrong]) => wrong.length > 0,
    ),
  )

const happened = (atS: number, update: number, change: string, more: object = {}): RunRecord => ({
  kind: 'happened',
  atUs: seconds(atS),
  update,
  change,
  topic: 'status',
  replaces: true,
  message: false,
  terminal: change === 'completed',
  ...more,
})

const learned = (atS: number, updates: readonly number[], more: object = {}): RunRecord => ({
  kind: 'learned',
  atUs: seconds(atS),
  updates,
  by: 'poll',
  terminal: false,
  exchange: undefined,
  ...more,
})

let exchanges = 0
const exchange = (
  operation: string,
  startS: number,
  endS: number,
  more: Partial<ExchangeRecord> = {},
): ExchangeRecord => ({
  kind: 'exchange',
  number: ++exchanges,
  from: operation === 'webhook' ? 'agent' : 'client',
  to: operation === 'webhook' ? 'receiver' : 'agent',
  operation,
  startUs: seconds(startS),
  endUs: seconds(endS),
  status: 200,
  octets: { requestHead: 100, requestBody: 50, responseHead: 100, responseBody: 300 },
  outcome: 'complete',
  ...more,
})

const send = exchange('SendMessage', 0, 0)
const work = happened(5, 0, 'working')
const end = happened(10, 1, 'completed')
const POLLED =
  'job: { updates: [{ at: 5s, status: working }, { at: 10s, status: completed }] }\nmechanisms: ['

const fine = [send, work, learned(6, [0]), end, learned(12, [1], { terminal: true })]

test('a run in which all is well passes all of them', () => {
  expect(verdictsOn(runOf(`${POLLED}poll:6s]`, fine))).toEqual({})
})

describe('never-early', () => {
  const world = (ms: number) => `network: { latency: ${ms}ms }\n${POLLED}poll:6s]`

  test('what was learned at the instant it happened had no time to arrive', () => {
    const records = [send, work, learned(5, [0]), end, learned(12, [1], { terminal: true })]
    expect(verdictsOn(runOf(world(0), records))).toEqual({})
    expect(verdictsOn(runOf(world(50), records))).toEqual({
      'never-early': ['update 0 happened at 5s and was learned at 5s, less than 50ms later'],
    })
  })

  test('nor was there anything to learn before it', () => {
    const records = [learned(4, [0]), work, end, learned(12, [1], { terminal: true })]
    expect(verdictsOn(runOf(world(0), [send, ...records]))['never-early']).toEqual([
      'update 0 was learned and had not happened',
    ])
  })
})

describe('order-kept', () => {
  const three = [work, happened(6, 1, 'working'), happened(10, 2, 'completed')]

  test('an older status after a newer one is a step back', () => {
    const records = [send, ...three, learned(11, [1]), learned(12, [0]), learned(13, [2], { terminal: true })]
    expect(verdictsOn(runOf(`${POLLED}poll:6s]`, records))).toEqual({
      'order-kept': ['update 0 of status was learned after update 1'],
    })
  })

  test('no update is learned twice', () => {
    const records = [
      send,
      ...three,
      learned(6, [0]),
      learned(7, [0, 1]),
      learned(13, [2], { terminal: true }),
    ]
    expect(verdictsOn(runOf(`${POLLED}poll:6s]`, records))).toEqual({
      'order-kept': ['update 0 was learned twice'],
    })
  })

  test('posts that are not sent one after the other may overtake', () => {
    const posts = [learned(11, [1]), learned(12, [0]), learned(13, [2], { terminal: true })].map(
      (record) => ({ ...record, by: 'push' }) as RunRecord,
    )
    const records = [send, ...three, ...posts]
    expect(verdictsOn(runOf(`${POLLED}'push:ordered=false']`, records))).toEqual({})
    expect(verdictsOn(runOf(`${POLLED}push]`, records))['order-kept']).toHaveLength(1)
  })
})

describe('end-is-final', () => {
  test('nothing happens after the end', () => {
    const records = [...fine, happened(15, 2, 'working'), learned(16, [2])]
    expect(verdictsOn(runOf(`${POLLED}poll:6s]`, records))['end-is-final']).toEqual([
      'working happened after the task had ended at 10s',
    ])
  })

  test('no end is learned that has not come', () => {
    const records = [send, work, learned(6, [0], { terminal: true }), end]
    expect(verdictsOn(runOf(`${POLLED}poll:6s]`, records))['end-is-final']).toContain(
      'an end was learned that had not come',
    )
  })
})

test('all-accounted: what the row says is lost, learned and happened adds up', () => {
  const run = runOf(`${POLLED}poll:6s]`, fine)
  const row = { ...run.row, updates: { ...run.row.updates, learned: 1, lost: 1 } }
  expect(verdictsOn({ ...run, row })['all-accounted']).toEqual([
    '1 updates are reported learned, 2 are',
    '1 updates are reported lost, 0 are',
  ])
})

test('whole-picture: a poll that shows the end shows all before it, a post does not', () => {
  const chunk = happened(5, 0, 'artifact a', { topic: 'artifact a', replaces: false })
  const records = (by: 'poll' | 'push') => [send, chunk, end, learned(12, [1], { terminal: true, by })]
  expect(verdictsOn(runOf(`${POLLED}poll:6s]`, records('poll')))).toEqual({
    'whole-picture': ['the end was learned by poll, which shows the whole task, and 1 updates are lost'],
  })
  expect(verdictsOn(runOf(`${POLLED}push]`, records('push')))).toEqual({})
})

describe('end-is-learned', () => {
  const gaveUp: RunRecord = { kind: 'gave-up', atUs: seconds(12), outcome: 'not-learned', reason: 'enough' }
  const given = [send, work, learned(6, [0]), end, gaveUp]

  test('who promises it and does not keep it is told', () => {
    expect(verdictsOn(runOf(`${POLLED}poll:6s]`, given))).toEqual({
      'end-is-learned': ['the end was to be learned by 2m16s, and it never was (not-learned: enough)'],
    })
    const late = [...fine.slice(0, -1), learned(137, [1], { terminal: true })]
    expect(verdictsOn(runOf(`${POLLED}poll:6s]`, late, { endUs: seconds(140) }))).toEqual({
      'end-is-learned': ['the end was to be learned by 2m16s, and it was at 2m17s'],
    })
  })

  test('who promises nothing is not, nor who never read the id of a task', () => {
    expect(verdictsOn(runOf(`${POLLED}'poll:6s,attempts=2']`, given))).toEqual({})
    const unread = exchange('SendMessage', 0, 0, { outcome: 'failed', status: undefined })
    expect(verdictsOn(runOf(`${POLLED}poll:6s]`, [unread, ...given.slice(1)]))).toEqual({})
  })
})

describe('posts-retried', () => {
  const failed = (startS: number, endS: number) => exchange('webhook', startS, endS, { status: 503 })
  const world = `${POLLED}'push:retry=1s/5s']`
  const rest = [work, end, learned(16, [0, 1], { terminal: true, by: 'push' })]

  test('a retry comes when the schedule says', () => {
    const posts = [failed(5, 5), failed(6, 6), exchange('webhook', 11, 11), exchange('webhook', 11, 16)]
    expect(verdictsOn(runOf(world, [send, ...posts, ...rest]))).toEqual({})
  })

  test('not later, and not never', () => {
    const late = [failed(5, 5), failed(6, 6), exchange('webhook', 12, 12)]
    expect(verdictsOn(runOf(world, [send, ...late, ...rest]))).toEqual({
      'posts-retried': ['a post failed at 6s and was due again at 11s; the next post left at 12s'],
    })
    expect(verdictsOn(runOf(world, [send, failed(5, 5), failed(6, 6), ...rest]))).toEqual({
      'posts-retried': ['a post failed at 6s and was due again at 11s; no post followed'],
    })
  })
})

test('no-repeats: no more posts are handed on than there are statuses', () => {
  const again: RunRecord = { kind: 'duplicate', atUs: seconds(13), by: 'push' }
  const records = [
    send,
    work,
    learned(6, [0], { by: 'push' }),
    end,
    learned(12, [1], { terminal: true, by: 'push' }),
  ]
  expect(verdictsOn(runOf(`${POLLED}push]`, records))).toEqual({})
  expect(verdictsOn(runOf(`${POLLED}push]`, [...records, again]))).toEqual({
    'no-repeats': ['3 posts were handed on, and there are 2 statuses'],
  })
  expect(verdictsOn(runOf(`receiver: { dedupe: false }\n${POLLED}push]`, [...records, again]))).toEqual({})
})

describe('octets-balance', () => {
  const seen = (responseBodyOctets: number) => [
    { exchange: send.number, requestBodyOctets: 50, responseBodyOctets },
  ]

  test('what the client read is what was counted', () => {
    expect(verdictsOn(runOf(`${POLLED}poll:6s]`, fine, { seen: seen(300) }))).toEqual({})
    expect(verdictsOn(runOf(`${POLLED}poll:6s]`, fine, { seen: seen(299) }))).toEqual({
      'octets-balance': [
        `exchange ${send.number} carried 50 and 299 octets of bodies, counted are 50 and 300`,
      ],
    })
  })

  test('where something cut, more may have been written than was read, never less', () => {
    const records = [{ ...send, cutBy: 'nginx' }, ...fine.slice(1)]
    expect(verdictsOn(runOf(`${POLLED}poll:6s]`, records, { seen: seen(29) }))).toEqual({})
    expect(verdictsOn(runOf(`${POLLED}poll:6s]`, records, { seen: seen(301) }))).toHaveProperty(
      'octets-balance',
    )
  })

  test('the row adds up', () => {
    const run = runOf(`${POLLED}poll:6s]`, fine)
    const row = { ...run.row, octets: { ...run.row.octets, up: run.row.octets.up + 1 } }
    expect(verdictsOn({ ...run, row })).toHaveProperty('octets-balance')
  })
})

describe('nothing-pending', () => {
  const world = `horizon: 1m\n${POLLED}poll:6s]`
  const left = { events: 2, timers: 1, waiting: ['the client waits'] }

  test('before the horizon nothing is left, and no exchange open', () => {
    expect(verdictsOn(runOf(world, fine, { leftovers: left }))).toEqual({
      'nothing-pending': [
        '2 events were still scheduled',
        '1 timers were still set',
        'somebody still waited: the client waits',
      ],
    })
    const open = exchange('GetTask', 13, 0, { endUs: undefined, outcome: 'open', status: undefined })
    expect(verdictsOn(runOf(world, [...fine, open]))['nothing-pending']).toEqual([
      `GetTask (exchange ${open.number}) never ended`,
    ])
  })

  test('a run whose end was learned does not last until its horizon', () => {
    expect(verdictsOn(runOf(world, fine, { endUs: seconds(60) }))['nothing-pending']).toHaveLength(1)
  })
})

test('same-again: the first record that differs is told', () => {
  const run = runOf(`${POLLED}poll:6s]`, fine)
  expect(sameAgain.check(run, { ...run, records: [...fine] })).toEqual([])
  expect(sameAgain.check(run, { ...run, records: fine.slice(0, -1) })).toEqual([
    expect.stringMatching(/^record 5 was \{"kind":"learned".*, and again none$/),
  ])
  expect(sameAgain.check(run, { ...run, endUs: seconds(21) })).toHaveLength(1)
})
