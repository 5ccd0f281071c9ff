import { expect, test } from 'vitest'
import { eventsOf } from '../metrics/events.ts'
import type { ClientLimits } from '../policies/middlebox.ts'
import { entryOf, scenarioOf, seconds, status, streamBy } from '../testing/scenario.ts'
import { replay } from './replay.ts'

/** When a client with such a clock and such limits loses patience with a stream that is silent after its begin. */
async function cutUs(rate: number, limits: Partial<ClientLimits>): Promise<number | undefined> {
  const quiet = scenarioOf({ updates: [status(0, 'working'), status(seconds(60), 'completed')] })
  const scenario = {
    ...quiet,
    client: { ...quiet.client, ...limits, clock: { rate, offsetUs: seconds(-2) } },
  }
  const { records } = await replay(scenario, entryOf(streamBy()))
  return eventsOf(records).find(({ event }) => event === 'cut')?.atUs
}

test.each([
  ['idle', { idleUs: seconds(5) }],
  ['timeout', { timeoutUs: seconds(5) }],
])('a client measures its limits by its own clock: %s', async (_name, limits) => {
  expect(await cutUs(1, limits)).toBe(5_000_000)
  expect(await cutUs(1.1, limits)).toBe(4_545_455)
  expect(await cutUs(0.8, limits)).toBe(6_250_000)
})

test('so does it with the first octet of an answer', async () => {
  const updates = [status(0, 'working'), status(seconds(60), 'completed')]
  const quiet = scenarioOf({ updates, latencyUs: seconds(4) })
  const scenario = {
    ...quiet,
    client: { ...quiet.client, firstByteUs: seconds(5), clock: { rate: 1.1, offsetUs: 0 } },
  }
  const { records } = await replay(scenario, entryOf(streamBy()))
  expect(eventsOf(records)).toContainEqual({ atUs: 4_545_455, event: 'cut' })
})
