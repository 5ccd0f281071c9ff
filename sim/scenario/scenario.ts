/**
 * A scenario as resolved: every default filled in, every duration in µs, all
 * words parsed. What may stand in a file is in schema.ts; how a file becomes
 * this is in load.ts.
 */
import type { Distribution } from '../kernel/distribution.ts'
import type { Capacity } from '../policies/desk.ts'
import type { ClientLimits, CutHow, Hop } from '../policies/middlebox.ts'
import type { Heartbeat, Policy, PushSending } from '../policies/policy.ts'
import type { Binding } from '../protocol/a2a.ts'
import type { ErrorProfile } from '../protocol/errors.ts'
import type { StateWord } from '../protocol/states.ts'
import type { Expectation } from './expectation.ts'
import type { Fleet } from './fleet.ts'
import type { Undrawn } from './runs.ts'
import type { Threshold } from './threshold.ts'

/** What a message or a chunk says; `undefined` where the scenario leaves it to the agent. */
export type Content = { text: string } | { octets: number } | { data: unknown }

export type Change =
  | { of: 'status'; state: StateWord; content: Content | undefined }
  | {
      of: 'artifact'
      artifact: string
      content: Content | undefined
      append: boolean
      lastChunk: boolean
    }

/** One change of the task, counted from the instant the agent receives the send. */
export interface Update {
  atUs: number
  change: Change
}

/** What follows a pause: how it ends, and what the agent does then. */
export interface Leg {
  /** After `input-required`: so long after the client learned of the question it answers with `content`. After `auth-required`: so long after it happened the authorisation is given, by somebody outside. */
  resumeAfterUs: number
  content: Content | undefined
  /** Instants count from the resume. */
  updates: readonly Update[]
}

/**
 * One job: what the client asks and what the agent does, instants ascending.
 * The last update of all is terminal, unless the job never ends or pauses for ever.
 */
export interface Job {
  message: Content | undefined
  /** Up to the end or the first pause. */
  updates: readonly Update[]
  /** One entry for each pause that ends. */
  afterPauses: readonly Leg[]
  /** From the send to the terminal update, pauses counted as if the client learned at once; `undefined` if it never comes. */
  durationUs: number | undefined
  /** The agent's hint for this job's polls; else `agent.polling.hints`. */
  pollHintUs: number | undefined
}

/** What the agent does about polls. Hints, holding and 304 are extensions: A2A 1.0 has none of them. */
export interface PollingSettings {
  /** The wait it suggests, by the age of the task; ascending, empty for none. */
  hints: readonly { fromUs: number; hintUs: number }[]
  hintVia: 'body' | 'header' | 'retry-after'
  /** The shortest gap between polls of one task, and what becomes of one below it. `addUs` lengthens the gap each time. */
  minIntervalUs: number | undefined
  tooSoon: { answer: 'slow-down' | 429; addUs: number }
  /** How long a GetTask may be held. */
  holdUs: number
  /** Whether it answers 304 to a poll that names what the client has. */
  etag: boolean
}

export interface StreamingSettings {
  heartbeat: Heartbeat | 'none'
  /** When the first octet leaves. */
  flush: 'at-once' | 'first-update'
  /** How long events are kept for a client that resumes; 0 for none, Infinity for all. An extension. */
  replayUs: number
  /** The agent closes each stream after so long. */
  lifetime: Distribution | undefined
  /** The SSE `retry:` it sends. */
  retryHintUs: number | undefined
  /** Events that may wait for a slow reader. */
  buffer: number | undefined
  closeOnInput: boolean
}

export interface Quota {
  perSecond: number
  burst: number
  per: 'all' | 'client' | 'task'
  retryAfterUs: number | undefined
}

export interface AgentSettings {
  binding: Binding
  /** What is played; the messages are A2A's in either case, so octets hold for A2A alone. */
  protocol: 'a2a' | 'mcp-tasks'
  /** The release of A2A whose table of HTTP statuses errors follow. */
  errorProfile: ErrorProfile
  polling: PollingSettings
  streaming: StreamingSettings | false
  push: PushSending | false
  /** How long a send may be held; `undefined`: until the task is over. */
  blocking: { holdUs: number | undefined } | false
  /** When a task is deleted; who asks later is told that there is none. */
  ttl: { afterUs: number; from: 'creation' | 'completion' } | undefined
  /** Messages returned with a task; `undefined`: all. */
  history: number | undefined
  quotas: readonly Quota[]
  /** What it can do at once; any number where absent. */
  capacity?: Capacity
}

