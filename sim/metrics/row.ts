/**
 * One row of the comparison: what one mechanism cost and how late it was, on
 * one scenario. This is the stable result format; fields are only ever added.
 */

/** How a run ended. A mechanism that never learned is a result, not an error. */
export type Outcome = 'learned' | 'not-learned' | 'failed'

export interface Row {
  /** The row's name for people: `poll every 7 s`, or the entry's label. */
  mechanism: string
  /** The policy word that gives this row: `poll:7s`. */
  policy: string
  outcome: Outcome
  /** Why it was not learned, for people; absent when it was. */
  reason?: string
  /** Exchanges the client began with the agent, polls and the send included. */
  requests: number
  polls: number
  /** Polls whose answer told nothing new. */
  emptyPolls: number
  webhookPosts: number
  streamEvents: number
  heartbeats: number
  /** Webhook posts tried again after a failure. */
  retries: number
  /** Streams opened after the first. */
  reconnects: number
  /** Streams that ended before the end of the task was learned, and not by the client's wish. */
  cuts: number
  updates: {
    happened: number
    /** Known to the client by the end, itself or through a later update that replaces it. */
    learned: number
    /** Of the learned ones: known only through a successor. */
    coalesced: number
    lost: number
    /** Status messages nobody read: a later status replaces a status, but not what it said. */
    messagesLost: number
    /** Deliveries of an update that was known already. */
    duplicate: number
  }
  /** HTTP/1.1 octets. `up`: sent by the client's side; `down`: received by it. Head + body = up + down = total. */
  octets: { total: number; up: number; down: number; head: number; body: number }
  /** Lateness of the terminal update in ms, decimals down to the microsecond; `null` if never learned. */
  timeToLearnMs: number | null
  learnedAtMs: number | null
  /** Time a stream should have been open and was not. */
  blindTimeMs: number
  /** Over all updates learned; `null` if there were none. Quantiles: nearest rank. */
  latenessMs: { mean: number; p50: number; p95: number; max: number } | null
  /** TCP connections of client and webhooks together; `seconds` sums the time they were open. */
  connections: { opened: number; peak: number; seconds: number }
}
