import { describe, expect, test } from 'vitest'
import { randomStream } from '../../kernel/random.ts'
import type { StreamPolicy } from '../../policies/policy.ts'
import { backoffOf, every, listOf, seconds, streamBy } from '../../testing/scenario.ts'
import { createReconnects, type NextStep, type StreamEnd } from './policy.ts'

const reconnectsOf = (more: Partial<StreamPolicy>) =>
  createReconnects(streamBy(more), randomStream(1, 'reconnect'), 0)

const closed: StreamEnd = { of: 'closed' }
const answered = (status: number, retryAfterUs?: number): StreamEnd => ({
  of: 'refused',
  failure: { of: 'answer', status, retryAfterUs },
  why: `status ${status}`,
})

/** The waits of one gap: each attempt meets a dead connection. */
function waitsOf(reconnects: ReturnType<typeof reconnectsOf>, end: StreamEnd, fromUs: number): number[] {
  const waits: number[] = []
  let atUs = fromUs
  let step: NextStep = reconnects.after(end, { atUs, known: true })
  while (step.do === 'reopen' && waits.length < 20) {
    waits.push(step.afterUs / seconds(1))
    atUs += step.afterUs
    step = reconnects.after({ of: 'refused', failure: { of: 'connection' }, why: '' }, { atUs, known: true })
  }
  return waits
}

describe('without a reconnect policy the client does as the official one', () => {
  const after = (end: StreamEnd, known = true) => reconnectsOf({}).after(end, { atUs: 5, known })

  test.each([
    ['a clean end', closed, 'not-learned', 'the stream ended before the task did'],
    ['a broken one', { of: 'broken', why: 'terminated' } as const, 'not-learned', 'terminated'],
    ['something in between that turns it away', answered(503), 'not-learned', 'status 503'],
  ])('%s', (_, end, outcome, reason) => {
    expect(after(end)).toEqual({ do: 'stop', outcome, reason })
    expect(after(end, false)).toEqual({ do: 'stop', outcome, reason })
  })

  test('a refusal for good, before the task is known, is a failure', () => {
    expect(after(answered(403), false)).toEqual({ do: 'stop', outcome: 'failed', reason: 'status 403' })
  })
})

describe('a gap', () => {
  test('each has the attempts and the waits of the policy, however many there were before', () => {
    const reconnects = reconnectsOf({ reconnect: backoffOf(listOf(seconds(1), seconds(2), seconds(4))) })
    reconnects.opened(0)
    expect(waitsOf(reconnects, closed, seconds(60))).toEqual([1, 2, 4])
    reconnects.opened(seconds(100))
    expect(waitsOf(reconnects, closed, seconds(160))).toEqual([1, 2, 4])
  })

  test('attempts counts attempts to reconnect, and says so when they are used up', () => {
    const reconnects = reconnectsOf({ reconnect: backoffOf(every(seconds(3)), { attempts: 2 }) })
    reconnects.opened(0)
    expect(waitsOf(reconnects, closed, seconds(60))).toEqual([3, 3])
    expect(reconnects.after(closed, { atUs: seconds(70), known: true })).toMatchObject({
      do: 'stop',
      outcome: 'not-learned',
      reason: 'the client reconnected twice in vain',
    })
  })

  test('its budget counts from the end of the stream before', () => {
    const reconnects = reconnectsOf({ reconnect: backoffOf(every(seconds(4)), { budgetUs: seconds(10) }) })
    reconnects.opened(0)
    expect(waitsOf(reconnects, closed, seconds(3600))).toEqual([4, 4])
  })

  test('waits begin anew only after a stream that lived long enough', () => {
    const growing = { of: 'growing', initialUs: seconds(1), multiplier: 2, maxUs: undefined } as const
    const reconnects = reconnectsOf({ reconnect: backoffOf(growing, { resetAfterUs: seconds(60) }) })
    const waitAfterStream = (openedS: number, endedS: number) => {
      reconnects.opened(seconds(openedS))
      const step = reconnects.after(closed, { atUs: seconds(endedS), known: true })
      return step.do === 'reopen' ? step.afterUs / seconds(1) : step.do
    }
    expect([waitAfterStream(0, 10), waitAfterStream(11, 21), waitAfterStream(23, 33)]).toEqual([1, 2, 4])
    expect(waitAfterStream(37, 97)).toBe(1)
  })
})

