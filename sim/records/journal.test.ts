import { expect, test } from 'vitest'
import { createJournal } from './journal.ts'
import type { ExchangeRecord, RunRecord } from './record.ts'

const poll = (startUs: number, changes: Partial<ExchangeRecord> = {}): ExchangeRecord => ({
  kind: 'exchange',
  number: startUs + 1,
  from: 'client',
  to: 'agent',
  operation: 'GetTask',
  startUs,
  endUs: startUs + 10,
  status: 200,
  octets: { requestHead: 300, requestBody: 0, responseHead: 200, responseBody: 637 },
  outcome: 'complete',
  news: false,
  ...changes,
})

const journalOf = (...records: RunRecord[]) => {
  const journal = createJournal()
  for (const record of records) journal.append(record)
  return journal.records()
}

test('equal polls in a row are one record that counts them and knows the last', () => {
  expect(journalOf(poll(0), poll(7), poll(14))).toEqual([poll(0, { repeats: { count: 3, everyUs: 7 } })])
})

test('every instant can be told from the folded records', () => {
  const instants = [0, 1, 2, 3, 16, 29, 30, 40]
  const told = journalOf(...instants.map((startUs) => poll(startUs))).flatMap((record) => {
    if (record.kind !== 'exchange') return []
    const { count, everyUs } = record.repeats ?? { count: 1, everyUs: 0 }
    return Array.from({ length: count }, (_, n) => record.startUs + n * everyUs)
  })
  expect(told).toEqual(instants)
})

test('a poll that took longer stays a record of its own', () => {
  expect(journalOf(poll(0), poll(7), poll(14, { endUs: 25 }))).toHaveLength(2)
})

test('a day of polls stays one record', () => {
  const journal = createJournal()
  for (let n = 0; n < 86_400; n++) journal.append(poll(n * 1_000_000))
  expect(journal.records()).toHaveLength(1)
})

test.each<[string, Partial<ExchangeRecord>]>([
  ['news', { news: true }],
  ['octets', { octets: { requestHead: 301, requestBody: 0, responseHead: 200, responseBody: 637 } }],
  ['status', { status: 503 }],
  ['operation', { operation: 'ListTasks' }],
  ['outcome', { outcome: 'failed' }],
  ['who cut it', { cutBy: 'nginx' }],
  ['a stream', { arrivals: [] }],
])('a poll that differs in %s stays a record of its own', (_, change) => {
  expect(journalOf(poll(0), poll(7, change), poll(14))).toHaveLength(3)
})

test('what happened in between keeps polls apart', () => {
  const learned: RunRecord = {
    kind: 'learned',
    atUs: 7,
    updates: [0],
    by: 'poll',
    terminal: false,
    exchange: 1,
  }
  expect(journalOf(poll(0), learned, poll(7)).map(({ kind }) => kind)).toEqual([
    'exchange',
    'learned',
    'exchange',
  ])
})

test('a poll whose worth is told after its answer folds by that worth', () => {
  const journal = createJournal()
  for (const [startUs, news] of [
    [0, true],
    [7, false],
    [14, false],
  ] as const) {
    const record = poll(startUs)
    delete record.news
    journal.append(record)
    const told = journal.exchange(startUs + 1)
    if (told !== undefined) told.news = news
  }
  expect(journal.records()).toEqual([poll(0, { news: true }), poll(7, { repeats: { count: 2, everyUs: 7 } })])
})
