import { expect, test } from 'vitest'
import { replay } from '../../replay/replay.ts'
import { entryOf, pushBy, scenarioOf } from '../../testing/scenario.ts'
import { describeMechanism } from '../contract.suite.ts'

describeMechanism('push', { plain: pushBy() })

test('one request and a post for each update; the reply is not posted', async () => {
  const { row } = await replay(scenarioOf(), entryOf(pushBy()))
  expect(row).toMatchObject({ requests: 1, webhookPosts: 5, retries: 0, timeToLearnMs: 0 })
})

test('a card without push is a failure by name', async () => {
  const scenario = scenarioOf()
  const { row } = await replay({ ...scenario, agent: { ...scenario.agent, push: false } }, entryOf(pushBy()))
  expect(row).toMatchObject({ outcome: 'failed', requests: 0 })
  expect(row.reason).toContain('push notifications')
})
