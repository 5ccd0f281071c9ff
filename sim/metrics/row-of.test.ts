import { describe, expect, test } from 'vitest'
import type {
  ConnectionRecord,
  ExchangeRecord,
  HappenedRecord,
  LearnedRecord,
  RunRecord,
} from '../records/record.ts'
import { rowOf } from './row-of.ts'

const S = 1_000_000

const happened = (atUs: number, update: number, changes: Partial<HappenedRecord> = {}): HappenedRecord => ({
  kind: 'happened',
  atUs,
  update,
  change: 'working',
  topic: 'status',
  replaces: true,
  message: false,
  terminal: false,
  ...changes,
})

const learned = (atUs: number, updates: number[], changes: Partial<LearnedRecord> = {}): LearnedRecord => ({
  kind: 'learned',
  atUs,
  updates,
  by: 'poll',
  terminal: false,
  exchange: undefined,
  ...changes,
})

const exchange = (
  operation: string,
  startUs: number,
  changes: Partial<ExchangeRecord> = {},
): ExchangeRecord => ({
  kind: 'exchange',
  number: 0,
  from: 'client',
  to: 'agent',
  operation,
  startUs,
  endUs: startUs,
  status: 200,
  octets: { requestHead: 100, requestBody: 10, responseHead: 200, responseBody: 20 },
  outcome: 'complete',
  ...changes,
})

const connection = (openedUs: number, closedUs: number): ConnectionRecord => ({
  kind: 'connection',
  from: 'client',
  to: 'agent',
  openedUs,
  closedUs,
  exchanges: 1,
})

const row = (records: RunRecord[], endUs = 100 * S) => rowOf({ mechanism: 'm', policy: 'p', records, endUs })

