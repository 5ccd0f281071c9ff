import { describe, expect, test } from 'vitest'
import type { ExchangeRecord, RunRecord } from '../../sim/index.ts'
import { aPoll, aRow, aScenario } from './results.suite.ts'
import { asTimeline } from './timeline.ts'

const S = 1_000_000

/** A poll without news at `seconds`, everything else as given. */
const exchange = (seconds: number, changes: Partial<ExchangeRecord> = {}): ExchangeRecord => ({
  kind: 'exchange',
  number: 0,
  from: 'client',
  to: 'agent',
  operation: 'GetTask',
  startUs: seconds * S,
  endUs: seconds * S,
  status: 200,
  octets: { requestHead: 200, requestBody: 0, responseHead: 180, responseBody: 637 },
  outcome: 'complete',
  news: false,
  ...changes,
})

const send = (changes: Partial<ExchangeRecord> = {}): ExchangeRecord => {
  const { news: _, ...rest } = exchange(0, { operation: 'SendMessage', ...changes })
  return rest
}

const happened = (seconds: number, update: number, change: string, terminal = false): RunRecord => ({
  kind: 'happened',
  atUs: seconds * S,
  update,
  change,
  topic: change.startsWith('artifact') ? change : 'status',
  replaces: !change.startsWith('artifact'),
  message: false,
  terminal,
})

const learned = (seconds: number, updates: number[], by: 'poll' | 'stream' | 'push'): RunRecord => ({
  kind: 'learned',
  atUs: seconds * S,
  updates,
  by,
  terminal: false,
  exchange: undefined,
})

const connection = (openedS: number): RunRecord => ({
  kind: 'connection',
  from: 'client',
  to: 'agent',
  openedUs: openedS * S,
  closedUs: (openedS + 4) * S,
  exchanges: 1,
})

/** The drawing without the lines above and below it. */
function draw(records: readonly RunRecord[], endS: number): string {
  const text = asTimeline({ scenario: aScenario(), row: aRow(), records, endUs: endS * S })
  return `\n${text.split('\n\n').slice(1, -1).join('\n\n')}\n`
}

