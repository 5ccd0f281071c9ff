/**
 * The contract of every mechanism. A mechanism knows a card, a clock and a
 * `fetch`, as a client does in life; it never sees the agent.
 */
import type { Clock } from '../kernel/clock.ts'
import type { RandomStream } from '../kernel/random.ts'
import type {
  AgentCard,
  Binding,
  Message,
  SendMessageConfiguration,
  SendMessageRequest,
  TaskPushNotificationConfig,
} from '../protocol/a2a.ts'
import type { ViewChange } from '../protocol/view.ts'
import type { Channel } from '../records/record.ts'

/** The client's side of the world. Parts of one policy get worlds that differ in `signal` alone. */
export interface ClientWorld {
  /** The client's own clock, which may run fast or slow. */
  clock: Clock
  fetch: typeof fetch
  /** The number of the exchange that brought a response of `fetch`. */
  exchangeOf: (response: Response) => number | undefined
  card: AgentCard
  /** Whether the client fetches that card before anything else, as one does that knows no more than the agent's name. */
  fetchesCard?: boolean
  binding: Binding
  /** The send this job begins with, without configuration: the mechanism adds its own. */
  request: SendMessageRequest
  /**
   * Reports what was just read off the wire, and by which exchange. Tells
   * whether any of it was news, whether the task is over, and whether it asks.
   */
  observe: (change: ViewChange, by: Channel, exchange: number | undefined) => Observation
  /** Opens this client's own webhook address; `accept` is called with each post's body. */
  receive: (accept: (body: unknown, exchange: number | undefined) => void) => TaskPushNotificationConfig
  /** Chance of the client's own, one stream for each purpose. */
  random: (purpose: string) => RandomStream
  /** A chain hands over. */
  handOver: (to: string, reason: string) => void
  /** Aborts when this part is not needed any more or the run ends early: waits and streams must end then. */
  signal: AbortSignal
}

export interface Observation {
  news: boolean
  terminal: boolean
  /** The user's answer, if what was learned is a question: it leaves so long from now. */
  asks?: { afterUs: number; message: Message }
}

/**
 * How a mechanism's run ended, as the mechanism sees it: the end of the task
 * was learned, the thread was lost, or the client was told that it cannot go on.
 */
export type Ending = { kind: 'learned' } | { kind: 'not-learned' | 'failed'; reason: string }

/** A task that was begun, as far as those know who did not begin it. */
export interface BegunTask {
  taskId: string
  contextId: string
}

/**
 * What a client meets that it was not made for: an error answer, a dead
 * connection. Its run has failed then. Any other error is a fault of ours.
 */
export class ClientError extends Error {
  override readonly name = 'ClientError'
}

/** How a mechanism is begun with the job: what it adds to the send, and whom it tells of the task. */
export interface Beginning {
  /** What others beside it need the send to carry, such as a webhook. */
  configuration: SendMessageConfiguration
  /** Called once, as soon as the task is known and before anything else is observed. */
  began: (task: BegunTask) => void
}

export interface Mechanism<P> {
  /**
   * Makes the job's send and follows its task. Resolves once the task's end is
   * learned or the mechanism gives up.
   *
   * @throws ClientError if the client meets an error it was not made for
   */
  begin: (world: ClientWorld, policy: P, beginning: Beginning) => Promise<Ending>
  /** Follows a task that another part of the policy has begun. @throws ClientError as above */
  follow: (world: ClientWorld, policy: P, task: BegunTask) => Promise<Ending>
  /**
   * For mechanisms that stand ready before the send: opens what must be open and
   * gives what the send must carry. `follow` goes on from there.
   */
  prepare?: (
    world: ClientWorld,
    policy: P,
  ) => { configuration: SendMessageConfiguration; follow: Mechanism<P>['follow'] }
}
