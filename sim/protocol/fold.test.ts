import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { StreamResponse, Task } from './a2a.ts'
import { fold } from './fold.ts'
import { applyChange } from '../testing/view.ts'
import { changeOf, signatureOf, viewOfTask } from './view.ts'

const ids = { taskId: 't', contextId: 'c' }
const history = [{ messageId: 'ask', role: 'ROLE_USER' as const, parts: [{ text: 'find venues' }] }]
const created: Task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_SUBMITTED' }, history }

const status = (text?: string): StreamResponse => ({
  statusUpdate: {
    ...ids,
    status: {
      state: 'TASK_STATE_WORKING',
      ...(text !== undefined && {
        message: { messageId: text, role: 'ROLE_AGENT', parts: [{ text }] },
      }),
    },
  },
})
const chunk = (artifactId: string, text: string, append: boolean): StreamResponse => ({
  artifactUpdate: { ...ids, artifact: { artifactId, parts: [{ text }] }, ...(append && { append }) },
})

test('a status replaces the one before it, and its message does not enter the history', () => {
  const task = [status('first'), status()].reduce(fold, created)
  expect(task.status).toEqual({ state: 'TASK_STATE_WORKING' })
  expect(task.history).toEqual(history)
})

test('chunks are appended or replace the whole, each artifact once, in the order they appeared', () => {
  const task = [
    chunk('a', '1', false),
    chunk('b', '1', true),
    chunk('a', '2', true),
    chunk('b', '2', false),
  ].reduce(fold, created)
  expect(task.artifacts).toEqual([
    { artifactId: 'a', parts: [{ text: '1' }, { text: '2' }] },
    { artifactId: 'b', parts: [{ text: '2' }] },
  ])
})

test('an older snapshot stays as it was', () => {
  const before = fold(created, chunk('a', '1', false))
  const text = JSON.stringify(before)
  fold(fold(before, chunk('a', '2', true)), status('done'))
  expect(JSON.stringify(before)).toBe(text)
})

test('at every moment the view folded from events is the view of the snapshot', () => {
  const event = fc.oneof(
    fc.option(fc.string({ minLength: 1 }), { nil: undefined }).map(status),
    fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.string(), fc.boolean()).map((given) => chunk(...given)),
  )
  fc.assert(
    fc.property(fc.array(event), (events) => {
      let task = created
      let view = viewOfTask(created)
      for (const one of events) {
        task = fold(task, one)
        view = applyChange(view, changeOf(one)!)!
        expect(signatureOf(view)).toBe(signatureOf(viewOfTask(task)))
      }
    }),
    { seed: 1, numRuns: 200 },
  )
})
