/** Chains and combinations of the real parts, as people use them. */
import { describe, expect, test } from 'vitest'
import { fixed } from '../../kernel/distribution.ts'
import type { Hop } from '../../policies/middlebox.ts'
import type { ChainPolicy, Policy, SinglePolicy, TogetherPolicy } from '../../policies/policy.ts'
import { replay } from '../../replay/replay.ts'
import type { Fault, FaultEffect, Scenario } from '../../scenario/scenario.ts'
import {
  backoffOf,
  blockingBy,
  chunk,
  entryOf,
  every,
  listOf,
  pathOf,
  pollEvery,
  pushBy,
  QUIET_RECEIVER,
  scenarioOf,
  seconds,
  status,
  streamBy,
} from '../../testing/scenario.ts'
import { describeMechanism } from '../contract.suite.ts'
import type { Model } from '../model.ts'
import { modelOf } from '../models.ts'

const chain = (...links: SinglePolicy[]): ChainPolicy => ({ kind: 'chain', links, recoverUs: undefined })
const together = (...parts: TogetherPolicy['parts'][number][]): TogetherPolicy => ({
  kind: 'together',
  parts,
})

const patientPoll = { ...pollEvery(seconds(7)), timeoutUs: seconds(5) }
const reconnecting = streamBy({ reconnect: backoffOf(every(seconds(3))) })

const model: Model<Policy> = (policy, world) => (modelOf(policy) as Model<Policy>)(policy, world)
const endsOthers = { 'ends all it began': 'whoever learns first ends the others, whatever they are doing' }

describeMechanism<Policy>('a hybrid', {
  'a send held for a while, then poll': {
    policy: chain(blockingBy({ holdUs: seconds(14) }), patientPoll),
    model,
  },
  'stream, then poll': { policy: chain(streamBy(), patientPoll), model, recovers: 'cuts' },
  'a watchful stream, then poll': {
    policy: chain(streamBy({ watchdogUs: seconds(7) }), patientPoll),
    model,
    exempt: { 'ends all it began': 'the watchdog breaks off what is merely silent' },
  },
  'stream, resubscribe twice, then poll': {
    policy: chain(streamBy({ reconnect: backoffOf(listOf(seconds(1), seconds(2))) }), patientPoll),
    recovers: 'cuts',
  },
  'stream beside a safety poll': {
    policy: together(reconnecting, patientPoll),
    model,
    recovers: 'silence',
    exempt: endsOthers,
  },
  'push beside a safety poll': {
    policy: together(pushBy(), patientPoll),
    model,
    recovers: 'silence',
    exempt: endsOthers,
  },
  'a chain beside push': {
    policy: together(chain(streamBy({ watchdogUs: seconds(7) }), patientPoll), pushBy()),
    model,
    exempt: endsOthers,
  },
  'stream with push beside it': {
    policy: together(streamBy(), pushBy()),
    model,
    exempt: endsOthers,
  },
})

const downDuring = (host: 'receiver' | 'agent', fromS: number, toS: number): Fault => ({
  effect: { of: 'down', host },
  when: { of: 'once', fromUs: seconds(fromS), toUs: seconds(toS) },
})
const once = (effect: FaultEffect, atS: number): Fault => ({
  effect,
  when: { of: 'once', fromUs: seconds(atS), toUs: seconds(atS) },
})

const play = (policy: Policy, lengthS: number, more: Partial<Scenario> = {}) =>
  replay(
    scenarioOf({ updates: [status(seconds(lengthS), 'completed')], horizonUs: seconds(40_000) }, more),
    entryOf(policy),
  )

const handOvers = ({ records }: Awaited<ReturnType<typeof play>>) =>
  records.flatMap((record) =>
    record.kind === 'hand-over' ? [`${record.atUs / seconds(1)}s ${record.to}: ${record.reason}`] : [],
  )

const nginx: Hop = {
  name: 'nginx',
  idleUs: seconds(60),
  firstByteUs: undefined,
  lifetimeUs: undefined,
  cut: 'close',
  connections: undefined,
  full: { answer: 503, retryAfterUs: undefined },
  bufferOctets: undefined,
}
const behindNginx = { network: { ...pathOf(), hops: [nginx] } }

