import { expect, test } from 'vitest'
import type { PollPolicy } from '../../policies/policy.ts'
import { replay } from '../../replay/replay.ts'
import { entryOf, pollEvery, scenarioOf, seconds } from '../../testing/scenario.ts'
import { describeMechanism } from '../contract.suite.ts'
import { firstPollUs, nextPollUs } from './policy.ts'

describeMechanism('polling', {
  'every 7 s, first now': pollEvery(seconds(7)),
  'every 7 s, first after it': pollEvery(seconds(7), seconds(7)),
  'every 7 s, counted from the request': { ...(pollEvery(seconds(7)) as PollPolicy), waitFrom: 'request' },
})

const policy: PollPolicy = { kind: 'poll', intervalUs: 7, firstAfterUs: 3, waitFrom: 'response' }

test('the first poll is counted from the reply', () => {
  expect(firstPollUs(policy, 100)).toBe(103)
})

test('the next wait starts at the response', () => {
  expect(nextPollUs(policy, { sentUs: 100, answeredUs: 102 })).toBe(109)
})

test('or at the request, but never before the response', () => {
  const fromRequest: PollPolicy = { ...policy, waitFrom: 'request' }
  expect(nextPollUs(fromRequest, { sentUs: 100, answeredUs: 102 })).toBe(107)
  expect(nextPollUs(fromRequest, { sentUs: 100, answeredUs: 120 })).toBe(120)
})

// From the closed form: the first poll that arrives at or after the end, plus the way back.
test.each([
  { latencyUs: 50_000, first: 'after', lateMs: 6550 },
  { latencyUs: 500_000, first: 'after', lateMs: 4500 },
  { latencyUs: 50_000, first: 'now', lateMs: 6650 },
  { latencyUs: 500_000, first: 'now', lateMs: 5500 },
])(
  '$latencyUs µs one way, first poll $first: $lateMs ms late on the 100 s job',
  async ({ latencyUs, first, lateMs }) => {
    const entry = entryOf(pollEvery(seconds(7), first === 'now' ? 0 : seconds(7)))
    const { row } = await replay(scenarioOf({ latencyUs }), entry)
    expect(row.timeToLearnMs).toBe(lateMs)
  },
)
