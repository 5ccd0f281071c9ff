import { describe, expect, test } from 'vitest'
import type { PushPolicy } from '../../policies/policy.ts'
import { replay } from '../../replay/replay.ts'
import type { Fault, Scenario } from '../../scenario/scenario.ts'
import {
  backoffOf,
  chunk,
  entryOf,
  every,
  HUNDRED_SECONDS,
  listOf,
  pushBy,
  QUIET_AGENT,
  QUIET_RECEIVER,
  scenarioOf,
  seconds,
  status,
} from '../../testing/scenario.ts'
import { describeMechanism } from '../contract.suite.ts'
import { pushModel } from './model.ts'
import { deliveredAfterUs } from './theory.ts'

const registeredLate = pushBy({ register: 'after-reply' })
const ofTheEnd = pushBy({ get: 'final', sending: { events: 'final' } })
const OUT_OF_ORDER = 'GetTask brings what came before a post only after it; see below'

const patient = { retry: backoffOf(every(seconds(5))) }

describeMechanism('push', {
  plain: { policy: pushBy(), model: pushModel },
  'from a sender that goes on trying': { policy: pushBy({ sending: patient }), recovers: 'silence' },
  'registered after the reply': {
    policy: registeredLate,
    model: pushModel,
    exempt: { 'learns all': OUT_OF_ORDER },
  },
  'then GetTask for the whole at the end': { policy: pushBy({ get: 'final' }), model: pushModel },
  'then GetTask for the whole at each post': { policy: pushBy({ get: 'each' }), model: pushModel },
  'of nothing but the end, then GetTask': {
    policy: ofTheEnd,
    model: pushModel,
    exempt: { 'learns all': OUT_OF_ORDER, ties: 'what came before the end is learned after it' },
  },
})

test('one request and a post for each update; the reply is not posted', async () => {
  const { row } = await replay(scenarioOf(), entryOf(pushBy()))
  expect(row).toMatchObject({ requests: 1, webhookPosts: 5, retries: 0, timeToLearnMs: 0 })
})

test('three posts at one instant are three occasions to ask, however soon the answer comes', async () => {
  for (const latencyUs of [0, 50_000]) {
    const { row } = await replay(scenarioOf({ latencyUs }), entryOf(pushBy({ get: 'each' })))
    expect(row).toMatchObject({ webhookPosts: 5, polls: 5 })
  }
})

test('a card without push is a failure by name', async () => {
  const scenario = scenarioOf({}, { agent: { ...QUIET_AGENT, push: false } })
  const { row } = await replay(scenario, entryOf(pushBy()))
  expect(row).toMatchObject({ outcome: 'failed', requests: 0 })
  expect(row.reason).toContain('push notifications')
})

test.each([
  ['registered after the reply', registeredLate],
  ['told of nothing but the end', ofTheEnd],
])('%s, the client still learns all', async (_, policy) => {
  for (const latencyUs of [0, 50_000, seconds(15)])
    for (const updates of [HUNDRED_SECONDS, [chunk(seconds(1), 'report'), status(seconds(31), 'failed')]]) {
      const { row } = await replay(scenarioOf({ updates, latencyUs }), entryOf(policy))
      expect(row.updates).toMatchObject({ lost: 0, happened: updates.length })
      expect(row.outcome).toBe('learned')
    }
})

test('a job that ends between reply and registration is posted to nobody, and learned all the same', async () => {
  const short = scenarioOf({ updates: [status(seconds(1), 'completed')], latencyUs: seconds(1) })
  const { row } = await replay(short, entryOf(pushBy({ register: 'after-reply' })))
  // The third round trip brings it: 6 s, of which the job took 1 s + 1 s.
  expect(row).toMatchObject({ outcome: 'learned', requests: 3, webhookPosts: 0, timeToLearnMs: 4000 })
})

describe('a receiver that is down from the end of the job on', () => {
  const JOB_US = seconds(600)
  const SENDERS = {
    standard: listOf(...[5, 300, 1800, 7200, 18_000, 36_000].map(seconds)),
    slack: listOf(...[0, 60, 240].map(seconds)),
    sns: listOf(...[20, 20, 20].map(seconds)),
  }

  const down = (forUs: number, effect: Fault['effect']): Scenario =>
    scenarioOf(
      { updates: [status(JOB_US, 'completed')], horizonUs: seconds(3 * 86_400) },
      {
        receiver: QUIET_RECEIVER,
        faults: [{ effect, when: { of: 'once', fromUs: JOB_US, toUs: JOB_US + forUs } }],
      },
    )

  const timeToLearnUs = async (scenario: Scenario, policy: PushPolicy) => {
    const { row } = await replay(scenario, entryOf(policy))
    return row.timeToLearnMs === null ? undefined : row.timeToLearnMs * 1000
  }

  const CASES = [30, 600, 3600, 28_800].flatMap((downS) =>
    Object.entries(SENDERS).map(([sender, waits]) => ({ downUs: seconds(downS), sender, waits })),
  )

  test.each(CASES)('refused for $downUs µs, as theory has it: $sender', async ({ downUs, waits }) => {
    const retry = backoffOf(waits)
    const refused = down(downUs, { of: 'down', host: 'receiver' })
    expect(await timeToLearnUs(refused, pushBy({ sending: { retry } }))).toBe(
      deliveredAfterUs(retry, { downUs, failsAfterUs: 0 }),
    )
  })

  test.each(CASES)('silent for $downUs µs, as theory has it: $sender', async ({ downUs, waits }) => {
    const retry = backoffOf(waits)
    const timeoutUs = seconds(15)
    const silent = down(downUs, { of: 'partition', link: 'receiver' })
    expect(await timeToLearnUs(silent, pushBy({ sending: { retry, timeoutUs } }))).toBe(
      deliveredAfterUs(retry, { downUs, failsAfterUs: timeoutUs }),
    )
  })
})
