import { expect, test } from 'vitest'
import type { Task } from '../protocol/a2a.ts'
import { withHistory } from './history.ts'

const task: Task = {
  id: 't',
  status: { state: 'TASK_STATE_WORKING' },
  history: ['first', 'second', 'third'].map((messageId) => ({ messageId, role: 'ROLE_USER', parts: [] })),
}

test.each([
  [undefined, ['first', 'second', 'third']],
  [4, ['first', 'second', 'third']],
  [2, ['second', 'third']],
  [0, undefined],
])('historyLength %s leaves %j', (historyLength, left) => {
  expect(withHistory(task, historyLength).history?.map(({ messageId }) => messageId)).toEqual(left)
})