describe('what was learned', () => {
  const job = [
    happened(0, 0),
    happened(20 * S, 1),
    happened(100 * S, 2, { change: 'completed', terminal: true }),
  ]

  test('lateness is counted for each update, time to learn for the last', () => {
    const { outcome, timeToLearnMs, learnedAtMs, latenessMs, updates } = row([
      ...job,
      learned(0, [0]),
      learned(21 * S, [1]),
      learned(105 * S, [2], { terminal: true }),
    ])
    expect({ outcome, timeToLearnMs, learnedAtMs }).toEqual({
      outcome: 'learned',
      timeToLearnMs: 5000,
      learnedAtMs: 105_000,
    })
    expect(latenessMs).toEqual({ mean: 2000, p50: 1000, p95: 5000, max: 5000 })
    expect(updates).toEqual({ happened: 3, learned: 3, coalesced: 0, lost: 0, messagesLost: 0, duplicate: 0 })
  })

  test('a status superseded before anybody looked is learned through its successor and called coalesced', () => {
    const { updates, latenessMs } = row([...job, learned(105 * S, [0, 1, 2], { terminal: true })])
    expect(updates).toMatchObject({ learned: 3, coalesced: 2, lost: 0 })
    expect(latenessMs?.max).toBe(105_000)
  })

  test('a message dies with the status that carried it, unless somebody read it', () => {
    const talking = [
      happened(0, 0, { message: true }),
      happened(1 * S, 1, { message: true }),
      happened(2 * S, 2, { message: true }),
      happened(3 * S, 3, { message: true, terminal: true }),
    ]
    const { updates } = row([...talking, learned(0, [0]), learned(3 * S, [1, 2, 3], { terminal: true })])
    expect(updates).toMatchObject({ learned: 4, coalesced: 2, lost: 0, messagesLost: 2 })
    expect(row(talking).updates).toMatchObject({ lost: 4, messagesLost: 4 })
  })

  test('an artifact replaced before anybody looked is known through the one that replaced it', () => {
    const version = (atUs: number, update: number, replaces: boolean) =>
      happened(atUs, update, { topic: 'artifact report', replaces })
    const report = [
      version(0, 0, true),
      version(1 * S, 1, false),
      version(5 * S, 2, true),
      version(6 * S, 3, false),
    ]
    const end = happened(9 * S, 4, { terminal: true })
    const told = [learned(5 * S, [2]), learned(9 * S, [4], { terminal: true })]
    // Both parts of the first version went with it; the chunk appended to the second is gone.
    expect(row([...report, end, ...told]).updates).toMatchObject({ learned: 4, coalesced: 2, lost: 1 })
  })

  test('what is told one by one at one instant is not coalesced, what comes after its successor is', () => {
    const pair = [happened(0, 0), happened(0, 1, { terminal: true })]
    expect(row([...pair, learned(0, [0]), learned(0, [1])]).updates.coalesced).toBe(0)
    expect(row([...pair, learned(0, [0, 1])]).updates.coalesced).toBe(1)
    expect(row([...pair, learned(0, [1]), learned(0, [0])]).updates.coalesced).toBe(1)
  })

  test('an appended chunk is never coalesced: nothing replaces it', () => {
    const chunk = happened(100 * S, 2, { topic: 'artifact a', replaces: false })
    const end = happened(100 * S, 3, { terminal: true })
    const { updates } = row([
      ...job.slice(0, 2),
      chunk,
      end,
      learned(105 * S, [0, 1, 2, 3], { terminal: true }),
    ])
    expect(updates).toMatchObject({ learned: 4, coalesced: 2, lost: 0 })
    const missed = row([...job.slice(0, 2), chunk, end, learned(105 * S, [3], { terminal: true })])
    expect(missed.updates).toMatchObject({ learned: 3, coalesced: 2, lost: 1 })
  })

  test('never learned is no number, and says why', () => {
    expect(row(job)).toMatchObject({
      outcome: 'not-learned',
      learned: 0,
      timeToLearnMs: null,
      learnedAtMs: null,
      latenessMs: null,
    })
    expect(row(job).reason).toContain('horizon')
    const gaveUp: RunRecord = { kind: 'gave-up', atUs: 5 * S, outcome: 'failed', reason: 'no streaming' }
    expect(row([...job, gaveUp])).toMatchObject({
      outcome: 'failed',
      reason: 'no streaming',
      failedAtMs: 5000,
      updates: { lost: 3 },
    })
    // One part of a policy may be told so while another learns.
    expect(row([...job, gaveUp, learned(105 * S, [2], { terminal: true })])).toMatchObject({
      outcome: 'learned',
      learned: 1,
      failedAtMs: null,
    })
    expect(row([...job, { ...gaveUp, outcome: 'not-learned' }])).toMatchObject({
      outcome: 'not-learned',
      failedAtMs: null,
    })
  })

  test('lateness keeps its microseconds', () => {
    const end = happened(0, 0, { terminal: true })
    expect(row([end, learned(142, [0], { terminal: true })]).timeToLearnMs).toBe(0.142)
  })

  test('news twice over is a duplicate, a retried post a retry', () => {
    const { updates, retries } = row([
      { kind: 'duplicate', atUs: 1, by: 'push' },
      { kind: 'retry', atUs: 2, operation: 'webhook' },
    ])
    expect({ duplicate: updates.duplicate, retries }).toEqual({ duplicate: 1, retries: 1 })
  })
})

