import { describe, expect, test } from 'vitest'
import {
  EVENT_LISTS,
  measureList,
  measureListApart,
  measureSimPy,
  type ListName,
  type Measured,
} from './references.ts'

const JOBS = 40_000
const RUN = { jobs: JOBS, seed: 1 }
const LISTS = Object.keys(EVENT_LISTS) as ListName[]

const pollsPerJob = ({ requests, done }: Measured) => requests / done
const meanLatenessS = ({ latenessSumUs, done }: Measured) => latenessSumUs / done / 1e6

/** How far a mean over the jobs may lie from what theory says: four standard errors. */
const withinFourErrors = (mean: number, expected: number, variance: number) =>
  expect(Math.abs(mean - expected)).toBeLessThan(4 * Math.sqrt(variance / JOBS))

describe('W', () => {
  const measured = LISTS.map((name) => measureList(name, 'W', RUN))

  // Lengths with mean m polled at interval I, q = exp(-I/m): 1/(1-q) polls, I/(1-q) - m lateness.
  test.each(measured)('comes out as theory says', (outcome) => {
    expect(outcome.done).toBe(JOBS)
    withinFourErrors(pollsPerJob(outcome), 3.38625, 8.08044)
    withinFourErrors(meanLatenessS(outcome), 3.703751, 4.058444)
    expect(Math.abs(outcome.latenessP95Ms - 6702)).toBeLessThan(30)
  })

  test('is the same in a process of its own', () => {
    const apart = measureListApart('flatqueue', 'W', { jobs: 1000, seed: 3 })
    const here = measureList('flatqueue', 'W', { jobs: 1000, seed: 3 })
    expect({ ...apart, nsPerEvent: 0 }).toEqual({ ...here, nsPerEvent: 0 })
    expect(apart.nsPerEvent).toBeGreaterThan(0)
  })

  test('is the same whatever list it runs on', () => {
    const told = measured.map((outcome) => ({ ...outcome, nsPerEvent: undefined }))
    expect(told).toEqual(told.map(() => told[0]))
  })
})

// A cycle takes 0.1 s more for the way; service and line add some 5 ms and a little.
const expectQ = (outcome: Measured) => {
  expect(outcome.done).toBe(JOBS)
  expect(outcome.events).toBe(JOBS + 4 * outcome.requests)
  withinFourErrors(pollsPerJob(outcome), 3.3515, 8.1)
  withinFourErrors(meanLatenessS(outcome), 3.807, 4.2)
}

describe('Q', () => {
  test.each(LISTS)('comes out as theory says on %s', (name) => expectQ(measureList(name, 'Q', RUN)))
})

describe('SimPy', () => {
  const [w, q] = [measureSimPy('W', RUN), measureSimPy('Q', RUN)]

  test.skipIf(typeof w === 'string')('tells the same of W', () => {
    const outcome = w as Measured
    expect(outcome.done).toBe(JOBS)
    withinFourErrors(pollsPerJob(outcome), 3.38625, 8.08044)
    withinFourErrors(meanLatenessS(outcome), 3.703751, 4.058444)
  })

  test.skipIf(typeof q === 'string')('tells the same of Q', () => expectQ(q as Measured))

  test('says why it is left out, where it is', () => {
    for (const told of [w, q]) if (typeof told === 'string') expect(told).toMatch(/^skipped: /)
  })
})
