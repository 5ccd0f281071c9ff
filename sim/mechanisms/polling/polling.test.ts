import { expect, test } from 'vitest'
import { replay } from '../../replay/replay.ts'
import { backoffOf, entryOf, every, pollBy, pollEvery, scenarioOf, seconds } from '../../testing/scenario.ts'
import { describeMechanism } from '../contract.suite.ts'

const every7 = pollEvery(seconds(7))

describeMechanism('polling', {
  'every 7 s, first now': every7,
  'every 7 s, first after it': pollEvery(seconds(7), seconds(7)),
  'every 7 s, counted from the request': pollBy(every(seconds(7)), { waitFrom: 'request' }),
  'every 7 s, with all that is off by default': pollBy(every(seconds(3.5)), {
    margin: 2,
    hint: 'floor',
    slowDown: { addUs: seconds(5), multiply: 1, giveUpAt: 2 },
    onError: backoffOf(every(seconds(1)), { attempts: 3 }),
    adapt: { news: { of: 'reset' }, quiet: { of: 'times', factor: 1 }, minUs: undefined, maxUs: undefined },
    conditional: true,
    timeoutUs: seconds(30),
    attempts: 1000,
  }),
})

// From the closed form: the first poll that arrives at or after the end, plus the way back.
test.each([
  { latencyUs: 50_000, first: 'after', lateMs: 6550 },
  { latencyUs: 500_000, first: 'after', lateMs: 4500 },
  { latencyUs: 50_000, first: 'now', lateMs: 6650 },
  { latencyUs: 500_000, first: 'now', lateMs: 5500 },
] as const)(
  '$latencyUs µs one way, first poll $first: $lateMs ms late on the 100 s job',
  async ({ latencyUs, first, lateMs }) => {
    const { row } = await replay(scenarioOf({ latencyUs }), entryOf({ ...every7, first }))
    expect(row.timeToLearnMs).toBe(lateMs)
  },
)
