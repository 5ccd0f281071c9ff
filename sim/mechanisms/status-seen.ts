import type { ViewChange } from '../protocol/view.ts'

/** What tells one status of a task from another; `undefined` for a change that is about an artifact. */
export function statusSeen(change: ViewChange): string | undefined {
  if (change.of === 'artifact') return undefined
  const { state, timestamp, messageId } = change.of === 'task' ? change.view : change
  return `${state} ${timestamp} ${messageId}`
}
