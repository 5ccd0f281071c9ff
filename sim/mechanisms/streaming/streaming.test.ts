import { describe, expect, test } from 'vitest'
import type { Hop } from '../../policies/middlebox.ts'
import type { Policy, StreamPolicy } from '../../policies/policy.ts'
import { replay } from '../../replay/replay.ts'
import type { Scenario } from '../../scenario/scenario.ts'
import {
  backoffOf,
  entryOf,
  every,
  jobOf,
  pathOf,
  scenarioOf,
  seconds,
  status,
  streamBy,
} from '../../testing/scenario.ts'
import { describeMechanism } from '../contract.suite.ts'
import { streamingModel } from './model.ts'

const reconnect = backoffOf(every(seconds(3)))
const heartbeat = { everyUs: seconds(15), octets: 8, when: 'always' } as const

describeMechanism('streaming', {
  plain: { policy: streamBy(), model: streamingModel },
  reconnecting: { policy: streamBy({ reconnect }), model: streamingModel, recovers: 'cuts' },
  'watched, with heartbeats': {
    policy: streamBy({ reconnect, heartbeat, watchdogUs: seconds(40) }),
    recovers: 'silence',
  },
  'resuming with a cursor': { policy: streamBy({ reconnect, resume: 'cursor' }), recovers: 'cuts' },
  'resuming live': { policy: streamBy({ reconnect, resume: 'live' }), recovers: 'cuts' },
})

const silentFor = (lengthS: number, hop: Partial<Hop>, more: Partial<Scenario> = {}) =>
  scenarioOf(
    { updates: [status(seconds(lengthS), 'completed')] },
    { network: { ...pathOf(), hops: [hopOf(hop)] }, ...more },
  )

const hopOf = (more: Partial<Hop>): Hop => ({
  name: 'hop',
  idleUs: undefined,
  firstByteUs: undefined,
  lifetimeUs: undefined,
  cut: 'close',
  connections: undefined,
  full: { answer: 503, retryAfterUs: undefined },
  bufferOctets: undefined,
  ...more,
})

const rowOf = async (scenario: Scenario, policy: Policy) => (await replay(scenario, entryOf(policy))).row

test('each update is learned one way after it happened', async () => {
  const row = await rowOf(scenarioOf({ latencyUs: 50_000 }), streamBy())
  expect(row).toMatchObject({ requests: 1, streamEvents: 6, latenessMs: { mean: 50, max: 50 } })
})

test('a card without streaming is a failure by name, not a blocking send', async () => {
  const scenario = scenarioOf()
  const row = await rowOf({ ...scenario, agent: { ...scenario.agent, streaming: false } }, streamBy())
  expect(row).toMatchObject({
    outcome: 'failed',
    reason: "the agent's card does not offer streaming",
    requests: 0,
  })
})

describe('nginx cuts what is silent for 60 s, and a job is for 90 s', () => {
  const scenario = silentFor(90, { name: 'nginx', idleUs: seconds(60) })

  test('who does not reconnect never learns', async () => {
    expect(await rowOf(scenario, streamBy())).toMatchObject({
      outcome: 'not-learned',
      reason: 'the stream ended before the task did',
      cuts: 1,
    })
  })

  test('who reconnects after 3 s learns in time, on the second connection', async () => {
    expect(await rowOf(scenario, streamBy({ reconnect }))).toMatchObject({
      learnedAtMs: 90_000,
      reconnects: 1,
      blindTimeMs: 3000,
      connections: { opened: 2 },
    })
  })

  test('heartbeats each 15 s keep the first alive', async () => {
    expect(await rowOf(scenario, streamBy({ reconnect, heartbeat }))).toMatchObject({
      learnedAtMs: 90_000,
      heartbeats: 5,
      connections: { opened: 1 },
    })
  })
})

test('30 s of life and a job of 600 s: 19 connections and 54 s blind, heartbeats or not', async () => {
  const scenario = silentFor(600, { name: 'gcp-lb', lifetimeUs: seconds(30) })
  for (const policy of [streamBy({ reconnect }), streamBy({ reconnect, heartbeat })])
    expect(await rowOf(scenario, policy)).toMatchObject({
      connections: { opened: 19 },
      reconnects: 18,
      blindTimeMs: 54_000,
      timeToLearnMs: 0,
    })
})

test('a task that ended in a gap is not streamed any more: the client looks once', async () => {
  const row = await rowOf(silentFor(61, { idleUs: seconds(60) }), streamBy({ reconnect }))
  expect(row).toMatchObject({ learnedAtMs: 63_000, requests: 3, polls: 1 })
})

describe('a question in the middle', () => {
  const asking = (closeOnInput: boolean, policy: StreamPolicy, faults: Scenario['faults'] = []) => {
    const scenario = scenarioOf({ horizonUs: seconds(3600) })
    const { streaming } = scenario.agent
    const job = {
      ...jobOf([status(seconds(10), 'input-required', 'Which year?')]),
      afterPauses: [
        {
          resumeAfterUs: seconds(30),
          content: { text: '2024' },
          updates: [status(seconds(20), 'completed')],
        },
      ],
      durationUs: seconds(60),
    }
    return rowOf(
      {
        ...scenario,
        job,
        faults,
        agent: { ...scenario.agent, streaming: streaming && { ...streaming, closeOnInput } },
      },
      policy,
    )
  }

  test.each([true, false])(
    'is answered on a new stream, whether the first stays open or not (%s)',
    async (close) => {
      expect(await asking(close, streamBy())).toMatchObject({ learnedAtMs: 60_000, requests: 2, polls: 0 })
    },
  )

  test('and another after it are both answered', async () => {
    const leg = (updates: Scenario['job']['updates']) => ({
      resumeAfterUs: seconds(5),
      content: { text: 'yes' },
      updates,
    })
    const job = {
      ...jobOf([status(seconds(10), 'input-required', 'Which year?')]),
      afterPauses: [
        leg([status(seconds(10), 'input-required', 'Which month?')]),
        leg([status(seconds(10), 'completed')]),
      ],
      durationUs: seconds(40),
    }
    const scenario = { ...scenarioOf({ horizonUs: seconds(3600) }), job }
    expect(await rowOf(scenario, streamBy())).toMatchObject({ learnedAtMs: 40_000, requests: 3 })
  })

  test('is answered later if the agent is away just then', async () => {
    const away = { of: 'down', host: 'agent' } as const
    const faults = [{ effect: away, when: { of: 'once', fromUs: seconds(35), toUs: seconds(50) } }] as const
    expect(await asking(true, streamBy({ reconnect }), faults)).toMatchObject({ learnedAtMs: 72_000 })
    expect(await asking(true, streamBy(), faults)).toMatchObject({ outcome: 'not-learned' })
  })
})

test('the first opening is governed by the reconnect policy, as long as no task can have begun', async () => {
  const scenario = scenarioOf(
    { updates: [status(seconds(20), 'completed')] },
    {
      faults: [
        {
          effect: { of: 'answer', status: 503, retryAfterUs: seconds(5), operations: undefined },
          when: { of: 'once', fromUs: 0, toUs: seconds(7) },
        },
      ],
    },
  )
  expect(await rowOf(scenario, streamBy({ reconnect }))).toMatchObject({ requests: 3, learnedAtMs: 30_000 })
  expect(await rowOf(scenario, streamBy({ reconnect, retryAfter: 'ignore' }))).toMatchObject({
    requests: 4,
    learnedAtMs: 29_000,
  })
  expect(await rowOf(scenario, streamBy())).toMatchObject({ outcome: 'not-learned', requests: 1 })
})
