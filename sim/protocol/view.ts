/**
 * What a client knows of a task, reduced to what tells one moment of its life
 * from another. Agent and client fold the same updates by the same rules, so a
 * client's view names the moment it belongs to without any hidden number on
 * the wire: the signature of a view is equal to that of the agent's task at
 * exactly one stretch of its log.
 */
import type { Artifact, StreamResponse, Task, TaskState, TaskStatus } from './a2a.ts'

export interface TaskView {
  state: TaskState
  timestamp: string
  /** The status message's id; empty if the status has none. */
  messageId: string
  /** Number of parts held of each artifact, by its id, in the order they appeared. */
  parts: ReadonlyMap<string, number>
}

/** The change one update makes to a view. */
export type ViewChange =
  | { of: 'task'; view: TaskView }
  | { of: 'status'; state: TaskState; timestamp: string; messageId: string }
  | { of: 'artifact'; artifactId: string; parts: number; append: boolean }

const statusOf = (status: TaskStatus) => ({
  state: status.state,
  timestamp: status.timestamp ?? '',
  messageId: status.message?.messageId ?? '',
})

export const viewOfTask = (task: Task): TaskView => ({
  ...statusOf(task.status),
  parts: new Map(task.artifacts?.map((artifact: Artifact) => [artifact.artifactId, artifact.parts.length])),
})

/** The change a stream event or a webhook body makes; `undefined` for a bare message, which is no task. */
export function changeOf(event: StreamResponse): ViewChange | undefined {
  if ('task' in event) return { of: 'task', view: viewOfTask(event.task) }
  if ('statusUpdate' in event) return { of: 'status', ...statusOf(event.statusUpdate.status) }
  if ('artifactUpdate' in event) {
    const { artifact, append } = event.artifactUpdate
    return {
      of: 'artifact',
      artifactId: artifact.artifactId,
      parts: artifact.parts.length,
      append: append === true,
    }
  }
  return undefined
}

/** `view` after `change`; `undefined` stays unknown until a snapshot or a status arrives. */
export function applyChange(view: TaskView | undefined, change: ViewChange): TaskView | undefined {
  switch (change.of) {
    case 'task':
      return change.view
    case 'status':
      return {
        state: change.state,
        timestamp: change.timestamp,
        messageId: change.messageId,
        parts: view?.parts ?? new Map(),
      }
    case 'artifact': {
      if (view === undefined) return undefined
      const held = change.append ? (view.parts.get(change.artifactId) ?? 0) : 0
      return { ...view, parts: new Map(view.parts).set(change.artifactId, held + change.parts) }
    }
  }
}

/** Equal for equal views, different for different ones. */
export const signatureOf = (view: TaskView): string =>
  `${view.state} ${view.timestamp} ${view.messageId}${[...view.parts].map(([id, n]) => ` ${id}:${n}`).join('')}`
