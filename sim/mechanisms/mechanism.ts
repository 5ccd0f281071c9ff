/**
 * The contract of every mechanism. A mechanism is written once, as processes over
 * the calls and the clock of a client; it never sees the agent, and never knows
 * which engine it lives in.
 */
import type { Message, SendMessageConfiguration } from '../protocol/a2a.ts'
import type { ProcessWorld } from './client-world.ts'
import type { Process } from './process.ts'

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
   * Makes the job's send and follows its task. Ends once the task's end is
   * learned or the mechanism gives up.
   *
   * @throws ClientError if the client meets an error it was not made for
   */
  begin: (world: ProcessWorld, policy: P, beginning: Beginning) => Process<Ending>
  /**
   * Follows a task that another part of the policy has begun: first it makes the
   * client ready, so that whoever began it goes first. @throws ClientError as above
   */
  follow: (world: ProcessWorld, policy: P, task: BegunTask) => Process<Ending>
  /**
   * For mechanisms that stand ready before the send: opens what must be open and
   * gives what the send must carry. `follow` goes on from there.
   */
  prepare?: (
    world: ProcessWorld,
    policy: P,
  ) => { configuration: SendMessageConfiguration; follow: Mechanism<P>['follow'] }
}

export const LEARNED: Ending = { kind: 'learned' }
