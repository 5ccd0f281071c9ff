import type { Clock } from '../kernel/clock.ts'
import type { Message, StreamResponse, Task, TaskState } from '../protocol/a2a.ts'
import { fold } from '../protocol/fold.ts'
import { mayMove } from '../protocol/moves.ts'
import { isTerminal, wordOfState } from '../protocol/states.ts'

/** Is told each event together with the snapshot it led to. */
export type Listener = (event: StreamResponse, snapshot: Task) => void

/** An event, when it happened, and where a reader stands who has it. */
export interface LoggedEvent {
  event: StreamResponse
  atUs: number
  position: number
}

/**
 * One task as an append-only log of events, folded into a snapshot. Reading the
 * snapshot and following from there is one synchronous step, so nothing can
 * fall between the two. Whoever listens, and whether anybody does, changes
 * nothing about the task.
 */
export interface TaskLog {
  readonly taskId: string
  readonly contextId: string
  /** Never changed afterwards: an update makes a new one. */
  snapshot(): Task
  /**
   * Everything that happened: the snapshot is their fold. A `task` stands for
   * the task as created and, later, for one whose history has grown.
   */
  events(): readonly StreamResponse[]
  /** Where a reader stands who has everything so far: the number of events. */
  position(): number
  /** The updates after a position, which must be one; a history that grew is no update. */
  updatesAfter(position: number): readonly LoggedEvent[]
  isOver(): boolean
  /**
   * The only place a task is changed: compare and set. Whoever writes says in
   * which state it left or found the task, so that nothing decided earlier can
   * undo what somebody else has done since.
   *
   * @throws Error if the task is over, is in another state than `from`, or may not move as `event` says
   */
  append(event: StreamResponse, from: TaskState): void
  /**
   * Adds messages to the history. That is no update: nobody who follows is
   * told, for the one who spoke knows it and streams have no word for it.
   *
   * @throws Error if the task is over
   */
  hear(messages: readonly Message[]): void
  /** Calls `listener` with every later event, in order, and `deleted` should the task be deleted; the result ends that. */
  follow(listener: Listener, deleted?: () => void): () => void
  /** The task is no more. Whoever follows is told, and hears nothing further. */
  delete(): void
}

export function createTaskLog(
  created: Task & { contextId: string },
  { nowUs }: Pick<Clock, 'nowUs'>,
): TaskLog {
  let snapshot: Task = created
  const events: StreamResponse[] = [{ task: created }]
  const instantsUs = [nowUs()]
  const listeners = new Map<Listener, (() => void) | undefined>()
  const isOver = () => isTerminal(snapshot.status.state)

  return {
    taskId: created.id,
    contextId: created.contextId,
    snapshot: () => snapshot,
    events: () => events,
    position: () => events.length,
    updatesAfter: (position) =>
      events.slice(position).flatMap((event, index) => {
        if ('task' in event) return []
        return [{ event, atUs: instantsUs[position + index] as number, position: position + index + 1 }]
      }),
    isOver,
    append(event, from) {
      const refused = refusalOf(event, from, snapshot.status.state)
      if (refused !== undefined) throw new Error(`task ${created.id} ${refused}`)
      events.push(event)
      instantsUs.push(nowUs())
      snapshot = fold(snapshot, event)
      for (const listener of listeners.keys()) listener(event, snapshot)
    },
    hear(messages) {
      if (isOver()) throw new Error(`task ${created.id} is over and was to hear another message`)
      snapshot = { ...snapshot, history: [...(snapshot.history ?? []), ...messages] }
      events.push({ task: snapshot })
      instantsUs.push(nowUs())
    },
    follow(listener, deleted) {
      listeners.set(listener, deleted)
      return () => listeners.delete(listener)
    },
    delete() {
      const told = [...listeners.values()]
      listeners.clear()
      for (const deleted of told) deleted?.()
    },
  }
}

/** Why a task in state `now` may not be given `event` by somebody who believes it to be in `from`. */
function refusalOf(event: StreamResponse, from: TaskState, now: TaskState): string | undefined {
  if (isTerminal(now)) return `is over (${wordOfState(now)}) and was to change`
  if (now !== from) return `was to change from ${wordOfState(from)}, but it is ${wordOfState(now)} by now`
  if (!('statusUpdate' in event)) return undefined
  const { state } = event.statusUpdate.status
  return mayMove(now, state)
    ? undefined
    : `is ${wordOfState(now)} and may not become ${wordOfState(state)}: see protocol/moves.ts`
}
