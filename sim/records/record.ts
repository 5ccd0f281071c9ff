/**
 * The facts one run leaves behind, in the order they became known. Engines
 * append them, `metrics/` derives every number from them, and nothing else
 * carries a result. Instants are whole microseconds since the run began.
 */

/** The three kinds of party that exchange messages. */
export type Party = 'client' | 'agent' | 'receiver'

/** The agent changed its task. `update` counts from 0 in the order of the scenario. */
export interface HappenedRecord {
  kind: 'happened'
  atUs: number
  update: number
  /** What changed, for people: `working`, `artifact venues-shortlist`, `completed`. */
  change: string
  /** What it is about: `status`, or `artifact` and its id. */
  topic: string
  /** Whether it replaces all earlier updates of its topic, as a status does; an appended chunk does not. */
  replaces: boolean
  /** True for a status with a message, which no later status replaces. */
  message: boolean
  /** True for the update that ends the task. */
  terminal: boolean
}

/** How the client came to know: the mechanism's own words for its channels. */
export type Channel = 'reply' | 'poll' | 'stream' | 'push'

/**
 * The client first knew of these updates, each itself or through a successor:
 * a status replaces the ones before it, a snapshot holds all that came before.
 */
export interface LearnedRecord {
  kind: 'learned'
  atUs: number
  /** Ascending, never empty; no update is learned twice. */
  updates: readonly number[]
  by: Channel
  /** True if the end of the task is among them. */
  terminal: boolean
  /** The exchange that brought it; `undefined` if nobody knows. */
  exchange: number | undefined
}

/**
 * The client was told of an update it already knew, by a channel that tells of
 * single updates (a stream event or a webhook post). A poll without news is not
 * a duplicate but an empty poll.
 */
export interface DuplicateRecord {
  kind: 'duplicate'
  atUs: number
  by: Channel
}

/** HTTP/1.1 octets of one exchange. Body is content, SSE `data: ` framing included; all else is head. */
export interface ExchangeOctets {
  requestHead: number
  requestBody: number
  /** Status line, header lines, and the chunk sizes and line ends of a chunked body. */
  responseHead: number
  responseBody: number
}

/** One event of a server-sent event stream as it arrived, or a comment line that keeps the stream alive. */
export interface StreamArrival {
  atUs: number
  of: 'event' | 'heartbeat'
  /** What the event says, in the words of `HappenedRecord.change`; `task` for the opening snapshot. */
  says: string
}

/**
 * One request with its answer. Consecutive exchanges that differ only in their
 * instants, and by the same time each, are folded into one record with
 * `repeats`: a day of polls stays small, and nothing is lost.
 */
export interface ExchangeRecord {
  kind: 'exchange'
  /** Counts a run's exchanges from 1 in the order they began; of folded ones it is the first's. */
  number: number
  from: Party
  to: Party
  /** The operation in A2A's words (`SendMessage`, `GetTask`, `webhook`, `agent card`) or the request line if unknown. */
  operation: string
  /** The requester began to send. */
  startUs: number
  /** The requester had the whole answer, or gave up, or lost it; `undefined` while the exchange is open. */
  endUs: number | undefined
  /** HTTP status, `undefined` if no response head arrived. */
  status: number | undefined
  octets: ExchangeOctets
  /** Present for answers of type `text/event-stream`. */
  arrivals?: StreamArrival[]
  outcome: 'open' | 'complete' | 'aborted' | 'failed'
  /** Who ended it before its time: a hop's name, `client limits`, `agent`, `fault`. */
  cutBy?: string
  /** Since when nothing passes any more and neither side was told; absent where that did not happen. */
  silentSinceUs?: number
  /** For polls: whether the answer told something new; `undefined` where the question does not apply. */
  news?: boolean
  repeats?: {
    /** How many exchanges this record stands for, the first included; at least 2. */
    count: number
    /** From start to start. Every one took as long as the first, so each instant can be told. */
    everyUs: number
  }
}

/** One TCP connection, counted when it closed or when the run ended. */
export interface ConnectionRecord {
  kind: 'connection'
  from: Party
  to: Party
  openedUs: number
  closedUs: number
  /** How many exchanges it carried. */
  exchanges: number
}

/** A webhook post failed and is tried again. */
export interface RetryRecord {
  kind: 'retry'
  atUs: number
  operation: string
}

/**
 * The mechanism stopped before the end was learned, and says why: `failed` if
 * the client was told that it cannot go on, `not-learned` if it merely lost the thread.
 */
export interface GaveUpRecord {
  kind: 'gave-up'
  atUs: number
  outcome: 'failed' | 'not-learned'
  reason: string
}

/** The agent told a client that it polls too often (`slow_down`, RFC 8628). */
export interface SlowDownRecord {
  kind: 'slow-down'
  atUs: number
}

/** A handler of the agent took a request, of those that may have to wait for one. */
export interface ServedRecord {
  kind: 'served'
  atUs: number
  operation: string
  waitedUs: number
}

/** The agent had no room for a request. */
export interface TurnedAwayRecord {
  kind: 'turned-away'
  atUs: number
  operation: string
}

/** The agent gave up on a webhook and removed its configuration. */
export interface RemovedRecord {
  kind: 'removed'
  atUs: number
}

/** A chain's next policy took over, or its first again. */
export interface HandOverRecord {
  kind: 'hand-over'
  atUs: number
  /** The policy's kind. */
  to: string
  reason: string
}

export type RunRecord =
  | HappenedRecord
  | LearnedRecord
  | DuplicateRecord
  | ExchangeRecord
  | ConnectionRecord
  | RetryRecord
  | GaveUpRecord
  | SlowDownRecord
  | ServedRecord
  | TurnedAwayRecord
  | RemovedRecord
  | HandOverRecord
