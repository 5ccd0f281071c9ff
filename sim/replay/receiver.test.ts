import { expect, test } from 'vitest'
import { fixed } from '../kernel/distribution.ts'
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

test('what a post taught names the post, also once its sender had given it up', async () => {
  // Worked on for 12 s, given up after 10 s.
  const receiver = { ...QUIET_RECEIVER, service: fixed(seconds(12)) }
  const { records, row } = await replay(scenarioOf({ updates }, { receiver }), entryOf(pushBy()))
  const taught = records.filter((record) => record.kind === 'learned')
  expect(taught).toMatchObject([
    { atUs: seconds(17), by: 'push', exchange: 2 },
    { atUs: seconds(50), by: 'push', exchange: 5 },
  ])
  const posts = records.filter((record) => record.kind === 'exchange').filter(({ to }) => to === 'receiver')
  expect(posts.map(({ number, startUs }) => [number, startUs / seconds(1)])).toEqual([
    [2, 5],
    [3, 16],
    [4, 28],
    [5, 38],
    [6, 49],
    [7, 61],
  ])
  const inVain = posts.filter(({ number }) => number !== 2 && number !== 5)
  expect(row.octets.waste).toBe(
    inVain.reduce((sum, { octets }) => sum + octets.requestHead + octets.requestBody, 0),
  )
})
