/** What happened in a run, as scenarios name it: `60s cut`, `63s opened`. */
import type { ExchangeRecord, RunRecord } from '../records/record.ts'
import type { WantedEvent } from '../scenario/expectation.ts'
import { fatesOf } from './learning.ts'
import { isPoll, isThrottled } from './polls.ts'
import { isSend } from './span.ts'
import { deadUsOf, isCut, isReconnect, isStream, streamsOf } from './streams.ts'
import { exchangesOf } from './traffic.ts'

type EventKind = WantedEvent['event']

/**
 * One event, or several alike at even distances. What each kind means:
 *
 * - `sent`: a message leaves the client, the job's first and answers to questions;
 * - `opened`: the client asks for a stream, the first or again, and gets one;
 * - `reconnect`: the same, only where the client takes up a task again;
 * - `poll`: a GetTask leaves; `post`: a webhook post leaves;
 * - `cut`: an exchange ends before its time and not by the client's wish, as the client sees it;
 * - `closed`: a stream ends otherwise: with the task, with a question, or by the client;
 * - `slow-down`: the agent calls a poll too frequent; `throttled`: the client has an answer 429;
 * - `learned`: the client first knows the end of the task;
 * - `failed`: the client is told that it cannot go on; `gave-up`: it stops without having been told;
 * - `removed`: the agent gives up on a webhook and removes it.
 */
export interface RunEvent {
  atUs: number
  event: EventKind
  repeats?: { count: number; everyUs: number }
}

/** The events of a run by their instants; those of one instant in the order they became known. */
export function eventsOf(records: readonly RunRecord[]): RunEvent[] {
  const exchanges = exchangesOf(records)
  const streams = streamsOf(exchanges)
  const endLearnedUs = fatesOf(records).find(({ terminal }) => terminal)?.learnedUs
  return records
    .flatMap((record): RunEvent[] => {
      switch (record.kind) {
        case 'exchange':
          return eventsOfExchange(record, streams, endLearnedUs)
        case 'slow-down':
        case 'removed':
          return [{ atUs: record.atUs, event: record.kind }]
        case 'gave-up':
          return [{ atUs: record.atUs, event: record.outcome === 'failed' ? 'failed' : 'gave-up' }]
        case 'learned':
          return record.terminal ? [{ atUs: record.atUs, event: 'learned' }] : []
        case 'happened':
        case 'duplicate':
        case 'connection':
        case 'retry':
        case 'hand-over':
        case 'served':
        case 'turned-away':
          return []
      }
    })
    .toSorted((a, b) => a.atUs - b.atUs)
}

function eventsOfExchange(
  exchange: ExchangeRecord,
  streams: readonly ExchangeRecord[],
  endLearnedUs: number | undefined,
): RunEvent[] {
  const { startUs } = exchange
  const deadUs = deadUsOf(exchange)
  const begun: EventKind[] = [
    ...(isSend(exchange) ? (['sent'] as const) : []),
    ...(isStream(exchange) ? (['opened'] as const) : []),
    ...(isStream(exchange) && isReconnect(exchange, streams) ? (['reconnect'] as const) : []),
    ...(isPoll(exchange) ? (['poll'] as const) : []),
    ...(exchange.to === 'receiver' ? (['post'] as const) : []),
  ]
  const cut = isCut(exchange, endLearnedUs)
  const ended: EventKind[] = [
    ...(isThrottled(exchange) ? (['throttled'] as const) : []),
    ...(cut ? (['cut'] as const) : isStream(exchange) ? (['closed'] as const) : []),
  ]
  const repeats = exchange.repeats === undefined ? {} : { repeats: exchange.repeats }
  return [
    ...begun.map((event) => ({ atUs: startUs, event, ...repeats })),
    ...(deadUs === undefined ? [] : ended.map((event) => ({ atUs: deadUs, event, ...repeats }))),
  ]
}

/**
 * The first of the wanted events that is not there, in their order among all
 * others; `undefined` if none is missing. Events of one instant may be named in
 * any order.
 */
export function firstMissing(
  events: readonly RunEvent[],
  wanted: readonly WantedEvent[],
): WantedEvent | undefined {
  const instants = instantsOf(events, new Set(wanted.map(({ event }) => event)))
  const used = new Set<number>()
  let lastUs = -Infinity
  for (const one of wanted) {
    const found = instants.findIndex(
      ({ atUs, event }, i) => !used.has(i) && atUs >= lastUs && event === one.event && readsAs(atUs, one),
    )
    if (found < 0) return one
    used.add(found)
    lastUs = (instants[found] as RunEvent).atUs
  }
  return undefined
}

const readsAs = (us: number, { atUs, precisionUs }: WantedEvent): boolean =>
  precisionUs <= 1 ? us === atUs : Math.round(us / precisionUs) * precisionUs === atUs

/** Each event of some kinds by itself, in order. */
function instantsOf(events: readonly RunEvent[], kinds: ReadonlySet<EventKind>): RunEvent[] {
  return events
    .filter(({ event }) => kinds.has(event))
    .flatMap(({ atUs, event, repeats: { count, everyUs } = { count: 1, everyUs: 0 } }) =>
      Array.from({ length: count }, (_, n) => ({ atUs: atUs + n * everyUs, event })),
    )
    .toSorted((a, b) => a.atUs - b.atUs)
}