describe('what the server says', () => {
  test('Retry-After of a refusal replaces the wait, unless it is ignored', () => {
    const after = (more: Partial<StreamPolicy>) =>
      reconnectsOf({ reconnect: backoffOf(every(seconds(1))), ...more }).after(answered(503, seconds(5)), {
        atUs: 0,
        known: true,
      })
    expect(after({})).toEqual({ do: 'reopen', afterUs: seconds(5) })
    expect(after({ retryAfter: 'ignore' })).toEqual({ do: 'reopen', afterUs: seconds(1) })
    const stretched = after({
      retryAfter: { jitter: { of: 'stretch', less: 0, more: 0.25 }, maxUs: undefined },
    })
    expect(stretched).toMatchObject({ do: 'reopen' })
    if (stretched.do === 'reopen') {
      expect(stretched.afterUs).toBeGreaterThan(seconds(5))
      expect(stretched.afterUs).toBeLessThanOrEqual(seconds(6.25))
    }
  })

  test('an SSE retry replaces the first wait of each gap from then on', () => {
    const reconnects = reconnectsOf({ reconnect: backoffOf(listOf(seconds(1), seconds(2))) })
    reconnects.opened(0)
    reconnects.hinted(seconds(10))
    expect(waitsOf(reconnects, closed, seconds(60))).toEqual([10, 2])
    const deaf = reconnectsOf({ reconnect: backoffOf(listOf(seconds(1))), retryHint: 'ignore' })
    deaf.opened(0)
    deaf.hinted(seconds(10))
    expect(waitsOf(deaf, closed, seconds(60))).toEqual([1])
  })

  test('a refusal that trying again will not change leads to one look; a task that is gone is gone', () => {
    const reconnects = reconnectsOf({ reconnect: backoffOf(every(seconds(1))) })
    expect(reconnects.after(answered(400), { atUs: 0, known: true })).toEqual({ do: 'look' })
    const gone: StreamEnd = { of: 'refused', failure: { of: 'gone' }, why: 'no such task' }
    expect(reconnects.after(gone, { atUs: 0, known: true })).toMatchObject({ do: 'stop', outcome: 'failed' })
  })

  test('a clean end may be taken for the end of the task', () => {
    const reconnects = reconnectsOf({ reconnect: backoffOf(every(seconds(1))), cleanClose: 'finish' })
    expect(reconnects.after(closed, { atUs: 0, known: true })).toMatchObject({
      do: 'stop',
      outcome: 'not-learned',
    })
    expect(reconnects.after({ of: 'broken', why: '' }, { atUs: 0, known: true })).toMatchObject({
      do: 'reopen',
    })
  })
})

test('while no task is known only a send that certainly did nothing is made again', () => {
  const after = (end: StreamEnd) =>
    reconnectsOf({ reconnect: backoffOf(every(seconds(3))) }).after(end, { atUs: 0, known: false }).do
  const refused = (failure: (StreamEnd & { of: 'refused' })['failure']): StreamEnd => ({
    of: 'refused',
    failure,
    why: '',
  })
  expect(after(answered(503))).toBe('reopen')
  expect(after(refused({ of: 'throttled', retryAfterUs: undefined }))).toBe('reopen')
  expect(after(refused({ of: 'connection', neverSent: true }))).toBe('reopen')
  expect(after(refused({ of: 'connection' }))).toBe('stop')
  expect(after(refused({ of: 'timeout' }))).toBe('stop')
  expect(after(answered(504))).toBe('stop')
  expect(after(answered(400))).toBe('stop')
  expect(after(closed)).toBe('stop')
})
