/**
 * The contract of every mechanism. A mechanism knows a card, a clock and a
 * `fetch`, as a client does in life; it never sees the agent.
 */
import type { Clock } from '../kernel/clock.ts'
import type { AgentCard, Binding, SendMessageRequest, TaskPushNotificationConfig } from '../protocol/a2a.ts'
import type { ViewChange } from '../protocol/view.ts'
import type { Channel } from '../records/record.ts'

/** The client's side of the world. */
export interface ClientWorld {
  clock: Clock
  fetch: typeof fetch
  card: AgentCard
  binding: Binding
  /** The send this job begins with, without configuration: the mechanism adds its own. */
  request: SendMessageRequest
  /** Reports what was just read off the wire. Tells whether any of it was news, and whether the task is over. */
  observe(change: ViewChange, by: Channel): Observation
  /** Opens this client's own webhook address; `accept` is called with each post's body. */
  receive(accept: (body: unknown) => void): TaskPushNotificationConfig
  /** Aborts when the run ends early: waits and streams must end then. */
  signal: AbortSignal
}

export interface Observation {
  news: boolean
  terminal: boolean
}

/**
 * How a mechanism's run ended, as the mechanism sees it: the end of the task
 * was learned, the thread was lost, or the client was told that it cannot go on.
 */
export type Ending = { kind: 'learned' } | { kind: 'not-learned' | 'failed'; reason: string }

/**
 * What a client meets that it was not made for: an error answer, a dead
 * connection. Its run has failed then. Any other error is a fault of ours.
 */
export class ClientError extends Error {
  override readonly name = 'ClientError'
}

export interface Mechanism<P> {
  /** The name of a row with this policy, for people: `poll every 7 s`. */
  title(policy: P): string
  /**
   * Sends the request and resolves once the task's end is learned or the mechanism gives up.
   *
   * @throws ClientError if the client meets an error it was not made for
   */
  run(world: ClientWorld, policy: P): Promise<Ending>
}
