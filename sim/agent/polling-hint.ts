/** How the agent tells clients when it is worth asking again. None of it is A2A's (delivery extension). */
import type { Task } from '../protocol/a2a.ts'
import { POLL_HINT_HEADER, POLL_HINT_KEY, RETRY_AFTER_HEADER } from '../protocol/delivery-extension.ts'
import { msOf } from '../kernel/units.ts'
import type { PollingSettings } from '../scenario/scenario.ts'
import { retryAfterOf } from './pace-errors.ts'

/** The hint for a task so old; `undefined` before the first step. */
export const hintAt = (hints: PollingSettings['hints'], ageUs: number): number | undefined =>
  hints.findLast(({ fromUs }) => fromUs <= ageUs)?.hintUs

/** A task as a reply shows it, and the header lines that go with it. */
export interface Hinted {
  task: Task
  headers: Record<string, string>
}

export function withHint(task: Task, hintUs: number | undefined, via: PollingSettings['hintVia']): Hinted {
  if (hintUs === undefined) return { task, headers: {} }
  switch (via) {
    case 'body':
      return { task: { ...task, metadata: { ...task.metadata, [POLL_HINT_KEY]: msOf(hintUs) } }, headers: {} }
    case 'header':
      return { task, headers: { [POLL_HINT_HEADER]: String(msOf(hintUs)) } }
    case 'retry-after':
      return { task, headers: { [RETRY_AFTER_HEADER]: retryAfterOf(hintUs) } }
  }
}
