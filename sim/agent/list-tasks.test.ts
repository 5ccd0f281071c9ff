import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Task } from '../protocol/a2a.ts'
import { type ListedTask, listTasks } from './list-tasks.ts'

/** A task whose status was set in second `second`. */
const listed = (serial: number, second: number, more: Partial<Task> = {}): ListedTask => ({
  serial,
  task: {
    id: `t${serial}`,
    contextId: 'c1',
    status: { state: 'TASK_STATE_WORKING', timestamp: new Date(second * 1_000).toISOString() },
    ...more,
  },
})

const EVERYTHING = { pageSize: 50, includeArtifacts: false }
const idsOf = (tasks: Task[]) => tasks.map(({ id }) => id)

/** The pages from first to last; `between` is called after each. */
function pagesOf(tasks: ListedTask[], pageSize: number, between = () => {}): Task[][] {
  const pages: Task[][] = []
  let pageToken: string | undefined
  do {
    const page = listTasks(tasks, { ...EVERYTHING, pageSize, ...(pageToken && { pageToken }) })
    expect(page.tasks.length).toBeLessThanOrEqual(pageSize)
    pages.push(page.tasks)
    if (pages.length > 100) throw new Error('a hundred pages and no end')
    pageToken = page.nextPageToken
    between()
  } while (pageToken !== '')
  return pages
}

const SIZES = Array.from({ length: 50 }, (_, at) => at + 1)
/** 57 tasks, of which some share an instant, not in the order of their creation. */
const MANY = Array.from({ length: 57 }, (_, at) => listed(at, (at * 7) % 20))

describe('every page size visits every task exactly once, newest status first', () => {
  const newestFirst = MANY.toSorted(
    (a, b) => ((b.serial * 7) % 20) - ((a.serial * 7) % 20) || b.serial - a.serial,
  ).map(({ task }) => task.id)

  test.each(SIZES)('pages of %i', (pageSize) => {
    const pages = pagesOf(MANY, pageSize)
    expect(idsOf(pages.flat())).toEqual(newestFirst)
    expect(pages).toHaveLength(Math.ceil(MANY.length / pageSize))
  })

  test.each(SIZES)('pages of %i, while new tasks arrive after each', (pageSize) => {
    const tasks = [...MANY]
    // The newest instant there is, so that only the order of creation tells them apart.
    const pages = pagesOf(tasks, pageSize, () =>
      tasks.push(listed(tasks.length, 19), listed(tasks.length + 1, 30)),
    )
    expect(idsOf(pages.flat())).toEqual(newestFirst)
  })
})

test('whatever the instants and the page size, the pages are the whole list cut in pieces', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(5), { maxLength: 40 }),
      fc.integer({ min: 1, max: 100 }),
      (seconds, pageSize) => {
        const tasks = seconds.map((second, serial) => listed(serial, second))
        const whole = listTasks(tasks, { ...EVERYTHING, pageSize: 100 })
        expect(whole.totalSize).toBe(tasks.length)
        expect(pagesOf(tasks, pageSize).flat()).toEqual(whole.tasks)
      },
    ),
    { seed: 1, numRuns: 200 },
  )
})

test('the last page says so, also when it is full or the only one', () => {
  const page = (tasks: ListedTask[], pageSize: number) => listTasks(tasks, { ...EVERYTHING, pageSize })
  expect(page([], 3)).toEqual({ tasks: [], nextPageToken: '', pageSize: 3, totalSize: 0 })
  expect(page(MANY.slice(0, 3), 3).nextPageToken).toBe('')
  expect(page(MANY.slice(0, 4), 3).nextPageToken).not.toBe('')
})

test('a token stays good: its page is the same a hundred tasks later', () => {
  const { nextPageToken } = listTasks(MANY, { ...EVERYTHING, pageSize: 10 })
  const next = { ...EVERYTHING, pageSize: 10, pageToken: nextPageToken }
  const before = listTasks(MANY, next)
  const later = [...MANY, ...Array.from({ length: 100 }, (_, at) => listed(100 + at, 50 + at))]
  expect(listTasks(later, next)).toEqual({ ...before, totalSize: 157 })
})

