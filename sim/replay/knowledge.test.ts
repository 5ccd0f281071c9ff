import { expect, test } from 'vitest'
import type { TaskView, ViewChange } from '../protocol/view.ts'
import { createJournal } from '../records/journal.ts'
import { applyChange } from '../testing/view.ts'
import { createKnowledge } from './knowledge.ts'

const BEGUN: TaskView = {
  state: 'TASK_STATE_SUBMITTED',
  timestamp: 't0',
  messageId: '',
  artifacts: new Map(),
}

const statusAt = (timestamp: string, state: TaskView['state'] = 'TASK_STATE_WORKING'): ViewChange => ({
  of: 'status',
  state,
  timestamp,
  messageId: '',
})

const chunk = (says: string, append = false): ViewChange => ({
  of: 'artifact',
  artifactId: 'report',
  says: [says],
  append,
})

/** A knowledge that has heard of these changes, the last of which ends the task; and the views in between. */
function after(...changes: ViewChange[]) {
  return afterOn({ wayUs: 0 }, ...changes)
}

/** The same where each change comes a µs after the one before, and what is read was under way for `wayUs`. */
function afterOn({ wayUs }: { wayUs: number }, ...changes: ViewChange[]) {
  let nowUs = 0
  const journal = createJournal()
  const knowledge = createKnowledge({ nowUs: () => nowUs }, journal, () => wayUs)
  knowledge.happened({ update: -1, change: { of: 'task', view: BEGUN }, view: BEGUN, terminal: false })
  const views: TaskView[] = [BEGUN]
  changes.forEach((change, update) => {
    const view = applyChange(views.at(-1), change) as TaskView
    nowUs += 1
    views.push(view)
    knowledge.happened({ update, change, view, terminal: update === changes.length - 1 })
  })
  const learned = () =>
    journal.records().map((record) => (record.kind === 'learned' ? record.updates : record.kind))
  const snapshot = (index: number): ViewChange => ({ of: 'task', view: views[index] as TaskView })
  return { knowledge, learned, snapshot }
}

test('a snapshot tells of everything that came before it', () => {
  const { knowledge, learned, snapshot } = after(
    statusAt('t1'),
    chunk('a'),
    statusAt('t2', 'TASK_STATE_COMPLETED'),
  )
  expect(knowledge.observe(snapshot(2), 'poll')).toEqual({ news: true, terminal: false })
  expect(knowledge.observe(snapshot(3), 'poll')).toEqual({ news: true, terminal: true })
  expect(learned()).toEqual([[0, 1], [2]])
})

test('a status tells of the statuses before it and of no artifact', () => {
  const { knowledge, learned } = after(statusAt('t1'), chunk('a'), statusAt('t2', 'TASK_STATE_COMPLETED'))
  knowledge.observe(statusAt('t2', 'TASK_STATE_COMPLETED'), 'push')
  expect(learned()).toEqual([[0, 2]])
})

test('chunks that read alike are told apart by their order', () => {
  const { knowledge, learned } = after(
    chunk('a'),
    chunk('a', true),
    chunk('a', true),
    statusAt('t1', 'TASK_STATE_COMPLETED'),
  )
  for (const change of [chunk('a'), chunk('a', true), chunk('a', true), chunk('a', true)])
    knowledge.observe(change, 'stream')
  expect(learned()).toEqual([[0], [1], [2], 'duplicate'])
})

test('an old snapshot that comes late is no news, and neither a duplicate', () => {
  const { knowledge, learned, snapshot } = after(statusAt('t1'), statusAt('t2', 'TASK_STATE_COMPLETED'))
  knowledge.observe(statusAt('t2', 'TASK_STATE_COMPLETED'), 'push')
  expect(knowledge.observe(snapshot(0), 'reply')).toEqual({ news: false, terminal: true })
  expect(learned()).toEqual([[0, 1]])
})

test('an artifact replaced by another of the same size is another moment', () => {
  const { knowledge, learned, snapshot } = after(
    chunk('a'),
    chunk('b'),
    statusAt('t1', 'TASK_STATE_COMPLETED'),
  )
  knowledge.observe(snapshot(1), 'poll')
  expect(learned()).toEqual([[0]])
})

test('what was said before a change that reads the same does not tell of it', () => {
  const same = [chunk('a'), chunk('a'), statusAt('t1', 'TASK_STATE_COMPLETED')]
  const { knowledge, learned, snapshot } = afterOn({ wayUs: 2 }, ...same)
  expect(knowledge.observe(snapshot(1), 'poll').news).toBe(true)
  expect(knowledge.observe(snapshot(1), 'poll').news).toBe(false)
  expect(learned()).toEqual([[0]])
})

test('what the agent never said breaks the run, even if the client swallows it', () => {
  const { knowledge } = after(statusAt('t1', 'TASK_STATE_COMPLETED'))
  expect(() => knowledge.observe(statusAt('t9'), 'stream')).toThrow(
    /never said: status TASK_STATE_WORKING t9/,
  )
  expect(() => knowledge.observe(chunk('x'), 'stream')).toThrow(/never said/)
  expect(knowledge.fault()?.message).toMatch(/t9/)
})
