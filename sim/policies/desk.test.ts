import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fixed } from '../kernel/distribution.ts'
import { createEventQueue } from '../kernel/event-queue.ts'
import { randomStream } from '../kernel/random.ts'
import { type Capacity, createDesk, type Desk } from './desk.ts'

const ROOM: Capacity = {
  handlers: undefined,
  service: [],
  queue: undefined,
  connections: undefined,
  full: { answer: 503, retryAfterUs: undefined },
}

/** A desk on a clock of its own, and what came of each visit, by the instant. */
function onClock(capacity: Partial<Capacity>) {
  const queue = createEventQueue<() => void>()
  let nowUs = 0
  const at = (atUs: number, act: () => void) => {
    const entry = queue.push(atUs, act)
    return () => queue.remove(entry)
  }
  const desk: Desk = createDesk(
    { ...ROOM, ...capacity },
    { nowUs: () => nowUs, at },
    randomStream(1, 'service'),
  )
  const said: string[] = []
  return {
    said,
    /** Comes at an instant, and leaves as soon as it is served, or `staysUs` later. */
    visit: (
      atUs: number,
      name: string,
      { operation = 'poll', staysUs = 0, leavesUs = Infinity } = {},
    ): void => {
      at(atUs, () => {
        const leave = desk.enter({
          operation,
          serve(waitedUs) {
            said.push(`${nowUs} ${name} served, waited ${waitedUs}`)
            at(nowUs + staysUs, () => leave())
          },
          turnAway: () => said.push(`${nowUs} ${name} turned away`),
        })
        if (leavesUs < Infinity) at(leavesUs, leave)
      })
    },
    forgetAt: (atUs: number) => void at(atUs, () => desk.forget()),
    play: (): string[] => {
      for (let atUs = queue.peekTimeUs(); atUs !== undefined; atUs = queue.peekTimeUs()) {
        nowUs = atUs
        queue.pop()?.()
      }
      return said
    },
  }
}

const service = (us: number): Capacity['service'] => [{ operations: undefined, time: fixed(us) }]

test('without limits everybody is served at once', () => {
  const { visit, play } = onClock({})
  visit(0, 'a')
  visit(0, 'b')
  expect(play()).toEqual(['0 a served, waited 0', '0 b served, waited 0'])
})

test('a handler serves one after the other, in order', () => {
  const { visit, play } = onClock({ handlers: 1, service: service(10) })
  visit(0, 'a')
  visit(1, 'b')
  visit(2, 'c')
  expect(play()).toEqual(['10 a served, waited 0', '20 b served, waited 9', '30 c served, waited 18'])
})

test('the first entry that names an operation says how long it takes; one that nobody names takes no time', () => {
  const { visit, play } = onClock({
    handlers: 1,
    service: [
      { operations: ['send'], time: fixed(5) },
      { operations: ['poll', 'send'], time: fixed(7) },
    ],
  })
  visit(0, 'a', { operation: 'send' })
  visit(0, 'b')
  visit(0, 'c', { operation: 'stream' })
  expect(play()).toEqual(['5 a served, waited 0', '12 b served, waited 5', '12 c served, waited 12'])
})

test('a full line turns away, unless it is to wait', () => {
  const turning = onClock({ handlers: 1, queue: 1, service: service(10) })
  for (const name of ['a', 'b', 'c']) turning.visit(0, name)
  expect(turning.play()).toEqual(['0 c turned away', '10 a served, waited 0', '20 b served, waited 10'])
  const waiting = onClock({
    handlers: 1,
    queue: 1,
    service: service(10),
    full: { answer: 'wait', retryAfterUs: undefined },
  })
  for (const name of ['a', 'b', 'c']) waiting.visit(0, name)
  expect(waiting.play()).toHaveLength(3)
  expect(waiting.said.at(-1)).toBe('30 c served, waited 20')
})

test('connections are held until the visit is over, and then free for the next', () => {
  const turning = onClock({ connections: 1 })
  turning.visit(0, 'a', { staysUs: 10 })
  turning.visit(5, 'b')
  turning.visit(10, 'c')
  turning.visit(11, 'd')
  // At one instant what was scheduled first comes first: c came to a desk that a had not left.
  expect(turning.play()).toEqual([
    '0 a served, waited 0',
    '5 b turned away',
    '10 c turned away',
    '11 d served, waited 0',
  ])
  const waiting = onClock({ connections: 1, full: { answer: 'wait', retryAfterUs: undefined } })
  waiting.visit(0, 'a', { staysUs: 10 })
  waiting.visit(5, 'b')
  expect(waiting.play()).toEqual(['0 a served, waited 0', '10 b served, waited 5'])
})

test('who goes away leaves the line; a service that has begun is finished', () => {
  const { visit, play } = onClock({ handlers: 1, service: service(10) })
  visit(0, 'a', { leavesUs: 5 })
  visit(1, 'b', { leavesUs: 6 })
  visit(2, 'c')
  expect(play()).toEqual(['10 a served, waited 0', '20 c served, waited 8'])
})

test('a process that ends forgets everybody, and begins empty', () => {
  const { visit, forgetAt, play } = onClock({ handlers: 1, connections: 2, service: service(10) })
  visit(0, 'a', { staysUs: 100 })
  visit(1, 'b')
  forgetAt(5)
  visit(6, 'c')
  visit(7, 'd')
  expect(play()).toEqual(['16 c served, waited 0', '26 d served, waited 9'])
})

test('never more in service than handlers, never an idle handler beside a line, never out of order', () => {
  const scene = fc.record({
    handlers: fc.integer({ min: 1, max: 3 }),
    serviceUs: fc.integer({ min: 1, max: 20 }),
    gapsUs: fc.array(fc.integer({ min: 0, max: 15 }), { minLength: 1, maxLength: 40 }),
  })
  fc.assert(
    fc.property(scene, ({ handlers, serviceUs, gapsUs }) => {
      const { visit, play } = onClock({ handlers, service: service(serviceUs) })
      let atUs = 0
      // Kiefer and Wolfowitz: each starts when the first of the handlers is free.
      const free = Array.from({ length: handlers }, () => 0)
      const expected = gapsUs.map((gapUs, index) => {
        atUs += gapUs
        visit(atUs, `v${index}`)
        free.sort((a, b) => a - b)
        const startUs = Math.max(atUs, free[0] as number)
        free[0] = startUs + serviceUs
        return `${startUs + serviceUs} v${index} served, waited ${startUs - atUs}`
      })
      expect(play()).toEqual(expected)
    }),
    { seed: 1, numRuns: 300 },
  )
})
