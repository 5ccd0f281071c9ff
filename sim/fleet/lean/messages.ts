/** What is asked and answered in the lean world. Nobody writes it out, so it has no octets but those it would have. */
import type { BegunTask } from '../../mechanisms/mechanism.ts'
import type { Message } from '../../protocol/a2a.ts'
import type { ViewChange } from '../../protocol/view.ts'
import type { PassingMessage } from '../../path/message.ts'
import type { LeanJournal } from './journal.ts'
import type { LeanJob, MomentView } from './moments.ts'
import type { LeanTask } from './task.ts'

/** Whose task a request or a post is about: the client, its job, and where the facts about it go. */
export interface Customer {
  /** From 1. */
  readonly number: number
  readonly journal: LeanJournal
  /** What is done for the message with which it begins. */
  readonly job: LeanJob
  /** An update has happened, before anybody else can hear of it. */
  happened(update: number, atUs: number): void
  /** Its tasks at the agent, by the messages they had: one that comes twice begins no second job. */
  readonly hadBy: Map<string, LeanTask>
}

export interface LeanRequest {
  customer: Customer
  /** As in the records. */
  operation: string
  /** The body of a post to a webhook, in octets. */
  octets: number
  /** The task it is about. */
  taskId?: string
  message?: Message
  returnImmediately?: boolean
  /** Asks for the answer to be held so long. */
  holdUs?: number | undefined
  etag?: string | undefined
  lastEventId?: string | undefined
  /** Address of a webhook to be registered, or to be posted to. */
  webhook?: string | undefined
  /** What a post brings. */
  post?: LeanPost
}

/** An update as a post or a stream tells it. */
export interface LeanPost {
  change: ViewChange
  task: BegunTask
}

/** The head of an answer, and what its body says where that is no stream. */
export interface LeanHead {
  status: number
  says: LeanAnswer
  /** The wait the agent suggests. */
  hintUs: number | undefined
  /** Whole seconds, as the header has it. */
  retryAfterUs: number | undefined
  etag: string | undefined
}

export type LeanAnswer =
  | { of: 'task'; task: BegunTask; view: MomentView }
  | { of: 'stream' }
  /** Nothing a client looks at. */
  | { of: 'done' }
  /** An error of the agent's; by its name among A2A's. */
  | { of: 'error'; name: LeanErrorName; message: string }
  /** Somebody in front of the host answers. */
  | { of: 'front' }

export type LeanErrorName =
  | 'TaskNotFoundError'
  | 'UnsupportedOperationError'
  | 'PushNotificationNotSupportedError'
  | 'SlowDownError'
  | 'TooManyRequestsError'

/** What one piece of a stream says. */
export type Said =
  | { of: 'heartbeat'; says: string }
  | {
      of: 'event'
      /** As in the records. */
      says: string
      change: ViewChange
      task: BegunTask
      id: string | undefined
      retryUs: number | undefined
    }

/** A piece of a body: its octets, and what is whole with its last one. */
export interface LeanPiece {
  readonly byteLength: number
  readonly said: readonly Said[]
}

export type LeanMessage = PassingMessage<LeanHead, LeanPiece>

const NOTHING_SAID: readonly Said[] = []

/** Cuts pieces at any octet: what they say arrives with its last one. */
export function lineUp(pieces: readonly LeanPiece[]): (from: number, to: number) => LeanPiece {
  const ends: { at: number; said: readonly Said[] }[] = []
  let at = 0
  for (const { byteLength, said } of pieces) ends.push({ at: (at += byteLength), said })
  return (from, to) => {
    const said = ends.filter((end) => from < end.at && end.at <= to).flatMap((end) => end.said)
    return { byteLength: to - from, said }
  }
}

export const pieceOf = (byteLength: number, said: readonly Said[] = NOTHING_SAID): LeanPiece => ({
  byteLength,
  said,
})
