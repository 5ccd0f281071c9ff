import type { TaskState } from './a2a.ts'

/**
 * Where a task may go from each state. **The table is ours**: the specification
 * has none. What it does say is kept: the four terminal states have no way out
 * (4.1.3), and any state may be skipped, so that whatever is not over may end.
 *
 * Chosen beyond that: an agent that has begun to work, or to ask, has accepted
 * the task, so REJECTED comes from SUBMITTED only and nothing goes back to
 * SUBMITTED. A state may be told again with another message, which is how
 * progress is reported. A question may follow a question of either kind.
 */
export const MOVES = {
  TASK_STATE_SUBMITTED: [
    'TASK_STATE_SUBMITTED',
    'TASK_STATE_WORKING',
    'TASK_STATE_INPUT_REQUIRED',
    'TASK_STATE_AUTH_REQUIRED',
    'TASK_STATE_COMPLETED',
    'TASK_STATE_FAILED',
    'TASK_STATE_CANCELED',
    'TASK_STATE_REJECTED',
  ],
  TASK_STATE_WORKING: [
    'TASK_STATE_WORKING',
    'TASK_STATE_INPUT_REQUIRED',
    'TASK_STATE_AUTH_REQUIRED',
    'TASK_STATE_COMPLETED',
    'TASK_STATE_FAILED',
    'TASK_STATE_CANCELED',
  ],
  TASK_STATE_INPUT_REQUIRED: [
    'TASK_STATE_WORKING',
    'TASK_STATE_INPUT_REQUIRED',
    'TASK_STATE_AUTH_REQUIRED',
    'TASK_STATE_COMPLETED',
    'TASK_STATE_FAILED',
    'TASK_STATE_CANCELED',
  ],
  TASK_STATE_AUTH_REQUIRED: [
    'TASK_STATE_WORKING',
    'TASK_STATE_INPUT_REQUIRED',
    'TASK_STATE_AUTH_REQUIRED',
    'TASK_STATE_COMPLETED',
    'TASK_STATE_FAILED',
    'TASK_STATE_CANCELED',
  ],
  TASK_STATE_COMPLETED: [],
  TASK_STATE_FAILED: [],
  TASK_STATE_CANCELED: [],
  TASK_STATE_REJECTED: [],
} as const satisfies Record<TaskState, readonly TaskState[]>

/** Whether a task in state `from` may be given the state `to`. */
export const mayMove = (from: TaskState, to: TaskState): boolean =>
  (MOVES[from] as readonly TaskState[]).includes(to)
