import { expect, test } from 'vitest'
import { entryOf, pushBy, QUIET_RECEIVER, scenarioOf, seconds, status } from '../testing/scenario.ts'
import { replay } from './replay.ts'

const updates = [status(seconds(5), 'working'), status(seconds(20), 'completed')]

test.each([
  [204, 'learned', 0],
  [200, 'learned', 0],
  [500, 'not-learned', 4],
  [404, 'not-learned', 4],
])('a receiver that answers %d: %s, %d retries', async (answer, outcome, retries) => {
  const scenario = scenarioOf({ updates }, { receiver: { ...QUIET_RECEIVER, answer } })
  const { row } = await replay(scenario, entryOf(pushBy()))
  expect(row).toMatchObject({ outcome, retries })
})
