import { expect, test } from 'vitest'
import type { BlockingPolicy } from '../../policies/policy.ts'
import { replay } from '../../replay/replay.ts'
import {
  blockingBy,
  entryOf,
  pollEvery,
  QUIET_AGENT,
  scenarioOf,
  seconds,
  status,
} from '../../testing/scenario.ts'
import { describeMechanism } from '../contract.suite.ts'
import { blockingModel } from './model.ts'

const ALL_AT_ONCE = 'the one reply comes at the end and tells all at once'

describeMechanism<BlockingPolicy>('blocking', {
  'held to the end': { policy: blockingBy(), model: blockingModel, exempt: { ties: ALL_AT_ONCE } },
  'held longer than any job takes': {
    policy: blockingBy({ holdUs: seconds(3000) }),
    model: blockingModel,
    exempt: { ties: ALL_AT_ONCE },
  },
})

test('one request, and the end one way after it happened', async () => {
  const { row } = await replay(scenarioOf({ latencyUs: 50_000 }), entryOf(blockingBy()))
  expect(row).toMatchObject({ outcome: 'learned', requests: 1, timeToLearnMs: 50 })
})

test('a hold that ends before the job leaves it to polls', async () => {
  const chain = {
    kind: 'chain',
    links: [blockingBy({ holdUs: seconds(30) }), pollEvery(seconds(7), seconds(7))],
    recoverUs: undefined,
  } as const
  const { row, records } = await replay(scenarioOf(), entryOf(chain))
  // Polls at 37, 44, … 100 s.
  expect(row).toMatchObject({ outcome: 'learned', requests: 11, polls: 10, timeToLearnMs: 0 })
  expect(records.find(({ kind }) => kind === 'hand-over')).toMatchObject({ atUs: seconds(30), to: 'poll' })
})

test('the agent may hold shorter than it is asked to, or not at all', async () => {
  const scenario = (blocking: typeof QUIET_AGENT.blocking) =>
    scenarioOf({}, { agent: { ...QUIET_AGENT, blocking } })
  const outcome = async (blocking: typeof QUIET_AGENT.blocking) => {
    const { row, records } = await replay(scenario(blocking), entryOf(blockingBy({ holdUs: seconds(60) })))
    return [row.outcome, records.find(({ kind }) => kind === 'gave-up')]
  }
  expect(await outcome({ holdUs: seconds(10) })).toMatchObject(['not-learned', { atUs: seconds(10) }])
  expect(await outcome(false)).toMatchObject(['not-learned', { atUs: 0 }])
})

test('a client that has waited long enough has failed', async () => {
  const scenario = scenarioOf({ updates: [status(seconds(75), 'completed')] })
  const patience = { ...scenario.client, timeoutUs: seconds(60) }
  const { row, records } = await replay({ ...scenario, client: patience }, entryOf(blockingBy()))
  expect(row.outcome).toBe('failed')
  expect(records.find(({ kind }) => kind === 'gave-up')).toMatchObject({ atUs: seconds(60) })
})
