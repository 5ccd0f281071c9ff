import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createServerHeap } from './server-heap.ts'

describe('free times of handlers', () => {
  test.each([1, 2, 3, 16, 17, 100])('are those of a sorted list: %d handlers', (handlers) => {
    fc.assert(
      fc.property(fc.array(fc.nat(50), { maxLength: 400, size: 'max' }), (services) => {
        const heap = createServerHeap(handlers)
        const list = Array.from({ length: handlers }, () => 0)
        for (const serviceUs of services) {
          const least = list[0] ?? Number.NaN
          expect(heap.least()).toBe(least)
          heap.replaceLeast(least + serviceUs)
          list[0] = least + serviceUs
          list.sort((a, b) => a - b)
        }
      }),
      { seed: 1, numRuns: 50 },
    )
  })

  test.each([0, -1, 1.5, Infinity])('are not kept for %d handlers', (handlers) => {
    expect(() => createServerHeap(handlers)).toThrow(
      `handlers are counted in whole numbers from 1 on, not ${handlers}`,
    )
  })
})