test('a token goes on from where it was given, though the task it names has moved to the front', () => {
  const tasks = [listed(1, 1), listed(2, 2), listed(3, 3)]
  const { nextPageToken } = listTasks(tasks, { ...EVERYTHING, pageSize: 2 })
  const moved = tasks.with(1, listed(2, 9))
  const next = listTasks(moved, { ...EVERYTHING, pageSize: 2, pageToken: nextPageToken })
  expect(idsOf(next.tasks)).toEqual(['t1'])
})

const coded = (text: string) => Buffer.from(text).toString('base64url')
test.each([
  [
    'of another caller',
    listTasks([listed(900, 1), listed(901, 2)], { ...EVERYTHING, pageSize: 1 }).nextPageToken,
  ],
  ['that is no token', 'next please'],
  ['that is an offset', '10'],
  ['without a place in it', coded('{"id":"t1"}')],
  ['that is not even an object', coded('null')],
])('a token %s is InvalidParams', (_, pageToken) => {
  expect(() => listTasks(MANY, { ...EVERYTHING, pageToken })).toThrow(
    expect.objectContaining({ name: 'InvalidParamsError' }),
  )
})

describe('filters', () => {
  const tasks = [
    listed(1, 10),
    listed(2, 20, { contextId: 'c2' }),
    listed(3, 30, { status: { state: 'TASK_STATE_COMPLETED', timestamp: new Date(30_000).toISOString() } }),
  ]
  test.each([
    ['a context', { contextId: 'c2' }, ['t2']],
    ['a context nobody knows', { contextId: 'c3' }, []],
    ['a state', { status: 'TASK_STATE_COMPLETED' as const }, ['t3']],
    ['both', { status: 'TASK_STATE_COMPLETED' as const, contextId: 'c2' }, []],
    ['since an instant, itself included', { statusTimestampAfter: '1970-01-01T00:00:20Z' }, ['t3', 't2']],
    [
      'since an instant in many digits',
      { statusTimestampAfter: '1970-01-01T00:00:20.000000Z' },
      ['t3', 't2'],
    ],
    ['since a moment later', { statusTimestampAfter: '1970-01-01T00:00:20.0001Z' }, ['t3']],
  ])('by %s', (_, filter, ids) => {
    const page = listTasks(tasks, { ...EVERYTHING, ...filter })
    expect(idsOf(page.tasks)).toEqual(ids)
    expect(page.totalSize).toBe(ids.length)
  })

  test('the total counts what the filter keeps, on every page', () => {
    const first = listTasks(tasks, { ...EVERYTHING, contextId: 'c1', pageSize: 1 })
    expect(first).toMatchObject({ totalSize: 2, pageSize: 1 })
    const second = listTasks(tasks, {
      ...EVERYTHING,
      contextId: 'c1',
      pageSize: 1,
      pageToken: first.nextPageToken,
    })
    expect(second).toMatchObject({ totalSize: 2, nextPageToken: '' })
    expect(idsOf(second.tasks)).toEqual(['t1'])
  })
})

test('artifacts are there only when asked for, and then always; history is cut to what was asked', () => {
  const message = (messageId: string) => ({ messageId, role: 'ROLE_USER' as const, parts: [{ text: 'a' }] })
  const artifacts = [{ artifactId: 'a', parts: [{ text: 'a' }] }]
  const tasks = [listed(1, 1, { artifacts }), listed(2, 2, { history: [message('m1'), message('m2')] })]
  const without = listTasks(tasks, EVERYTHING)
  expect(without.tasks.map((task) => 'artifacts' in task)).toEqual([false, false])
  const withThem = listTasks(tasks, { ...EVERYTHING, includeArtifacts: true, historyLength: 1 })
  expect(withThem.tasks.map((task) => task.artifacts)).toEqual([[], artifacts])
  expect(withThem.tasks[0]?.history).toEqual([message('m2')])
})
