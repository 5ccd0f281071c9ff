/**
 * What a client knows of a task, reduced to what tells one moment of its life
 * from another, so that it names the moment it belongs to without any hidden
 * number on the wire: the signature of a client's view is equal to that of the
 * agent's task at exactly one stretch of its log.
 */
import type { Part, StreamResponse, Task, TaskState, TaskStatus } from './a2a.ts'

export interface TaskView {
  state: TaskState
  timestamp: string
  /** The status message's id; empty if the status has none. */
  messageId: string
  /** What each artifact says, part by part, by its id, in the order they appeared. */
  artifacts: ReadonlyMap<string, readonly string[]>
}

/** The change one update makes to a view. */
export type ViewChange =
  | { of: 'task'; view: TaskView }
  | { of: 'status'; state: TaskState; timestamp: string; messageId: string }
  | { of: 'artifact'; artifactId: string; says: readonly string[]; append: boolean }

const statusOf = (status: TaskStatus) => ({
  state: status.state,
  timestamp: status.timestamp ?? '',
  messageId: status.message?.messageId ?? '',
})

/** A part's content as text. */
const wordsOfPart = ({ text, raw, url, data }: Part): string => text ?? raw ?? url ?? JSON.stringify(data)

export const viewOfTask = (task: Task): TaskView => ({
  ...statusOf(task.status),
  artifacts: new Map(task.artifacts?.map(({ artifactId, parts }) => [artifactId, parts.map(wordsOfPart)])),
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
      says: artifact.parts.map(wordsOfPart),
      append: append === true,
    }
  }
  return undefined
}

/** Equal for equal views, different for different ones. */
export const signatureOf = ({ state, timestamp, messageId, artifacts }: TaskView): string =>
  artifacts.size === 0
    ? `${state} ${timestamp} ${messageId}`
    : `${state} ${timestamp} ${messageId} ${JSON.stringify([...artifacts])}`
