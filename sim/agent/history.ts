import type { Task } from '../protocol/a2a.ts'

/**
 * A task with at most `historyLength` of its newest messages, all of them if it
 * is not given; with 0 the member is left out (specification 3.2.4).
 */
export function withHistory(task: Task, historyLength: number | undefined): Task {
  const { history, ...rest } = task
  if (historyLength === undefined || history === undefined || history.length <= historyLength) return task
  return historyLength === 0 ? rest : { ...rest, history: history.slice(-historyLength) }
}
