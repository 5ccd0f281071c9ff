import { expect, test } from 'vitest'
import { type Process, run, type Waitable } from './process.ts'
import { createBell } from './waiting.ts'

/** Waits for each in turn and says so. */
function* waiting(said: string[], ...waits: (Waitable | readonly Waitable[])[]): Process<string> {
  try {
    for (const [index, wait] of waits.entries()) {
      said.push(`waits for ${index}`)
      yield wait
    }
    return 'done'
  } finally {
    said.push('tidies up')
  }
}

test('a process goes on as soon as what it waits for is ready, and at once where that is', () => {
  const said: string[] = []
  const [first, second, third] = [createBell(), createBell(), createBell()]
  second.ring()
  const running = run(waiting(said, first, second, third))
  expect([said, running.ready]).toEqual([['waits for 0'], false])
  first.ring()
  expect([said.at(-1), running.ready]).toEqual(['waits for 2', false])
  expect(() => running.take()).toThrow('before it had one')
  third.ring()
  expect([running.ready, running.take()]).toEqual([true, 'done'])
})

test('of several things one is enough, and the others are let go', () => {
  const [one, other, after] = [createBell(), createBell(), createBell()]
  const running = run(waiting([], [one, other], after))
  other.ring()
  expect([one.wake, other.wake, typeof after.wake]).toEqual([undefined, undefined, 'function'])
  after.ring()
  expect(running.ready).toBe(true)
})

test('what a process throws is thrown at whoever takes its result', () => {
  const bell = createBell()
  const failing = function* (): Process<void> {
    yield bell
    throw new Error('no')
  }
  const running = run(failing())
  let woken = 0
  running.wake = () => (woken += 1)
  bell.ring()
  expect([running.ready, woken]).toEqual([true, 1])
  expect(() => running.take()).toThrow('no')
})

test('one that is stopped tidies up, wakes nobody and does no more', () => {
  const said: string[] = []
  const [bell, later] = [createBell(), createBell()]
  const running = run(waiting(said, bell, later))
  let woken = 0
  running.wake = () => (woken += 1)
  running.stop()
  bell.ring()
  running.stop()
  expect({ said, woken, ready: running.ready, waits: bell.wake }).toEqual({
    said: ['waits for 0', 'tidies up'],
    woken: 0,
    ready: true,
    waits: undefined,
  })
  expect(() => running.take()).toThrow('stopped')
})

test('one that is stopped by what it does itself ends at its next wait', () => {
  const said: string[] = []
  const [bell, never] = [createBell(), createBell()]
  const acting = function* (): Process<void> {
    try {
      yield bell
      running.stop()
      said.push('goes on to its next wait')
      yield never
      said.push('never')
    } finally {
      said.push('tidies up')
    }
  }
  const running = run(acting())
  bell.ring()
  never.ring()
  expect(said).toEqual(['goes on to its next wait', 'tidies up'])
  expect(running.ready).toBe(true)
})
