import type { TaskState } from './a2a.ts'

/** The states of a task as scenarios and people write them, beside their names on the wire. */
export const WIRE_STATE = {
  submitted: 'TASK_STATE_SUBMITTED',
  working: 'TASK_STATE_WORKING',
  'input-required': 'TASK_STATE_INPUT_REQUIRED',
  'auth-required': 'TASK_STATE_AUTH_REQUIRED',
  completed: 'TASK_STATE_COMPLETED',
  failed: 'TASK_STATE_FAILED',
  canceled: 'TASK_STATE_CANCELED',
  rejected: 'TASK_STATE_REJECTED',
} as const satisfies Record<string, TaskState>

export type StateWord = keyof typeof WIRE_STATE

export const STATE_WORDS = Object.keys(WIRE_STATE) as StateWord[]

const WORD_OF = new Map<TaskState, StateWord>(STATE_WORDS.map((word) => [WIRE_STATE[word], word]))

/** `completed` for `TASK_STATE_COMPLETED`. */
export const wordOfState = (state: TaskState): StateWord => WORD_OF.get(state) as StateWord

/** The four states without a way out (specification 4.1.3). */
export const TERMINAL_WORDS = ['completed', 'failed', 'canceled', 'rejected'] as const satisfies StateWord[]

const TERMINAL: ReadonlySet<TaskState> = new Set(TERMINAL_WORDS.map((word) => WIRE_STATE[word]))

/** True for the four states that end a task. */
export const isTerminal = (state: TaskState): boolean => TERMINAL.has(state)

/** True for the two states in which the task waits for somebody. */
export const isInterrupted = (state: TaskState): boolean =>
  state === 'TASK_STATE_INPUT_REQUIRED' || state === 'TASK_STATE_AUTH_REQUIRED'