export interface ClientSettings extends ClientLimits {
  /** How fast the client's clock runs, and what it is ahead. */
  clock: { rate: number; offsetUs: number }
  /** Whether the agent card is known or fetched first. */
  card: 'known' | 'fetch'
}

/** What lies between two parties, seen from the one that asks. */
export interface PathSettings {
  /** One way. */
  latency: { up: Distribution; down: Distribution }
  /** Share of messages that never arrive; what follows on their connection waits for ever. */
  loss: number
  /** Writes of answers and posts arrive in pieces of so many octets, one each `everyUs`. */
  dribble: { octets: number; everyUs: number } | undefined
  /** From the asker. */
  hops: readonly Hop[]
}

export interface ReceiverSettings extends PathSettings {
  /** Share of posts that arrive twice, and of those handed on only after a later one. */
  duplicate: number
  reorder: number
  /** How long one post is worked on before it is answered; at most `handlers` at once, `queue` waiting. */
  service: Distribution
  handlers: number | undefined
  queue: number | undefined
  /** HTTP status of its answers. */
  answer: number
  /** Whether it recognises a post it had before. */
  dedupe: boolean
  /** `known`: refuses posts about tasks whose id it has not read yet. */
  accepts: 'any' | 'known'
}

/** Both ends of what a fault is about: the link between client and agent, or between agent and receiver. */
export type LinkName = 'network' | 'receiver'
export type HostName = 'agent' | 'receiver'

export type FaultEffect =
  /** Refuses connections; what is open stays. */
  | { of: 'down'; host: HostName }
  /** Refuses while it lasts; each loss includes those before it. */
  | { of: 'restart'; host: HostName; loses: 'streams' | 'posts' | 'tasks' }
  /** `partition`: nothing passes; `hold`: nothing passes until the end. */
  | { of: 'partition' | 'hold'; link: LinkName }
  | { of: 'loss' | 'duplicate' | 'reorder'; share: number; link: LinkName }
  | { of: 'delay'; delay: Distribution; link: LinkName }
  | { of: 'cut'; how: CutHow }
  /** `operations`: `send`, `poll`, `stream`, `subscribe`, `other`; all where `undefined`. */
  | {
      of: 'answer'
      status: number
      retryAfterUs: number | undefined
      operations: readonly string[] | undefined
    }
  | { of: 'dns'; host: HostName }

/** One fault and its time: `toUs` itself is free again; equal to `fromUs` for what happens at an instant. */
export interface Fault {
  effect: FaultEffect
  when: { of: 'once'; fromUs: number; toUs: number } | { of: 'again'; every: Distribution; forUs: number }
}

export interface MechanismEntry {
  /** The row's name where the scenario gives one. */
  label: string | undefined
  /** The policy in its canonical word. */
  word: string
  policy: Policy
  /** A population: each task of a fleet goes by one of these. `policy` is the first of them. */
  mix?: readonly { share: number; word: string; policy: Policy }[]
  /** What this row must meet, beside what all rows must. */
  thresholds?: readonly Threshold[]
}

/** Octets given instead of measured ones, by kind of message. */
export type MessageKind =
  'send' | 'poll' | 'not-modified' | 'stream' | 'event' | 'heartbeat' | 'subscribe' | 'post'

export interface SourceFile {
  file: string
  sha256: string
}

export interface Scenario {
  name: string
  /** The scenario file first, then the files it extends, then those with measured values. Paths as given, with forward slashes. */
  files: readonly [SourceFile, ...SourceFile[]]
  question: string | undefined
  description: string | undefined
  sources: readonly string[]
  seed: number
  horizonUs: number
  job: Job
  agent: AgentSettings
  client: ClientSettings
  network: PathSettings
  receiver: ReceiverSettings | 'none'
  faults: readonly Fault[]
  /** How many runs with seeds of their own; a grid has as many as points. */
  replications: number
  /** Where chance makes each run's job: what `runOf` draws from. `job`, `faults` and `horizonUs` are those of run 0. */
  undrawn?: Undrawn
  /** Many tasks instead of one. */
  fleet?: Fleet
  /** Sizes that replace the measured ones. */
  sizes?: Partial<Readonly<Record<MessageKind, { upOctets: number; downOctets: number }>>>
  mechanisms: readonly MechanismEntry[]
  thresholds: readonly Threshold[]
  expectations: readonly Expectation[]
}
