import { expect, test } from 'vitest'
import { replay } from '../../replay/replay.ts'
import { entryOf, scenarioOf } from '../../testing/scenario.ts'
import { describeMechanism } from '../contract.suite.ts'

describeMechanism('streaming', { plain: { kind: 'stream' } })

test('each update is learned one way after it happened', async () => {
  const { row } = await replay(scenarioOf({ latencyUs: 50_000 }), entryOf({ kind: 'stream' }))
  expect(row).toMatchObject({ requests: 1, streamEvents: 6, latenessMs: { mean: 50, max: 50 } })
})

test('a card without streaming is a failure by name, not a blocking send', async () => {
  const scenario = scenarioOf()
  const { row } = await replay(
    { ...scenario, agent: { ...scenario.agent, streaming: false } },
    entryOf({ kind: 'stream' }),
  )
  expect(row).toMatchObject({
    outcome: 'failed',
    reason: "the agent's card does not offer streaming",
    requests: 0,
  })
})
