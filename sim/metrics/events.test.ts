import { describe, expect, test } from 'vitest'
import type { ExchangeRecord, RunRecord } from '../records/record.ts'
import { eventsOf, firstMissing, type RunEvent } from './events.ts'

const S = 1_000_000

type EventKind = RunEvent['event']

const exchange = (
  operation: string,
  startS: number,
  endS: number,
  changes: Partial<ExchangeRecord> = {},
): ExchangeRecord => ({
  kind: 'exchange',
  number: startS,
  from: 'client',
  to: 'agent',
  operation,
  startUs: startS * S,
  endUs: endS * S,
  status: 200,
  octets: { requestHead: 0, requestBody: 0, responseHead: 0, responseBody: 0 },
  outcome: 'complete',
  ...changes,
})
const stream = (operation: string, startS: number, endS: number, changes: Partial<ExchangeRecord> = {}) =>
  exchange(operation, startS, endS, { arrivals: [], ...changes })
const end = (happenedS: number, learnedS: number): RunRecord[] => [
  {
    kind: 'happened',
    atUs: happenedS * S,
    update: 0,
    change: 'completed',
    topic: 'status',
    replaces: true,
    message: false,
    terminal: true,
  },
  { kind: 'learned', atUs: learnedS * S, updates: [0], by: 'stream', terminal: true, exchange: undefined },
]
const written = (records: readonly RunRecord[]): string[] =>
  eventsOf(records).map(
    ({ atUs, event, repeats }) =>
      `${atUs / S}s ${event}${repeats === undefined ? '' : ` x${repeats.count} every ${repeats.everyUs / S}s`}`,
  )

describe('the events of a run', () => {
  test('a stream that nginx cuts and the client takes up again', () => {
    const records = [
      stream('SendStreamingMessage', 0, 60, { cutBy: 'nginx' }),
      ...end(90, 90),
      stream('SubscribeToTask', 63, 90),
    ]
    expect(written(records)).toEqual([
      '0s sent',
      '0s opened',
      '60s cut',
      '63s opened',
      '63s reconnect',
      '90s learned',
      '90s closed',
    ])
  })

  test('polls stay folded, and what refused them is told', () => {
    const records: RunRecord[] = [
      exchange('SendMessage', 0, 0),
      { kind: 'slow-down', atUs: 4 * S },
      exchange('GetTask', 4, 4, { status: 400 }),
      exchange('GetTask', 5, 6, { status: 429, repeats: { count: 3, everyUs: 5 * S } }),
      { kind: 'gave-up', atUs: 20 * S, outcome: 'failed', reason: 'told so' },
    ]
    expect(written(records)).toEqual([
      '0s sent',
      '4s slow-down',
      '4s poll',
      '5s poll x3 every 5s',
      '6s throttled x3 every 5s',
      '20s failed',
    ])
  })

  test('posts leave the agent, and a webhook is removed in the end', () => {
    const records: RunRecord[] = [
      exchange('webhook', 60, 65, { from: 'agent', to: 'receiver', outcome: 'aborted', cutBy: 'agent' }),
      { kind: 'removed', atUs: 70 * S },
      { kind: 'gave-up', atUs: 80 * S, outcome: 'not-learned', reason: 'enough' },
    ]
    expect(written(records)).toEqual(['60s post', '70s removed', '80s gave-up'])
  })
})

describe('wanted events', () => {
  const at = (seconds: number, event: EventKind, repeats?: RunEvent['repeats']): RunEvent => ({
    atUs: seconds * S,
    event,
    ...(repeats && { repeats }),
  })
  const want = (seconds: number, event: EventKind, precisionUs = S) => ({
    atUs: seconds * S,
    precisionUs,
    event,
  })
  const events = [
    at(0, 'opened'),
    at(4.545_455, 'slow-down'),
    at(5, 'poll', { count: 4, everyUs: 5 * S }),
    at(12, 'cut'),
    at(12, 'gave-up'),
  ]

  test.each([
    ['in order, others between', [want(0, 'opened'), want(12, 'cut')]],
    ['at the precision it is written in', [want(4.545, 'slow-down', 1000)]],
    ['one of many alike', [want(10, 'poll'), want(12, 'cut'), want(15, 'poll'), want(20, 'poll')]],
    ['of one instant in any order', [want(12, 'gave-up'), want(12, 'cut')]],
  ])('%s', (_, wanted) => {
    expect(firstMissing(events, wanted)).toBeUndefined()
  })

  test.each([
    ['another instant', [want(13, 'cut')]],
    ['another kind', [want(12, 'closed')]],
    ['too exact', [want(4.545, 'slow-down', 1)]],
    ['one where two are wanted', [want(12, 'cut'), want(12, 'cut')]],
    ['the wrong order', [want(12, 'cut'), want(10, 'poll')]],
    ['beyond the last of many', [want(25, 'poll')]],
  ])('%s is missing', (_, wanted) => {
    expect(firstMissing(events, wanted)).toBe(wanted.at(-1))
  })
})

test('a cut in silence is there when it fell silent, though the client let go only later', () => {
  const stream = exchange('SendStreamingMessage', 0, 310, {
    arrivals: [],
    outcome: 'aborted',
    cutBy: 'azure-lb',
    silentSinceUs: 240 * S,
  })
  expect(eventsOf([stream])).toContainEqual({ atUs: 240 * S, event: 'cut' })
})