describe('the timeline', () => {
  test('says what is drawn, how to read it, and how it ended', () => {
    const row = { ...aPoll(7, 17, 5_000, 13_415), emptyPolls: 13 }
    const lines = asTimeline({ scenario: aScenario(), row, records: [send()], endUs: 105 * S }).split('\n')
    expect(lines.slice(0, 3)).toEqual([
      'hundred-seconds: poll every 7 s (poll:7s)',
      'my/hundred-seconds.yaml (sha256 0123456789ab), seed 1, engine replay, binding HTTP+JSON, horizon 1 h 1 min 40 s',
      'time runs downwards and is not to scale; ● update at the agent, ◆ the client learns, ┃ an open stream, ⋮ left out',
    ])
    expect(lines.at(-2)).toBe(
      'The end was learned 5 s late: 17 requests, 13 polls without news, 13,415 octets.',
    )
    const never = {
      ...aPoll(7, 17, null, 13_415),
      emptyPolls: 1,
      reason: 'the run reached its horizon first',
    }
    expect(asTimeline({ scenario: aScenario(), row: never, records: [send()], endUs: 0 })).toContain(
      '\nThe end was never learned, because the run reached its horizon first: 17 requests, 1 poll without news, 13,415 octets.\n',
    )
  })

  test('polls: runs of equal ones are folded, whatever the connections did in between', () => {
    const records = [
      send(),
      happened(0, 0, 'working'),
      exchange(0, { news: true }),
      learned(0, [0], 'poll'),
      connection(0),
      ...[7, 14].flatMap((t) => [exchange(t), connection(t)]),
      happened(20, 1, 'working'),
      exchange(21, { news: true }),
      learned(21, [1], 'poll'),
      connection(21),
      // The journal folds where it can.
      exchange(28, { repeats: { count: 9, everyUs: 7 * S } }),
      ...[91, 98].flatMap((t) => [connection(t - 7), exchange(t)]),
      happened(100, 2, 'artifact list'),
      happened(100, 3, 'artifact list'),
      happened(100, 4, 'completed', true),
      exchange(105, { news: true }),
      learned(105, [2, 3, 4], 'poll'),
    ]
    expect(draw(records, 105)).toBe(`
         client                         agent
    0 s  │── SendMessage, 200 octets ──▶│
         │◀────────── 200, 817 octets ──│
         │                              ● working
         │── GetTask, 200 octets ──────▶│
         │◀──── 200, news, 817 octets ──│
         ◆ learned working, on time     │
    7 s  │── GetTask, 200 octets ──────▶│
         │◀─ 200, no news, 817 octets ──│
   14 s  │── GetTask, 200 octets ──────▶│
         │◀─ 200, no news, 817 octets ──│
   20 s  │                              ● working
   21 s  │── GetTask, 200 octets ──────▶│
         │◀──── 200, news, 817 octets ──│
         ◆ learned working, 1 s late    │
   28 s  │── GetTask, 200 octets ──────▶│
         │◀─ 200, no news, 817 octets ──│
   98 s  ⋮ × 11 equal polls, every 7 s, no news, the last at 98 s
  100 s  │                              ● artifact list
         │                              ● artifact list
         │                              ● completed
  105 s  │── GetTask, 200 octets ──────▶│
         │◀──── 200, news, 817 octets ──│
         ◆ learned artifact list (2) and completed, 5 s late
`)
  })

  test('a stream: an open bar, each event behind its update and before what it taught, idle time named', () => {
    const says = (seconds: number, text: string) => ({ atUs: seconds * S, of: 'event' as const, says: text })
    const records = [
      happened(0, 0, 'working'),
      learned(0, [0], 'stream'),
      happened(90, 1, 'artifact list'),
      happened(90, 2, 'completed', true),
      learned(90, [1], 'stream'),
      learned(90, [2], 'stream'),
      send({
        operation: 'SendStreamingMessage',
        endUs: 90 * S,
        arrivals: [
          says(0, 'task'),
          says(0, 'working'),
          { ...says(60, ''), of: 'heartbeat' as const },
          says(90, 'artifact list'),
          says(90, 'completed'),
        ],
      }),
    ]
    expect(draw(records, 90)).toBe(`
          client                                 agent
     0 s  ┃── SendStreamingMessage, 200 octets ─▶│
          ┃◀────────────────────── event: task ──│
          ┃                                      ● working
          ┃◀─────────────────── event: working ──│
          ◆ learned working, on time             │
  ⋮ 60 s  ┃                                      │
    60 s  ┃◀──────────────────────── heartbeat ──│
  ⋮ 30 s  ┃                                      │
    90 s  ┃                                      ● artifact list
          ┃◀───────────── event: artifact list ──│
          ◆ learned artifact list, on time       │
          ┃                                      ● completed
          ┃◀───────────────── event: completed ──│
          ◆ learned completed, on time           │
          ┃◀──────── end of stream, 817 octets ──│
`)
  })

  test('a stream with latency: what each event taught stands behind it', () => {
    const says = (seconds: number, text: string) => ({ atUs: seconds * S, of: 'event' as const, says: text })
    const records = [
      happened(10, 0, 'artifact list'),
      happened(10, 1, 'artifact list'),
      happened(10, 2, 'completed', true),
      learned(10.05, [0], 'stream'),
      learned(10.05, [1], 'stream'),
      learned(10.05, [2], 'stream'),
      send({
        operation: 'SendStreamingMessage',
        endUs: 11 * S,
        outcome: 'failed',
        arrivals: [says(10.05, 'artifact list'), says(10.05, 'artifact list'), says(10.05, 'completed')],
      }),
    ]
    expect(draw(records, 11)).toBe(`
           client                                 agent
      0 s  ┃── SendStreamingMessage, 200 octets ─▶│
   ⋮ 10 s  ┃                                      │
     10 s  ┃                                      ● artifact list
           ┃                                      ● artifact list
           ┃                                      ● completed
  10.05 s  ┃◀───────────── event: artifact list ──│
           ◆ learned artifact list, 50 ms late    │
           ┃◀───────────── event: artifact list ──│
           ◆ learned artifact list, 50 ms late    │
           ┃◀───────────────── event: completed ──│
           ◆ learned completed, 50 ms late        │
     11 s  ┃◀─── stream, broken off, 817 octets ──│
`)
  })

  test('webhook posts come before what they taught, although they are recorded after it', () => {
    const post = (seconds: number) => {
      const { news: _, ...rest } = exchange(seconds, {
        from: 'agent',
        to: 'receiver',
        operation: 'webhook',
        status: 204,
      })
      return rest
    }
    const records = [
      send(),
      happened(0, 0, 'working'),
      learned(0, [0], 'push'),
      post(0),
      happened(5, 1, 'artifact list'),
      happened(5, 2, 'completed', true),
      learned(5, [1], 'push'),
      post(5),
      learned(5, [2], 'push'),
      { ...post(5), status: 500 },
      { kind: 'retry' as const, atUs: 5 * S, operation: 'webhook' },
    ]
    expect(draw(records, 5)).toBe(`
         client                        agent                         receiver
    0 s  │── SendMessage, 200 octets ─▶│                             │
         │◀───────── 200, 817 octets ──│                             │
         │                             ● working                     │
         │                             │── webhook, 200 octets ─────▶│
         │                             │◀───────── 204, 817 octets ──│
         ◆ learned working, on time    │                             │
  ⋮ 5 s  │                             │                             │
    5 s  │                             ● artifact list               │
         │                             ● completed                   │
         │                             │── webhook, 200 octets ─────▶│
         │                             │◀───────── 204, 817 octets ──│
         ◆ learned artifact list, on time
         │                             │── webhook, 200 octets ─────▶│
         │                             │◀───────── 500, 817 octets ──│
         ◆ learned completed, on time  │                             │
         │                             ↻ webhook is tried again      │
`)
  })

  test('latency: requests and answers apart, what is still open at the end, why somebody gave up', () => {
    const records: RunRecord[] = [
      send({ endUs: 0.1 * S }),
      happened(0.05, 0, 'working'),
      exchange(0.1, { endUs: 0.2 * S, news: true }),
      learned(0.2, [0], 'poll'),
      exchange(1.2, {
        endUs: 1.3 * S,
        repeats: { count: 86_400, everyUs: S },
      }),
      exchange(86_500, { endUs: undefined, status: undefined, outcome: 'open' }),
      { kind: 'gave-up', atUs: 86_600 * S, outcome: 'not-learned', reason: 'enough' },
    ]
    expect(draw(records, 90_000)).toBe(`
              client                         agent
         0 s  │── SendMessage, 200 octets ──▶│
      0.05 s  │                              ● working
       0.1 s  │◀────────── 200, 817 octets ──│
              │── GetTask, 200 octets ──────▶│
       0.2 s  │◀──── 200, news, 817 octets ──│
              ◆ learned working, 150 ms late │
       1.2 s  │── GetTask, 200 octets ──────▶│
       1.3 s  │◀─ 200, no news, 817 octets ──│
  86,400.3 s  ⋮ × 86,400 equal polls, every 1 s, no news, the last at 86,400.2 s
    86,500 s  │── GetTask, 200 octets ──────▶│
    86,600 s  ✗ gave up: enough              │
    90,000 s  ✗ GetTask still open when the run ended
`)
  })

  test('trouble: who cut what, what never got through, who took over, what was too soon, who gave up', () => {
    const beat = (seconds: number) => ({ atUs: seconds * S, of: 'heartbeat' as const, says: '' })
    const records: RunRecord[] = [
      send({
        operation: 'SendStreamingMessage',
        endUs: 60 * S,
        cutBy: 'nginx',
        arrivals: [{ atUs: 0, of: 'event', says: 'task' }, ...[10, 20, 30, 40].map(beat)],
      }),
      { kind: 'hand-over', atUs: 60 * S, to: 'poll', reason: 'the stream ended before the task did' },
      { ...send({ operation: 'GetTask', status: 504, cutBy: 'gateway' }), startUs: 60 * S, endUs: 70 * S },
      { kind: 'slow-down', atUs: 71 * S },
      {
        ...send({
          from: 'agent',
          to: 'receiver',
          operation: 'webhook',
          outcome: 'failed',
          octets: { requestHead: 0, requestBody: 0, responseHead: 0, responseBody: 0 },
        }),
        startUs: 80 * S,
        endUs: 80 * S,
        status: undefined,
      },
      {
        ...send({ operation: 'GetTask', outcome: 'aborted' }),
        startUs: 85 * S,
        endUs: 90 * S,
        status: undefined,
      },
      { kind: 'removed', atUs: 95 * S },
    ]
    expect(draw(records, 95)).toBe(`
          client                                        agent
     0 s  ┃── SendStreamingMessage, 200 octets ────────▶│
          ┃◀───────────────────────────── event: task ──│
  ⋮ 10 s  ┃                                             │
    10 s  ┃◀─────────────────────────────── heartbeat ──│
    40 s  ⋮ × 4 heartbeats, every 10 s, the last at 40 s
  ⋮ 20 s  ┃                                             │
    60 s  ┃◀─ end of stream, cut by nginx, 817 octets ──│
          → poll takes over: the stream ended before the task did
          │── GetTask, 200 octets ─────────────────────▶│
  ⋮ 10 s  │                                             │
    70 s  │◀───────── 504, cut by gateway, 817 octets ──│
    71 s  │                                             ✗ polled too soon: slow_down
    80 s  │                                             ✗ webhook: no connection
    85 s  │── GetTask, 200 octets ─────────────────────▶│
    90 s  ✗ GetTask: no answer, aborted by the client   │
    95 s  │                                             ✗ gives up: the webhook is removed
`)
  })

  test('a silent cut is drawn when the silence begins, and again when the client notices', () => {
    const task = { atUs: 0, of: 'event' as const, says: 'task' }
    const stream = (startS: number, endS: number, changes: Partial<ExchangeRecord>): ExchangeRecord => ({
      ...send({ operation: 'SubscribeToTask', outcome: 'aborted', ...changes }),
      startUs: startS * S,
      endUs: endS * S,
      arrivals: [{ ...task, atUs: startS * S }],
    })
    const records: RunRecord[] = [
      stream(0, 50, { silentSinceUs: 30 * S, cutBy: 'lb' }),
      // A limit of the client's own ends the silence: nobody knows any more who began it.
      stream(50, 90, { silentSinceUs: 70 * S, cutBy: 'client limits' }),
      // A hop nearer to the client tells it.
      stream(100, 150, { silentSinceUs: 130 * S, cutBy: 'nginx', outcome: 'failed' }),
      {
        ...send({ operation: 'GetTask', outcome: 'aborted', silentSinceUs: 170 * S, cutBy: 'lb' }),
        startUs: 160 * S,
        endUs: 180 * S,
        status: undefined,
      },
      {
        ...send({ operation: 'GetTask', outcome: 'open', silentSinceUs: 195 * S, cutBy: 'lb' }),
        startUs: 190 * S,
        endUs: undefined,
        status: undefined,
      },
    ]
    expect(draw(records, 200)).toBe(`
          client                                             agent
     0 s  ┃── SubscribeToTask, 200 octets ──────────────────▶│
          ┃◀────────────────────────────────── event: task ──│
  ⋮ 30 s  ┃                                                  │
    30 s  ✗ SubscribeToTask falls silent, cut by lb          │
  ⋮ 20 s  │                                                  │
    50 s  ✗ SubscribeToTask: silence noticed, aborted by the client, 817 octets
          ┃── SubscribeToTask, 200 octets ──────────────────▶│
          ┃◀────────────────────────────────── event: task ──│
  ⋮ 20 s  ┃                                                  │
    70 s  ✗ SubscribeToTask falls silent                     │
  ⋮ 20 s  │                                                  │
    90 s  ✗ SubscribeToTask: silence noticed, cut by client limits, aborted by the client, 817 octets
   100 s  ┃── SubscribeToTask, 200 octets ──────────────────▶│
          ┃◀────────────────────────────────── event: task ──│
  ⋮ 30 s  ┃                                                  │
   130 s  ✗ SubscribeToTask falls silent                     │
  ⋮ 20 s  │                                                  │
   150 s  │◀─ stream, cut by nginx, broken off, 817 octets ──│
   160 s  │── GetTask, 200 octets ──────────────────────────▶│
   170 s  ✗ GetTask falls silent, cut by lb                  │
   180 s  ✗ GetTask: no answer, aborted by the client        │
   190 s  │── GetTask, 200 octets ──────────────────────────▶│
   195 s  ✗ GetTask falls silent, cut by lb                  │
   200 s  ✗ GetTask still open when the run ended            │
`)
  })
})
