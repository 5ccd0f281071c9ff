import type { Artifact, Message, Part } from '../../protocol/a2a.ts'
import type { StateWord } from '../../protocol/states.ts'
import type { Wish } from '../venues.ts'

/**
 * What an agent does with a message that begins something new. A pure function:
 * when anything happens, and to which task, is not its business.
 */
export type Behaviour = (hearing: Hearing) => Plan

export interface Hearing {
  message: Message
  /** What was said earlier in the same context; empty in a new one. */
  known: Wish
  /** The id of the task, should there be one. */
  taskId: string
}

export type Plan = Reply | Work

/** A message instead of a task: nothing is left to do. */
export interface Reply {
  kind: 'reply'
  parts: Part[]
}

/** What the agent does to its task by itself, until the task is over or pauses. */
export interface Work {
  kind: 'work'
  /** Instants ascending, counted from the message (or from the end of the pause). */
  steps: readonly Step[]
  /** What the context remembers from now on. */
  known: Wish
  /**
   * How it goes on when the pause is over in which the steps end: the answer of
   * INPUT_REQUIRED, `undefined` after AUTH_REQUIRED, where nothing is said. The
   * task is WORKING again by then. Without it nobody's answer is waited for.
   */
  resume?: (answer: Message | undefined) => Work
  /** Where the steps end in AUTH_REQUIRED: so long afterwards somebody outside gives the authorisation. */
  authorisedAfterUs?: number
  /** The wait the agent suggests between polls of this task, whatever it suggests else. */
  pollHintUs?: number
}

export type Step =
  | { atUs: number; of: 'status'; state: StateWord; says: Part[] | undefined }
  | { atUs: number; of: 'artifact'; artifact: Artifact; append: boolean; lastChunk: boolean }
