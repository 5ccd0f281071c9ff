import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createEventQueue } from './event-queue.ts'
import type { QueuedEvent } from './event-queue.ts'

/** Few instants and mostly pushes, so that ties and removals from the middle of a large heap are common. */
const operation = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('push' as const), atUs: fc.nat({ max: 100 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('pop' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), which: fc.nat() }) },
)

describe('the event queue', () => {
  test('gives what a sorted list would give, whatever is pushed, taken and removed', () => {
    const property = fc.property(fc.array(operation, { minLength: 100, maxLength: 200 }), (operations) => {
      const queue = createEventQueue<number>()
      let reference: { atUs: number; event: number }[] = []
      const handles: QueuedEvent<number>[] = []
      for (const step of operations) {
        switch (step.do) {
          case 'push': {
            const event = handles.length
            handles.push(queue.push(step.atUs, event))
            reference.push({ atUs: step.atUs, event })
            // A stable sort keeps the order of entry at equal instants.
            reference.sort((a, b) => a.atUs - b.atUs)
            break
          }
          case 'pop':
            expect(queue.pop()).toBe(reference.shift()?.event)
            break
          case 'remove': {
            // Often one that has already left: that must change nothing.
            const handle = handles[step.which % Math.max(1, handles.length)]
            if (handle === undefined) break
            queue.remove(handle)
            reference = reference.filter(({ event }) => event !== handle.event)
            break
          }
        }
        expect(queue.size()).toBe(reference.length)
        expect(queue.peekTimeUs()).toBe(reference[0]?.atUs)
      }
      while (queue.size() > 0) expect(queue.pop()).toBe(reference.shift()?.event)
    })
    fc.assert(property, { seed: 1, numRuns: 100 })
  })

  test('events at one instant leave in the order they entered', () => {
    const queue = createEventQueue<string>()
    for (const event of ['first', 'second', 'third', 'fourth', 'fifth']) queue.push(7, event)
    const left = Array.from({ length: 5 }, () => queue.pop())
    expect(left).toEqual(['first', 'second', 'third', 'fourth', 'fifth'])
  })

  test('cancelled events do not pile up', () => {
    const queue = createEventQueue<string>()
    queue.push(1_000_000, 'stays')
    for (let atUs = 0; atUs < 10_000; atUs++) queue.remove(queue.push(atUs, 'cancelled'))
    expect(queue.size()).toBe(1)
    expect(queue.pop()).toBe('stays')
  })
})
