import { expect, test } from 'vitest'
import type { StreamResponse, TaskState } from '../protocol/a2a.ts'
import { fold } from '../protocol/fold.ts'
import { createTaskLog } from './task-log.ts'

const ids = { taskId: 't', contextId: 'c' }
const status = (state: TaskState): StreamResponse => ({ statusUpdate: { ...ids, status: { state } } })
const begin = () => createTaskLog({ id: 't', contextId: 'c', status: { state: 'TASK_STATE_SUBMITTED' } })

test.each(['COMPLETED', 'FAILED', 'CANCELED', 'REJECTED'] as const)('nothing leads out of %s', (end) => {
  const log = begin()
  log.append(status(`TASK_STATE_${end}`))
  expect(() => log.append(status('TASK_STATE_WORKING'))).toThrow(/task t is over/)
  expect(log.snapshot().status.state).toBe(`TASK_STATE_${end}`)
  expect(log.events()).toHaveLength(2)
})

test('a pause is no end', () => {
  const log = begin()
  log.append(status('TASK_STATE_INPUT_REQUIRED'))
  log.append(status('TASK_STATE_WORKING'))
  expect(log.isOver()).toBe(false)
})

test('followers hear of each event with the snapshot it led to, until they unfollow; the log folds to it', () => {
  const log = begin()
  const heard: string[] = []
  const unfollow = log.follow((_, snapshot) => heard.push(snapshot.status.state))
  log.append(status('TASK_STATE_WORKING'))
  unfollow()
  log.append(status('TASK_STATE_COMPLETED'))
  expect(heard).toEqual(['TASK_STATE_WORKING'])
  expect(log.events().reduce(fold, { id: '', status: { state: 'TASK_STATE_SUBMITTED' } })).toEqual(
    log.snapshot(),
  )
})
