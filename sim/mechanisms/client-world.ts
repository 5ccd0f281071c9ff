/**
 * The client's side of the world as processes see it. Two engines provide it:
 * the replay, where calls are those of the official client over the wire, and the
 * lean world of the fleet engine, where they are events and counts.
 */
import type { RandomStream } from '../kernel/random.ts'
import type { Channel } from '../records/record.ts'
import type { Message, SendMessageConfiguration, TaskPushNotificationConfig } from '../protocol/a2a.ts'
import type { ViewChange } from '../protocol/view.ts'
import type { GetAnswer, GetOptions, SeenTask, SendOptions, StreamedChange } from './client.ts'
import type { BegunTask, Observation } from './mechanism.ts'
import type { Process, Running, Waitable } from './process.ts'

/** A call under way, ready once it has its answer. */
export interface Pending<T> extends Waitable {
  /** @throws CallError if the call failed */
  take(): T
  /** Nobody waits for it any more: breaks it off. Harmless when it is over. */
  abandon(): void
}

/** A stream under way, ready when there is an event to take or it has ended. */
export interface Incoming extends Waitable {
  /** The next event; `undefined` when the stream has ended cleanly. @throws CallError if it broke or never opened */
  take(): StreamedChange | undefined
  /** Breaks it off: what has come can still be taken. Harmless when it is over. */
  abandon(): void
}

/** A webhook address of this client's, ready when a post is there to be taken. */
export interface Inbox extends Waitable {
  config: TaskPushNotificationConfig
  take(): Post
  /** Posts that come are thrown away from now on. */
  close(): void
}

export interface Post {
  change: ViewChange
  task: BegunTask
  exchange: number | undefined
}

/** Ready once the client's clock has reached its instant. */
export interface Timer extends Waitable {
  cancel(): void
}

export interface OpenOptions {
  /** How long it may take to open, by the client's clock. */
  timeoutUs?: number | undefined
  /** Hears of every octet, comments included, and of an SSE `retry:`; the first sign is the head. */
  onSign?: (sign: { retryUs: number | undefined }) => void
}

/** Calls begin at once; at one instant in the order they were made. */
export interface Calls {
  /**
   * Makes the client ready, which needs the agent's card: once for all of a job, by the first who needs it. Never ready at
   * once, so that whoever tells another to begin is done with its own before.
   */
  connect(): Pending<void>
  send(configuration: SendMessageConfiguration, options?: SendOptions): Pending<SeenTask>
  answer(task: BegunTask, message: Message, wait?: SendOptions): Pending<SeenTask>
  get(taskId: string, options?: GetOptions): Pending<GetAnswer>
  register(taskId: string, config: TaskPushNotificationConfig): Pending<void>
  stream(configuration: SendMessageConfiguration, options?: OpenOptions): Incoming
  answerStreaming(task: BegunTask, message: Message, options?: OpenOptions): Incoming
  subscribe(taskId: string, options?: OpenOptions & { lastEventId?: string | undefined }): Incoming
}

/** Parts of one policy get worlds that differ in a few members. */
export interface ProcessWorld extends Calls {
  /** The client's own clock, which may run fast or slow. */
  nowUs(): number
  /**
   * @param last whether whatever else happens at that instant, such as an answer that arrives, goes first
   */
  timer(atUs: number, last?: boolean): Timer
  /** What the agent's card offers. */
  offers: { streaming: boolean; push: boolean }
  /** Reports what was just read, and by which exchange. Tells whether any of it was news, whether the task is over, and whether it asks. */
  observe: (change: ViewChange, by: Channel, exchange: number | undefined) => Observation
  openInbox(): Inbox
  /**
   * Runs a process beside the one that asks, which may outlive it. Whoever has given this world stops it with everything else
   * that is done here; then errands are begun no more.
   */
  errand: (process: Process<void>) => Running<void>
  /** Chance of the client's own, one stream for each purpose. */
  random(purpose: string): RandomStream
  /** A chain hands over. */
  handOver(to: string, reason: string): void
  /** The same world, and whether any request made through it may have begun a task: then another send might begin a second. */
  watchingSends(): { world: ProcessWorld; mayHaveBegun: () => boolean }
}
