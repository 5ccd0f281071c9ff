import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fixed } from '../kernel/distribution.ts'
import { pollingModel } from '../mechanisms/polling/model.ts'
import type { Waits } from '../policies/backoff.ts'
import type { PollPolicy } from '../policies/policy.ts'
import { firstPollFrom, fixedSchedule, pollAtUs, pollsIn } from './schedule.ts'
import { pollsOfW } from './workloads.ts'

const us = (max: number) => fc.integer({ min: 0, max })

const waits: fc.Arbitrary<Waits> = fc.oneof(
  us(2000).map((interval): Waits => ({ of: 'interval', interval: fixed(interval) })),
  fc.record({
    of: fc.constant('growing' as const),
    initialUs: us(500),
    multiplier: fc.constantFrom(1, 1.5, 2, 3),
    maxUs: fc.option(us(3000), { nil: undefined }),
  }),
  fc.record({
    of: fc.constant('list' as const),
    delaysUs: fc.array(us(1500), { minLength: 1, maxLength: 4 }),
    last: fc.constantFrom('repeats' as const, 'ends' as const),
  }),
)

/** Everything that leaves polls fixed; some of it makes them end, or fall together. */
const policies: fc.Arbitrary<PollPolicy> = fc
  .record({
    waits,
    first: fc.oneof(
      fc.constantFrom('now' as const, 'after' as const, 'hint' as const),
      us(3000).map((first) => fixed(first)),
    ),
    waitFrom: fc.constantFrom('response' as const, 'request' as const),
    minUs: fc.option(us(400), { nil: undefined }),
    maxUs: fc.option(us(2500), { nil: undefined }),
    attempts: fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined }),
    budgetUs: fc.option(us(9000), { nil: undefined }),
    lastLookUs: fc.option(us(2000), { nil: undefined }),
    hint: fc.constantFrom('ignore' as const, 'interval' as const, 'floor' as const, 'cap' as const),
    margin: fc.constantFrom(1, 1.25),
    adapts: fc.boolean(),
  })
  .map(({ adapts, lastLookUs, ...rest }) => ({
    ...pollsOfW(),
    ...rest,
    lastLookUs: rest.budgetUs === undefined ? undefined : lastLookUs,
    adapt: adapts
      ? { news: { of: 'reset' }, quiet: { of: 'times', factor: 1.5 }, minUs: 10, maxUs: 3000 }
      : undefined,
  }))

test('a table of polls is what the schedule does in a quiet world', () => {
  let found = 0
  const property = fc.property(
    policies,
    us(300),
    us(300),
    fc.option(us(1500), { nil: undefined }),
    fc.option(us(20_000), { nil: undefined }),
    fc.integer({ min: 1, max: 25_000 }),
    (policy, upUs, downUs, hintUs, endUs, horizonUs) => {
      // Hints that change once.
      const hintUsAt = (ageUs: number) => (ageUs < 4000 ? hintUs : hintUs === undefined ? undefined : 700)
      const schedule = fixedSchedule(policy, {
        upUs,
        downUs,
        asksAt: (ageUs) => ({ hintUs: hintUsAt(ageUs), retryAfterUs: undefined }),
        asksSettleUs: 4000,
        hasUpdates: false,
        horizonUs,
      })
      if (schedule === undefined) return
      found += 1
      const random = () => ({
        nextFloat: () => expect.unreachable('nothing is left to chance'),
        nextUint32: () => expect.unreachable('nothing is left to chance'),
      })
      const updatesUs = endUs === undefined ? [] : [endUs]
      const { requests, learnedUs } = pollingModel(policy, {
        updatesUs,
        endUs,
        upUs,
        downUs,
        horizonUs,
        hintUsAt,
        random,
      })
      const made = Math.min(
        firstPollFrom(schedule, endUs ?? Infinity) + 1,
        pollsIn(schedule),
        firstPollFrom(schedule, upUs + downUs < horizonUs ? horizonUs : 0),
      )
      const polls = requests.slice(1).map(({ startUs }) => startUs)
      expect(Array.from({ length: made }, (_, poll) => pollAtUs(schedule, poll))).toEqual(polls)
      const seenBy = firstPollFrom(schedule, endUs ?? Infinity)
      const seenUs = pollAtUs(schedule, seenBy) + upUs + downUs
      expect(seenUs < horizonUs ? seenUs : undefined).toBe(learnedUs)
    },
  )
  fc.assert(property, { seed: 1, numRuns: 2000 })
  expect(found).toBeGreaterThan(1000)
})

test('what is left to chance is no fixed schedule', () => {
  const world = {
    upUs: 0,
    downUs: 0,
    asksAt: () => ({ hintUs: undefined, retryAfterUs: undefined }),
    asksSettleUs: 0,
    hasUpdates: true,
    horizonUs: 1e9,
  }
  const of = (policy: Partial<PollPolicy>) => fixedSchedule({ ...pollsOfW(), ...policy }, world)
  expect(of({})).toBeDefined()
  expect(of({ jitter: { of: 'full' } })).toBeUndefined()
  expect(of({ first: 'random' })).toBeUndefined()
  expect(of({ first: { of: 'uniform', fromUs: 0, toUs: 5 } })).toBeUndefined()
  expect(of({ waits: { of: 'interval', interval: { of: 'exponential', meanUs: 5 } } })).toBeUndefined()
  expect(of({ scope: 'client' })).toBeUndefined()
  const adapt = { news: { of: 'reset' }, quiet: { of: 'plus', us: 5 }, minUs: 1, maxUs: 9 } as const
  expect(of({ adapt })).toBeUndefined()
})