describe('what went over the wire', () => {
  test('folded polls count in full', () => {
    const polls = exchange('GetTask', S, {
      news: false,
      repeats: { count: 19, everyUs: S },
    })
    const {
      requests,
      polls: polled,
      emptyPolls,
      octets,
    } = row([exchange('SendMessage', 0), exchange('GetTask', 0, { news: true }), polls])
    expect({ requests, polled, emptyPolls }).toEqual({ requests: 21, polled: 20, emptyPolls: 19 })
    expect(octets).toEqual({
      total: 21 * 330,
      up: 21 * 110,
      down: 21 * 220,
      head: 21 * 300,
      body: 21 * 30,
      waste: 19 * 330,
    })
  })

  test('a poll that was not answered is not empty: nobody knows what it would have told', () => {
    const open = exchange('GetTask', 0, { outcome: 'open', endUs: undefined })
    expect(row([open])).toMatchObject({ polls: 1, emptyPolls: 0, waste: 1 })
  })

  test('a day of hourly polls with one update is 23 parts of 24 waste, told by 304 or by the whole task', () => {
    const day = (empty: Partial<ExchangeRecord>) =>
      row([
        exchange('SendMessage', 0),
        exchange('GetTask', 3600 * S, { ...empty, repeats: { count: 23, everyUs: 3600 * S } }),
        exchange('GetTask', 24 * 3600 * S, { news: true }),
      ])
    expect(day({ news: false })).toMatchObject({ polls: 24, emptyPolls: 23, notModified: 0, waste: 23 / 24 })
    expect(day({ status: 304 })).toMatchObject({ polls: 24, emptyPolls: 23, notModified: 23, waste: 23 / 24 })
    expect(day({ status: 304 }).octets.waste).toBe(23 * 330)
    expect(row([exchange('SendMessage', 0)]).waste).toBeNull()
  })

  test('posts that brought no news are waste, and so is a stream opened in vain', () => {
    const post = (number: number) => exchange('webhook', 0, { number, from: 'agent', to: 'receiver' })
    const streamed = (number: number) => exchange('SubscribeToTask', 0, { number, arrivals: [] })
    const { octets, waste } = row([
      happened(0, 0),
      happened(0, 1, { terminal: true }),
      exchange('SendStreamingMessage', 0, { number: 1, arrivals: [] }),
      learned(0, [0], { by: 'push', exchange: 2 }),
      ...[2, 3].map(post),
      learned(0, [1], { by: 'stream', exchange: 4 }),
      ...[4, 5].map(streamed),
    ])
    expect({ wasted: octets.waste, waste }).toEqual({ wasted: 2 * 330, waste: null })
  })

  test('polls that were refused are counted by how they were refused', () => {
    const slow: RunRecord = { kind: 'slow-down', atUs: 2 * S }
    const refused = row([
      exchange('SendMessage', 0),
      exchange('GetTask', S, { status: 429, repeats: { count: 3, everyUs: S } }),
      exchange('GetTask', 2 * S, { status: 400 }),
      slow,
      exchange('webhook', 3 * S, { from: 'agent', to: 'receiver', status: 429 }),
    ])
    expect(refused).toMatchObject({ throttled: 3, slowDowns: 1, emptyPolls: 0, waste: 1 })
  })

  test('requests per second are those of the time until the end was learned', () => {
    const polls = exchange('GetTask', 0, { repeats: { count: 9, everyUs: S } })
    const end = [
      happened(4 * S, 0, { terminal: true }),
      learned(5 * S, [0], { terminal: true, exchange: undefined }),
    ]
    expect(row([exchange('SendMessage', S), polls, ...end]).requestsPerSecond).toBe(2.5)
    expect(row([exchange('SendMessage', 0), polls], 100 * S).requestsPerSecond).toBe(0.1)
    // Recorded first, because it ended first: the answer to a question on a stream that is still open.
    const asked = [exchange('SendMessage', 40 * S), exchange('SendStreamingMessage', 0, { endUs: 100 * S })]
    expect(row(asked, 100 * S).requestsPerSecond).toBe(0.02)
    expect(row(asked.toReversed(), 100 * S).requestsPerSecond).toBe(0.02)
    expect(row([], 0)).toMatchObject({
      requestsPerSecond: null,
      ageMs: null,
      stalenessMs: null,
      freshness: null,
    })
  })

  test("a webhook post's request comes down to the client's side", () => {
    const { requests, webhookPosts, octets } = row([
      exchange('webhook', 0, { from: 'agent', to: 'receiver' }),
    ])
    expect({ requests, webhookPosts }).toEqual({ requests: 0, webhookPosts: 1 })
    expect({ up: octets.up, down: octets.down }).toEqual({ up: 220, down: 110 })
  })

  test("a receiver's own request goes up, as it is on the client's side, and is none of the client's requests", () => {
    const { requests, octets } = row([exchange('GetTask', 0, { from: 'receiver', to: 'agent' })])
    expect({ requests, up: octets.up, down: octets.down }).toEqual({ requests: 0, up: 110, down: 220 })
  })

  test('a connection that closes as another opens is not open beside it', () => {
    expect(row([connection(4 * S, 8 * S), connection(0, 4 * S)]).connections.peak).toBe(1)
    expect(
      row([connection(0, 4 * S), connection(4 * S, 8 * S), connection(5 * S, 6 * S)]).connections,
    ).toEqual({
      opened: 3,
      peak: 2,
      seconds: 9,
    })
  })
})