describe('stream, and if that fails something else', () => {
  test('poll: from the cut on, each 30 s', async () => {
    const result = await play(chain(streamBy(), pollEvery(seconds(30), seconds(30))), 100, behindNginx)
    expect(handOvers(result)).toEqual(['60s poll: the stream ended before the task did'])
    expect(result.row).toMatchObject({ learnedAtMs: 120_000, polls: 2 })
  })

  test('push: the webhook is registered on the task that is under way', async () => {
    const result = await play(chain(streamBy(), pushBy()), 100, behindNginx)
    expect(handOvers(result)).toEqual(['60s push: the stream ended before the task did'])
    expect(result.row).toMatchObject({ learnedAtMs: 100_000, webhookPosts: 1 })
  })

  test('resubscribe a few times, then poll', async () => {
    const policy = chain(
      streamBy({ reconnect: backoffOf(listOf(seconds(1), seconds(2))) }),
      pollEvery(seconds(10)),
    )
    const away = { faults: [once({ of: 'cut', how: 'reset' }, 50), downDuring('agent', 50, 75)] }
    const result = await play(policy, 60, away)
    expect(handOvers(result)).toEqual(['53s poll: the client reconnected twice in vain'])
    expect(result.row).toMatchObject({ outcome: 'learned', learnedAtMs: 83_000 })
  })

  test('back to the stream after a while', async () => {
    const policy = { ...chain(streamBy(), pollEvery(seconds(30), seconds(30))), recoverUs: seconds(45) }
    const result = await play(policy, 140, behindNginx)
    expect(handOvers(result)).toEqual([
      '60s poll: the stream ended before the task did',
      '105s stream: 45 s have passed',
    ])
    expect(result.row).toMatchObject({ learnedAtMs: 140_000 })
  })

  test('a card without streaming: the next makes the send', async () => {
    const { agent } = scenarioOf()
    const result = await play(chain(streamBy(), pollEvery(seconds(7))), 14, {
      agent: { ...agent, streaming: false },
    })
    expect(handOvers(result)).toEqual(["0s poll: the agent's card does not offer streaming"])
    expect(result.row).toMatchObject({ requests: 4, learnedAtMs: 14_000 })
  })

  test('a send that the agent may have acted on is not made twice', async () => {
    const { agent } = scenarioOf()
    const heroku = { ...nginx, name: 'heroku', idleUs: undefined, firstByteUs: seconds(30) }
    const late = agent.streaming && { ...agent.streaming, flush: 'first-update' as const }
    const result = await play(chain(streamBy(), pollEvery(seconds(7))), 40, {
      agent: { ...agent, streaming: late },
      network: { ...pathOf(), hops: [heroku] },
    })
    expect(result.row).toMatchObject({ outcome: 'not-learned', requests: 1 })
    expect(result.row.reason).toContain('not known')
  })
})

test('a send held for 30 s, then polls', async () => {
  const { agent } = scenarioOf()
  const result = await play(chain(blockingBy(), pollEvery(seconds(5))), 43, {
    agent: { ...agent, blocking: { holdUs: seconds(30) } },
  })
  expect(handOvers(result)).toHaveLength(1)
  expect(result.row).toMatchObject({ requests: 5, learnedAtMs: 45_000 })
})

describe('push with a safety poll', () => {
  const policy = together(
    pushBy({ sending: { retry: backoffOf(every(0), { attempts: 1 }) } }),
    pollEvery(seconds(60)),
  )

  test('learns by the post while the receiver is up', async () => {
    expect((await play(policy, 90)).row).toMatchObject({ learnedAtMs: 90_000, webhookPosts: 1, polls: 2 })
  })

  test.each([30, 600, 3600, 28_800])('and at most 60 s late when it is down for %d s', async (downS) => {
    const { row } = await play(policy, 600, { faults: [downDuring('receiver', 600, 600 + downS)] })
    expect(row.outcome).toBe('learned')
    expect(row.timeToLearnMs).toBeLessThanOrEqual(60_000)
  })
})

test('stream with push beside it: one webhook in the send, and the stream is not missed', async () => {
  const policy = together(streamBy(), pushBy())
  expect((await play(policy, 100, behindNginx)).row).toMatchObject({
    learnedAtMs: 100_000,
    requests: 1,
    cuts: 1,
  })
  expect((await play(policy, 30)).row).toMatchObject({ learnedAtMs: 30_000, requests: 1 })
})

test('what a stream has brought is read, though a post of that instant tells the end first', async () => {
  const policy = together(streamBy(), pushBy({ sending: { events: 'final' } }))
  const updates = [chunk(seconds(10), 'report'), status(seconds(10), 'completed')]
  const { row, records } = await replay(scenarioOf({ updates }), entryOf(policy))
  const told = records.flatMap((record) =>
    record.kind === 'learned' ? [`${record.by} ${record.updates.join()}`] : [],
  )
  expect(told).toEqual(['push 1', 'stream 0'])
  expect(row).toMatchObject({ learnedAtMs: 10_000, updates: { lost: 0 } })
})

test('what the others have asked is broken off with them, and what is posted later is read all the same', async () => {
  const policy = together(pushBy({ get: 'each' }), pollEvery(seconds(9.6), seconds(9.6)))
  const updates = [status(seconds(10), 'working'), status(seconds(10.2), 'completed')]
  const latency = { up: fixed(seconds(1)), down: fixed(0) }
  const { records } = await replay(
    scenarioOf({ updates, latencyUs: seconds(0.5) }, { receiver: { ...QUIET_RECEIVER, latency } }),
    entryOf(policy),
  )
  const asked = records.flatMap((record) =>
    record.kind === 'exchange' && record.operation === 'GetTask'
      ? [`${record.outcome} ${record.startUs / 1e6}-${(record.endUs ?? NaN) / 1e6}`]
      : [],
  )
  expect(asked.toSorted()).toEqual(['aborted 11.5-11.6', 'complete 10.6-11.6'])
  expect(records.filter(({ kind }) => kind === 'duplicate')).toEqual([
    { kind: 'duplicate', atUs: seconds(12.5), by: 'push' },
  ])
})

test('the usual receiver: a post, then GetTask for the whole', async () => {
  const rowOf = async (get: 'final' | 'each') => (await replay(scenarioOf(), entryOf(pushBy({ get })))).row
  expect(await rowOf('final')).toMatchObject({ webhookPosts: 5, polls: 1, timeToLearnMs: 0 })
  expect((await rowOf('each')).polls).toBeGreaterThan(1)
})
