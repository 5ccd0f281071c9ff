/** The client's side of the world as a real client has it: a card, a clock and a `fetch`. */
import type { Clock } from '../kernel/clock.ts'
import type { RandomStream } from '../kernel/random.ts'
import type { AgentCard, Binding, SendMessageRequest, TaskPushNotificationConfig } from '../protocol/a2a.ts'
import type { ViewChange } from '../protocol/view.ts'
import type { Channel } from '../records/record.ts'
import type { Observation } from './mechanism.ts'

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
  /** Aborts when the client is not needed any more or the run ends early: waits and streams must end then. */
  signal: AbortSignal
}
