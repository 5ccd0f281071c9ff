import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ageOf } from './age.ts'
import type { UpdateFate } from './learning.ts'
import { stalenessOf } from './staleness.ts'

const fate = (happenedUs: number, learnedUs: number | undefined): UpdateFate => ({
  update: 0,
  happenedUs,
  learnedUs,
  terminal: false,
  coalesced: false,
  messageLost: false,
})
const span = (fromUs: number, untilUs: number) => ({ fromUs, untilUs })

describe('age of information', () => {
  test('grows by itself, and falls to the age of what was just learned', () => {
    // 0 to 4 while only the send is known; 2 to 8 with the update of 2; nothing of the end, which ends the span.
    const age = ageOf([fate(2, 4), fate(10, 10)], span(0, 10))
    expect(age).toEqual({ meanUs: (4 * 2 + 6 * 5) / 10, maxUs: 8 })
  })

  test('counts from the send, and does not fall for what is older than what is known', () => {
    expect(ageOf([], span(5, 15))).toEqual({ meanUs: 5, maxUs: 10 })
    const outOfOrder = [fate(1, 6), fate(4, 5)]
    expect(ageOf(outOfOrder, span(0, 10))).toEqual({ meanUs: (5 * 2.5 + 5 * 3.5) / 10, maxUs: 6 })
  })

  test('of no time there is no average', () => {
    expect(ageOf([fate(0, 0)], span(3, 3))).toBeUndefined()
  })
})

describe('staleness', () => {
  test('is 0 until something happens that is not known, and again once all is', () => {
    expect(stalenessOf([fate(2, 5), fate(8, 9)], span(0, 10))).toEqual({
      meanUs: (3 * 1.5 + 1 * 0.5) / 10,
      maxUs: 3,
      fresh: 0.6,
    })
  })

  test('counts from the first update that is not known, whatever else is learned meanwhile', () => {
    // The chunk of 1 comes at 9, after the status of 3: wrong since 1, then since 4 until 10.
    expect(stalenessOf([fate(1, 9), fate(3, 5), fate(4, 10)], span(0, 10))).toEqual({
      meanUs: (8 * 4 + 1 * 5.5) / 10,
      maxUs: 8,
      fresh: 0.1,
    })
  })

  test('what is lost keeps the copy wrong to the end', () => {
    expect(stalenessOf([fate(4, undefined), fate(6, 6)], span(0, 10))).toEqual({
      meanUs: (6 * 3) / 10,
      maxUs: 6,
      fresh: 0.4,
    })
  })
})

/** Looks at every whole instant, in the words of the definitions. */
function byLooking(fates: readonly UpdateFate[], untilUs: number) {
  const sum = { age: 0, stale: 0, fresh: 0 }
  for (let t = 0; t < untilUs; t++) {
    // In the middle, so that the sum over a straight line is its area.
    const now = t + 0.5
    const known = fates.filter(({ learnedUs }) => learnedUs !== undefined && learnedUs < now)
    const missing = fates.filter((one) => one.happenedUs < now && !known.includes(one))
    sum.age += now - Math.max(0, ...known.map(({ happenedUs }) => happenedUs))
    if (missing.length === 0) sum.fresh++
    else sum.stale += now - Math.min(...missing.map(({ happenedUs }) => happenedUs))
  }
  return sum
}

test('both agree with looking at every instant', () => {
  const anyFates = fc
    .array(fc.tuple(fc.nat(20), fc.option(fc.nat(15), { nil: undefined })), { maxLength: 6 })
    .map((pairs) =>
      pairs
        .toSorted(([a], [b]) => a - b)
        .map(([at, late]) => fate(at, late === undefined ? undefined : at + late)),
    )
  fc.assert(
    fc.property(anyFates, fc.integer({ min: 1, max: 30 }), (fates, untilUs) => {
      const looked = byLooking(fates, untilUs)
      expect(ageOf(fates, span(0, untilUs))?.meanUs).toBeCloseTo(looked.age / untilUs, 9)
      const staleness = stalenessOf(fates, span(0, untilUs))
      expect(staleness?.meanUs).toBeCloseTo(looked.stale / untilUs, 9)
      expect(staleness?.fresh).toBeCloseTo(looked.fresh / untilUs, 9)
    }),
    { seed: 1, numRuns: 300 },
  )
})
