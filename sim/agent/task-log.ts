import type { StreamResponse, Task } from '../protocol/a2a.ts'
import { fold } from '../protocol/fold.ts'
import { isTerminal } from '../protocol/states.ts'

/** Hears of each event together with the snapshot it led to. */
export type Listener = (event: StreamResponse, snapshot: Task) => void

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
  /** Everything that happened, the task as created first: the snapshot is their fold. */
  events(): readonly StreamResponse[]
  isOver(): boolean
  /**
   * The only place a task is written.
   *
   * @throws Error if the task is over: a terminal state has no way out
   */
  append(event: StreamResponse): void
  /** Calls `listener` with every later event, in order; the result ends that. */
  follow(listener: Listener): () => void
}

export function createTaskLog(created: Task & { contextId: string }): TaskLog {
  let snapshot: Task = created
  const events: StreamResponse[] = [{ task: created }]
  const listeners = new Set<Listener>()
  const isOver = () => isTerminal(snapshot.status.state)

  return {
    taskId: created.id,
    contextId: created.contextId,
    snapshot: () => snapshot,
    events: () => events,
    isOver,
    append(event) {
      if (isOver()) throw new Error(`task ${created.id} is over (${snapshot.status.state}) and was to change`)
      events.push(event)
      snapshot = fold(snapshot, event)
      for (const listener of listeners) listener(event, snapshot)
    },
    follow(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
