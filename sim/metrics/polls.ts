/** The client's polls, and what they brought. */
import type { ExchangeRecord } from '../records/record.ts'

export const isPoll = ({ from, operation }: ExchangeRecord): boolean =>
  from === 'client' && operation === 'GetTask'

/** Answered 304: nothing changed since the client's copy. */
export const isNotModified = ({ from, status }: ExchangeRecord): boolean =>
  from === 'client' && status === 304

/**
 * A poll whose answer told nothing new. One without an answer is not empty, nor
 * one that was refused: nobody knows what it would have told.
 */
export const isEmptyPoll = (exchange: ExchangeRecord): boolean =>
  isPoll(exchange) && (exchange.news === false || isNotModified(exchange))

export const isThrottled = ({ from, status }: ExchangeRecord): boolean => from === 'client' && status === 429
