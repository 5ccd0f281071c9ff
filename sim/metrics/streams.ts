/** The client's streams: what cut them, which were opened again, and the time without one. */
import type { ExchangeRecord, HandOverRecord, RunRecord, StreamArrival } from '../records/record.ts'
import type { Span } from './span.ts'

/** Exchanges of the client that were answered with an event stream, in the order they were opened. */
export const streamsOf = (exchanges: readonly ExchangeRecord[]): ExchangeRecord[] =>
  exchanges.filter(isStream).toSorted((a, b) => a.startUs - b.startUs || a.number - b.number)

export const isStream = ({ from, arrivals }: ExchangeRecord): boolean =>
  from === 'client' && arrivals !== undefined

/** When an exchange was of no use any more: at its end, or when it fell silent before that. */
export const deadUsOf = ({ endUs, silentSinceUs }: ExchangeRecord): number | undefined =>
  silentSinceUs === undefined ? endUs : Math.min(silentSinceUs, endUs ?? Infinity)

export const arrivalsOf = (streams: readonly ExchangeRecord[], of: StreamArrival['of']): number =>
  streams.reduce((sum, { arrivals = [] }) => sum + arrivals.filter((arrival) => arrival.of === of).length, 0)

/** A stream that the agent ended because the task asks: nothing comes until it is answered. */
const endsAtQuestion = ({ outcome, cutBy, arrivals = [] }: ExchangeRecord): boolean =>
  outcome === 'complete' &&
  cutBy === undefined &&
  arrivals.findLast(({ of }) => of === 'event')?.says === 'input-required'

/**
 * Whether an exchange of the client's was ended before its time by somebody
 * else: a hop, a limit of the client's library, a fault, the agent. A stream is
 * also cut if it merely ends before the end of the task was learned, unless the
 * client broke it off or the task asks.
 */
export function isCut(exchange: ExchangeRecord, endLearnedUs: number | undefined): boolean {
  if (exchange.from !== 'client') return false
  if (endLearnedUs !== undefined && (deadUsOf(exchange) ?? endLearnedUs) >= endLearnedUs) return false
  if (exchange.cutBy !== undefined) return true
  return (
    isStream(exchange) &&
    (exchange.outcome === 'complete' || exchange.outcome === 'failed') &&
    !endsAtQuestion(exchange)
  )
}

/** Whether a stream takes up a task again that an earlier one had told of. */
export const isReconnect = (stream: ExchangeRecord, streams: readonly ExchangeRecord[]): boolean =>
  stream !== streams[0] && stream.operation === 'SubscribeToTask'

/**
 * Time between the first opening of a stream and the end of the span in which
 * one should have been open and none was, µs. Where a chain has handed over to
 * another mechanism none should be; nor where the task waits for an answer.
 */
export function blindTimeUs(
  streams: readonly ExchangeRecord[],
  records: readonly RunRecord[],
  { untilUs }: Span,
): number {
  const handOvers = records.filter((record): record is HandOverRecord => record.kind === 'hand-over')
  let blindUs = 0
  let seenUntilUs: number | undefined
  let waits = false
  const gapUntil = (atUs: number) => {
    if (seenUntilUs !== undefined && seenUntilUs < atUs && !waits)
      blindUs += inChargeUs({ fromUs: seenUntilUs, untilUs: atUs }, handOvers)
  }
  for (const stream of streams) {
    const endUs = deadUsOf(stream) ?? untilUs
    if (stream.startUs >= untilUs) break
    gapUntil(stream.startUs)
    if (seenUntilUs !== undefined && endUs < seenUntilUs) continue
    seenUntilUs = endUs
    waits = endsAtQuestion(stream)
  }
  gapUntil(untilUs)
  return blindUs
}

/** How long of a gap a chain was with its stream: all of it without hand-overs. */
function inChargeUs({ fromUs, untilUs }: Span, handOvers: readonly HandOverRecord[]): number {
  let us = 0
  let sinceUs: number | undefined = fromUs
  for (const { atUs, to } of handOvers) {
    const inGapUs = Math.min(Math.max(atUs, fromUs), untilUs)
    if (to === 'stream') sinceUs ??= inGapUs
    else if (sinceUs !== undefined) {
      us += inGapUs - sinceUs
      sinceUs = undefined
    }
  }
  return sinceUs === undefined ? us : us + untilUs - sinceUs
}
