import { describe, expect, test } from 'vitest'
import type { StreamResponse, TaskState } from '../protocol/a2a.ts'
import { fold } from '../protocol/fold.ts'
import { STATE_WORDS, type StateWord, TERMINAL_WORDS, WIRE_STATE } from '../protocol/states.ts'
import { wordsOf } from '../protocol/words.ts'
import { createTaskLog } from './task-log.ts'

const ids = { taskId: 't', contextId: 'c' }
const status = (state: TaskState): StreamResponse => ({ statusUpdate: { ...ids, status: { state } } })
const chunk: StreamResponse = {
  artifactUpdate: { ...ids, artifact: { artifactId: 'a', parts: [{ text: 'a line' }] } },
}
const CLOCK = { nowUs: () => 0 }
const begin = () =>
  createTaskLog({ id: 't', contextId: 'c', status: { state: 'TASK_STATE_SUBMITTED' } }, CLOCK)

const at = (state: TaskState) =>
  createTaskLog({ id: 't', contextId: 'c', status: { state, timestamp: 'as created' } }, CLOCK)

/** Rows: from; columns: to; `x` where the move is allowed. Written down again on purpose: the table is ours, and this is its second opinion. */
const TABLE = `
                 submitted working input-required auth-required completed failed canceled rejected
  submitted          x        x          x              x           x        x       x        x
  working            -        x          x              x           x        x       x        -
  input-required     -        x          x              x           x        x       x        -
  auth-required      -        x          x              x           x        x       x        -
  completed          -        -          -              -           -        -       -        -
  failed             -        -          -              -           -        -       -        -
  canceled           -        -          -              -           -        -       -        -
  rejected           -        -          -              -           -        -       -        -
`
const [header = [], ...rows] = TABLE.trim()
  .split('\n')
  .map((line) => line.trim().split(/\s+/))

describe.each(rows)('from %s', (from, ...marks) => {
  const before = WIRE_STATE[from as StateWord]
  test.each(header.map((to, column) => [to, marks[column]]))('to %s: %s', (to, mark) => {
    const after = WIRE_STATE[to as StateWord]
    const log = at(before)
    if (mark === 'x') {
      log.append(status(after), before)
      expect(log.snapshot().status).toEqual({ state: after })
    } else {
      const created = log.snapshot()
      expect(() => log.append(status(after), before)).toThrow(/task t is (over|\S+ and may not become)/)
      expect(log.snapshot()).toBe(created)
      expect(log.events()).toHaveLength(1)
    }
  })
})

test('the table has a row and a column for each state', () => {
  expect(header).toEqual(STATE_WORDS)
  expect(rows.map(([from]) => from)).toEqual(STATE_WORDS)
})

test.each(TERMINAL_WORDS)('no chunk is added once the task is %s', (word) => {
  const log = at(WIRE_STATE[word])
  expect(() => log.append(chunk, WIRE_STATE[word])).toThrow(`task t is over (${word})`)
  expect(log.snapshot()).not.toHaveProperty('artifacts')
})

test('of two who found the task in the same state, the second to write is refused', () => {
  const log = begin()
  const found = log.snapshot().status.state
  log.append(status('TASK_STATE_WORKING'), found)
  for (const late of [status('TASK_STATE_COMPLETED'), chunk])
    expect(() => log.append(late, found)).toThrow('was to change from submitted, but it is working by now')
  expect(log.events()).toHaveLength(2)
})

test('followers hear of each event with the snapshot it led to, until they unfollow; the log folds to it', () => {
  const log = begin()
  const heard: string[] = []
  const unfollow = log.follow((_, snapshot) => heard.push(snapshot.status.state))
  log.append(status('TASK_STATE_WORKING'), 'TASK_STATE_SUBMITTED')
  unfollow()
  log.append(status('TASK_STATE_COMPLETED'), 'TASK_STATE_WORKING')
  expect(heard).toEqual(['TASK_STATE_WORKING'])
  expect(log.events().reduce(fold, { id: '', status: { state: 'TASK_STATE_SUBMITTED' } })).toEqual(
    log.snapshot(),
  )
})

test('a message heard is history and no update; once the task is over none is heard', () => {
  const log = begin()
  const told: string[] = []
  log.follow((event) => told.push(wordsOf(event)))
  const message = { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: 'by the river' }] }
  log.hear([message])
  log.append(status('TASK_STATE_FAILED'), 'TASK_STATE_SUBMITTED')
  expect(told).toEqual(['failed'])
  expect(log.snapshot().history).toEqual([message])
  expect(log.events().reduce(fold, { id: '', status: { state: 'TASK_STATE_SUBMITTED' } })).toEqual(
    log.snapshot(),
  )
  expect(() => log.hear([message])).toThrow('task t is over')
})