describe('streams', () => {
  const stream = (
    startUs: number,
    endUs: number | undefined,
    outcome: ExchangeRecord['outcome'],
    changes: Partial<ExchangeRecord> = {},
  ): ExchangeRecord =>
    exchange(startUs === 0 ? 'SendStreamingMessage' : 'SubscribeToTask', startUs, {
      endUs,
      outcome,
      arrivals: [
        { atUs: startUs, of: 'event', says: 'task' },
        { atUs: startUs, of: 'heartbeat', says: '' },
      ],
      ...changes,
    })
  const end = happened(90 * S, 0, { terminal: true })
  const told = learned(90 * S, [0], { terminal: true })

  test('events and heartbeats are counted apart', () => {
    expect(row([stream(0, 90 * S, 'complete')])).toMatchObject({ streamEvents: 1, heartbeats: 1 })
  })

  test('a cut, a reconnect and the time in between', () => {
    const { cuts, reconnects, blindTimeMs } = row([
      end,
      stream(0, 60 * S, 'failed'),
      stream(63 * S, 90 * S, 'complete'),
      told,
    ])
    expect({ cuts, reconnects, blindTimeMs }).toEqual({ cuts: 1, reconnects: 1, blindTimeMs: 3000 })
  })

  test('a stream that brought the end is not cut, nor is one the client broke off', () => {
    expect(row([end, stream(0, 90 * S, 'complete'), told]).cuts).toBe(0)
    expect(row([end, stream(0, 50 * S, 'aborted'), told]).cuts).toBe(0)
    expect(row([end, stream(0, 95 * S, 'failed', { cutBy: 'nginx' }), told]).cuts).toBe(0)
  })

  test('what a hop, a limit or a fault ended is cut, whatever it was; a post is retried instead', () => {
    const held = exchange('SendMessage', 0, { endUs: 30 * S, status: 504, cutBy: 'apigw' })
    const poll = exchange('GetTask', 40 * S, { endUs: 45 * S, outcome: 'aborted', cutBy: 'client limits' })
    const silent = stream(50 * S, undefined, 'open', { cutBy: 'azure-lb' })
    const post = exchange('webhook', 0, { from: 'agent', to: 'receiver', outcome: 'failed', cutBy: 'nginx' })
    expect(row([held, poll, silent, post]).cuts).toBe(3)
  })

  test('a cut stream that nobody reopens leaves the client blind to the end of the run', () => {
    expect(row([end, stream(0, 60 * S, 'complete')], 100 * S)).toMatchObject({ cuts: 1, blindTimeMs: 40_000 })
  })

  test('a stream that ends with a question is neither cut nor missed, and its answer opens no second time', () => {
    const asks = stream(0, 10 * S, 'complete', {
      arrivals: [{ atUs: 10 * S, of: 'event', says: 'input-required' }],
    })
    const answer = stream(40 * S, 90 * S, 'complete', { operation: 'SendStreamingMessage' })
    expect(row([asks, end, answer, told])).toMatchObject({ cuts: 0, reconnects: 0, blindTimeMs: 0 })
    const cutThere = { ...asks, outcome: 'failed' as const }
    expect(row([cutThere, end, answer, told])).toMatchObject({ cuts: 1, blindTimeMs: 30_000 })
  })

  test('nobody is blind while another mechanism of the chain is in charge', () => {
    const handOver = (atUs: number, to: string): RunRecord => ({ kind: 'hand-over', atUs, to, reason: '' })
    const cut = stream(0, 30 * S, 'complete')
    expect(row([cut, handOver(33 * S, 'poll'), end, told]).blindTimeMs).toBe(3000)
    const back = [handOver(33 * S, 'poll'), handOver(60 * S, 'stream'), stream(61 * S, 90 * S, 'complete')]
    expect(row([cut, ...back, end, told]).blindTimeMs).toBe(4000)
  })

  test('streams beside each other leave no gap', () => {
    const beside = [
      stream(0, 50 * S, 'failed'),
      stream(10 * S, 20 * S, 'failed'),
      stream(40 * S, 90 * S, 'complete'),
    ]
    expect(row([end, ...beside, told]).blindTimeMs).toBe(0)
  })
})

test('webhooks that were removed are counted', () => {
  expect(row([{ kind: 'removed', atUs: 5 * S }]).removed).toBe(1)
})
