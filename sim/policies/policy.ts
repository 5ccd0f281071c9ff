/** How a client behaves, as resolved data: what a policy word or a map in a scenario comes to. */
import type { Distribution } from '../kernel/distribution.ts'
import type { Backoff, Jitter, Waits } from './backoff.ts'

/** What an unsuccessful poll does to the next one: nothing, the end, or waits of its own until one succeeds. */
export type AfterError = 'next' | 'fail' | Backoff

/** A change of an adaptive interval. */
export type Step =
  { of: 'times'; factor: number } | { of: 'plus'; us: number } | { of: 'set'; us: number } | { of: 'reset' }

export interface PollPolicy {
  kind: 'poll'
  waits: Waits
  jitter: Jitter
  /** The first poll, counted from the reply to the send. `after`: the first wait; `hint`: the agent's hint if it gave one, else at once; `random`: a uniform share of the first wait. */
  first: 'now' | 'after' | 'hint' | 'random' | Distribution
  /** Whether each wait starts when the answer has come or when the poll was sent. */
  waitFrom: 'response' | 'request'
  /** Bounds on every wait, whoever asked for it. The cap of a growing interval stands in `waits` as well. */
  minUs: number | undefined
  maxUs: number | undefined
  /** Polls in all. */
  attempts: number | undefined
  /** From the reply to the send; a poll that would fall later is not made. */
  budgetUs: number | undefined
  /** A last poll so long before the budget ends. */
  lastLookUs: number | undefined
  /** Use of the agent's hint: not at all, instead of the wait, as the least wait, as the cap of a growing one. */
  hint: 'ignore' | 'interval' | 'floor' | 'cap'
  /** Stretches the interval, or the hint used instead. */
  margin: number
  retryAfter: 'honour' | 'ignore' | { jitter: Jitter; maxUs: number | undefined }
  /** What each `slow_down` does to all further waits; after `giveUpAt` of them the client gives up. */
  slowDown: 'ignore' | { addUs: number; multiply: number; giveUpAt: number | undefined }
  on429: AfterError
  onError: AfterError
  adapt: { news: Step; quiet: Step; minUs: number | undefined; maxUs: number | undefined } | undefined
  /** Polls with If-None-Match. An extension: A2A 1.0 has no conditional GetTask. */
  conditional: boolean
  /** Asks the agent to hold the answer so long (long polling). An extension, as above. */
  hold: Backoff | undefined
  /** How long one poll may take. */
  timeoutUs: number | undefined
  /** One timer for each task, or one for all of a client or process. */
  scope: 'task' | 'client' | 'process'
  /** Polls at once, and tasks per round, where one timer serves many tasks. */
  concurrency: number | undefined
  batch: number | undefined
}

/** Comment lines that prove that a stream lives. `always`: on a clock of their own; `silent`: after so long without an event. */
export interface Heartbeat {
  everyUs: number
  octets: number
  when: 'always' | 'silent'
}

export interface StreamPolicy {
  kind: 'stream'
  /** The agent's, chosen with the policy: `undefined` leaves it to the scenario's agent. */
  heartbeat: Heartbeat | 'none' | undefined
  /** After so long a silence the client breaks the stream off and reconnects. */
  watchdogUs: number | undefined
  /** When it opens a stream again; `undefined`: never, as the official client. */
  reconnect: Backoff | undefined
  retryAfter: 'honour' | 'ignore' | { jitter: Jitter; maxUs: number | undefined }
  /** Whether an SSE `retry:` line replaces the first wait. */
  retryHint: 'honour' | 'ignore'
  /** `snapshot`: SubscribeToTask and its snapshot; `cursor`: with Last-Event-ID, where the agent replays; `live`: the snapshot is not looked at. */
  resume: 'snapshot' | 'cursor' | 'live'
  /** What a stream that ends cleanly before the task means: a cut, or the end. */
  cleanClose: 'reconnect' | 'finish'
  /** How long one stream may take to open. */
  timeoutUs: number | undefined
}

/** How webhooks are sent: an agent's choice, which a policy may make. */
export interface PushSending {
  retry: Backoff
  /** How long one attempt may take. */
  timeoutUs: number
  events: 'all' | 'status' | 'pauses-and-final' | 'final'
  /** Whether a post waits until the one before it was delivered or dropped. */
  ordered: boolean
  /** When retries are used up: the post is dropped, or the configuration is removed. */
  giveUp: 'drop' | 'remove'
  /** So many failed deliveries in a row remove the configuration. */
  disableAfter: number | undefined
  signature: 'token' | 'none'
}

export interface PushPolicy {
  kind: 'push'
  /** What the policy says of the sender; the rest is the scenario's agent's. */
  sending: Partial<PushSending>
  /** Whether the receiver asks with GetTask for the whole: never, at the end, at each post. */
  get: 'never' | 'final' | 'each'
  /** With the send, or by an operation of its own once the task is known. */
  register: 'with-send' | 'after-reply'
}

export interface BlockingPolicy {
  kind: 'blocking'
  /** Asks the agent to hold the send so long; `undefined`: until the task is over. */
  holdUs: number | undefined
  timeoutUs: number | undefined
  onError: AfterError
}

/** The next takes over when the one before gives up; after `recoverUs` the first is tried again. */
export interface ChainPolicy {
  kind: 'chain'
  links: readonly SinglePolicy[]
  recoverUs: number | undefined
}

/** Side by side; whoever learns first counts. */
export interface TogetherPolicy {
  kind: 'together'
  parts: readonly (SinglePolicy | ChainPolicy)[]
}

export type SinglePolicy = PollPolicy | StreamPolicy | PushPolicy | BlockingPolicy
export type Policy = SinglePolicy | ChainPolicy | TogetherPolicy
