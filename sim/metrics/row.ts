/**
 * One row of the comparison: what one mechanism cost and how late it was, on
 * one scenario. This is the stable result format; fields are only ever added.
 */

/** How a run ended. A mechanism that never learned is a result, not an error. */
export type Outcome = 'learned' | 'not-learned' | 'failed'

/** What several runs of one cell gave, where a row is about all of them. */
export interface Runs {
  count: number
  outcomes: Readonly<Record<Outcome, number>>
  /** Why some did not learn, each reason once. */
  reasons: readonly { reason: string; runs: number }[]
  /** The number of each run, in order, by its path in the row: `octets.body`; `null` where a run has none. */
  samples: Readonly<Record<string, readonly (number | null)[]>>
}

export interface Row {
  /** The row's name for people: `poll every 7 s`, or the entry's label. */
  mechanism: string
  /** The policy word that gives this row: `poll:7s`. */
  policy: string
  outcome: Outcome
  /** Why it was not learned, for people; absent when it was. */
  reason?: string
  /** 1 if the client learned of the end, 0 if it did not; where the row is about several runs, the share of them that did. */
  learned: number
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
  /** Streams opened again after the first. */
  reconnects: number
  /** Exchanges ended before their time, and not by the client's wish; of streams all that ended before the end of the task was learned. */
  cuts: number
  /** Polls answered 304. */
  notModified: number
  /** Polls the agent called too frequent (`slow_down`). */
  slowDowns: number
  /** Requests answered 429. */
  throttled: number
  /** Webhooks the agent gave up on and removed. */
  removed: number
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
  /** HTTP/1.1 octets. `up`: sent by the client's side; `down`: received by it. Head + body = up + down = total. `waste`: of polls, posts and streams opened again that brought no news. */
  octets: { total: number; up: number; down: number; head: number; body: number; waste: number }
  /** Lateness of the terminal update in ms, decimals down to the microsecond; `null` if never learned. */
  timeToLearnMs: number | null
  learnedAtMs: number | null
  /** When the client was told that it cannot go on; `null` if it was not. */
  failedAtMs: number | null
  /** Time a stream should have been open and was not. */
  blindTimeMs: number
  /** Over all updates learned; `null` if there were none. Quantiles: nearest rank. */
  latenessMs: { mean: number; p50: number; p95: number; max: number } | null
  /**
   * Age of the newest update known, from the send to the end being learned (or
   * the end of the run): time average and largest. `null` if that takes no time,
   * as for staleness, freshness and the rate of requests.
   */
  ageMs: { mean: number; max: number } | null
  /** Time since the client's copy stopped being right, 0 while it is in sync; over the same time. */
  stalenessMs: { mean: number; max: number } | null
  /** Share of that time in sync. */
  freshness: number | null
  /** Share of polls that brought no news; `null` without polls. */
  waste: number | null
  /** Requests per second of that time, on average. */
  requestsPerSecond: number | null
  /** TCP connections of client and webhooks together; `seconds` sums the time they were open. */
  connections: { opened: number; peak: number; seconds: number }
  /** Present where the numbers are means over several runs. */
  runs?: Runs
}
