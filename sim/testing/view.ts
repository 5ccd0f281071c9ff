/** How a client that folds what a stream tells would see the task: the reference for snapshots. */
import type { TaskView, ViewChange } from '../protocol/view.ts'

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
        artifacts: view?.artifacts ?? new Map(),
      }
    case 'artifact': {
      if (view === undefined) return undefined
      const held = change.append ? (view.artifacts.get(change.artifactId) ?? []) : []
      return { ...view, artifacts: new Map(view.artifacts).set(change.artifactId, [...held, ...change.says]) }
    }
  }
}
