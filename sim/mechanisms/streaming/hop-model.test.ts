import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fixed } from '../../kernel/distribution.ts'
import { randomStream } from '../../kernel/random.ts'
import type { Hop } from '../../policies/middlebox.ts'
import type { Heartbeat } from '../../policies/policy.ts'
import { backoffOf, every, seconds, streamBy } from '../../testing/scenario.ts'
import type { AgentStreaming } from './agent-stream.ts'
import { type HopRun, type HopWorld, streamThroughHops } from './hop-model.ts'
import { streamingModel } from './model.ts'
import { heartbeatsDuring, heartbeatSaves, underLifetime } from './theory.ts'

const hop = (name: string, more: Partial<Hop>): Hop => ({
  name,
  idleUs: undefined,
  firstByteUs: undefined,
  lifetimeUs: undefined,
  cut: 'close',
  connections: undefined,
  full: { answer: 503, retryAfterUs: undefined },
  bufferOctets: undefined,
  ...more,
})

const nginx = hop('nginx', { idleUs: seconds(60) })
const comments = (everyS: number): Heartbeat => ({ everyUs: seconds(everyS), octets: 8, when: 'always' })
const reconnecting = streamBy({ reconnect: backoffOf(every(seconds(3))) })

/** A job of so many seconds that is silent until its end. */
const silent = (
  lengthS: number,
  { updates, hops = [], limits, ...agent }: Partial<HopWorld & AgentStreaming> = {},
): HopWorld => ({
  updates: updates ?? [{ atUs: seconds(lengthS), of: 'status', octets: 300 }],
  ends: true,
  upUs: 0,
  downUs: 0,
  horizonUs: seconds(lengthS + 3600),
  agent: {
    heartbeat: 'none',
    flush: 'at-once',
    lifetime: undefined,
    replayUs: 0,
    retryHintUs: undefined,
    ...agent,
  },
  hops,
  limits,
  random: (purpose) => randomStream(1, purpose),
})

/** What happened, for people: instants in seconds. */
const story = ({ exchanges, learnedUs, gaveUp }: HopRun): string =>
  [
    ...exchanges.map(({ startUs, endUs, cut, outcome, status }) => {
      const until = endUs === undefined ? 'open' : `${endUs / 1e6}`
      return `${startUs / 1e6}-${until} ${status ?? 'no answer'}${cut === undefined ? '' : ` ${outcome} by ${cut.by}`}`
    }),
    learnedUs === undefined
      ? `not learned${gaveUp === undefined ? '' : `: ${gaveUp.reason}`}`
      : `learned ${learnedUs / 1e6}`,
  ].join(', ')

describe('nginx and a job that is silent for 90 s', () => {
  test('the official client never learns', () => {
    expect(story(streamThroughHops(streamBy(), silent(90, { hops: [nginx] })))).toBe(
      '0-60 200 complete by nginx, not learned: the stream ended before the task did',
    )
  })

  test('a browser opens a second stream and learns in time', () => {
    expect(story(streamThroughHops(reconnecting, silent(90, { hops: [nginx] })))).toBe(
      '0-60 200 complete by nginx, 63-90 200, learned 90',
    )
  })

  test('comments each 15 s keep one stream alive', () => {
    const run = streamThroughHops(reconnecting, silent(90, { hops: [nginx], heartbeat: comments(15) }))
    expect(story(run)).toBe('0-90 200, learned 90')
    expect(run.exchanges[0]?.heartbeats).toHaveLength(heartbeatsDuring(90, 15))
  })

  test('comments at the limit save it, a little later they do not', () => {
    const connections = (everyS: number) =>
      streamThroughHops(reconnecting, silent(90, { hops: [nginx], heartbeat: comments(everyS) })).exchanges
        .length
    expect([connections(60), connections(60.000001)]).toEqual([1, 2])
    expect([heartbeatSaves(seconds(60), seconds(60)), heartbeatSaves(60_000_001, seconds(60))]).toEqual([
      true,
      false,
    ])
  })
})

test('30 s of life, 3 s to reconnect, a job of 600 s: 19 connections, 18 gaps, 54 s blind, with comments or without', () => {
  const facts = { jobUs: seconds(600), lifetimeUs: seconds(30), reconnectUs: seconds(3) }
  expect(underLifetime(facts)).toEqual({ connections: 19, gaps: 18, blindUs: seconds(54), lateUs: 0 })
  for (const heartbeat of ['none', comments(15)] as const) {
    const hops = [hop('gcp-lb', { lifetimeUs: seconds(30) })]
    const { exchanges, learnedUs } = streamThroughHops(reconnecting, silent(600, { hops, heartbeat }))
    expect(exchanges.map(({ startUs }) => startUs)).toEqual(
      Array.from({ length: 19 }, (_, i) => seconds(33 * i)),
    )
    expect(learnedUs).toBe(seconds(600))
  }
})

test('the closed form is the model, for any lifetime, wait and job', () => {
  const any = fc.record({
    jobUs: fc.integer({ min: 1, max: 2000 }),
    lifetimeUs: fc.integer({ min: 1, max: 60 }),
    reconnectUs: fc.integer({ min: 1, max: 20 }),
  })
  fc.assert(
    fc.property(any, (facts) => {
      const { exchanges, learnedUs = NaN } = streamThroughHops(
        streamBy({ reconnect: backoffOf(every(facts.reconnectUs)) }),
        {
          ...silent(1),
          updates: [{ atUs: facts.jobUs, of: 'status', octets: 0 }],
          hops: [hop('lb', { lifetimeUs: facts.lifetimeUs })],
        },
      )
      const streams = exchanges.filter(({ status }) => status === 200)
      const opened = streams.filter(({ operation }) => operation !== 'GetTask')
      const gaps = opened.filter(({ cut }) => cut?.by === 'lb').length
      expect({
        connections: opened.length,
        gaps,
        blindUs: gaps * facts.reconnectUs,
        lateUs: learnedUs - facts.jobUs,
      }).toEqual(underLifetime(facts))
    }),
    { seed: 1, numRuns: 100 },
  )
})

describe('how a hop cuts', () => {
  test('before the first octet it answers 504, and a send that may have begun a task is not made again', () => {
    const heroku = hop('heroku', { firstByteUs: seconds(30), idleUs: seconds(55) })
    const world = silent(40, { hops: [heroku], flush: 'first-update' })
    expect(story(streamThroughHops(reconnecting, world))).toBe(
      '0-30 504 complete by heroku, not learned: heroku answered 504',
    )
    expect(
      story(streamThroughHops(reconnecting, silent(40, { hops: [heroku], heartbeat: comments(15) }))),
    ).toBe('0-40 200, learned 40')
  })

  test('with an error the client sees, and one that does not reconnect has lost the thread', () => {
    const run = streamThroughHops(
      streamBy(),
      silent(90, { hops: [hop('lb', { idleUs: seconds(60), cut: 'reset' })] }),
    )
    expect(story(run)).toBe('0-60 200 failed by lb, not learned: lb ended the stream')
    expect(run.gaveUp?.outcome).toBe('not-learned')
  })

  test('silently: only a watchdog notices', () => {
    const azure = hop('azure-lb', { idleUs: seconds(240), cut: 'silent' })
    const world = silent(600, { hops: [azure] })
    expect(story(streamThroughHops(reconnecting, world))).toBe('0-open 200 open by azure-lb, not learned')
    const watchful = streamBy({ reconnect: backoffOf(every(seconds(3))), watchdogUs: seconds(300) })
    expect(story(streamThroughHops(watchful, world))).toBe(
      '0-300 200 aborted by azure-lb, 303-603 200 aborted by azure-lb, 606-606 400, 606-606 200, learned 606',
    )
  })

  test('silently, and a nearer hop then ends what it takes for idle', () => {
    const hops = [nginx, hop('azure-lb', { lifetimeUs: seconds(100), cut: 'silent' })]
    const world = silent(150, { hops, heartbeat: comments(30) })
    expect(story(streamThroughHops(reconnecting, world))).toBe(
      '0-150 200 complete by nginx, 153-153 400, 153-153 200, learned 153',
    )
  })

  test('a buffer keeps small comments from the hops before it, not from its own', () => {
    const buffering = hop('gzip', { bufferOctets: 4096, idleUs: seconds(60) })
    const world = silent(90, { heartbeat: comments(15), hops: [buffering] })
    expect(story(streamThroughHops(reconnecting, world))).toBe('0-90 200, learned 90')
    expect(story(streamThroughHops(reconnecting, { ...world, hops: [nginx, buffering] }))).toBe(
      // The snapshot is kept as well, but not the head.
      '0-60 200 complete by nginx, not learned: the stream ended before the task did; the client did not know its task yet, so there was nothing to subscribe to',
    )
  })

  test("the client's own limits cut as well", () => {
    const limits = {
      name: 'httpx',
      timeoutUs: undefined,
      firstByteUs: undefined,
      idleUs: seconds(5),
      connections: undefined,
    }
    expect(story(streamThroughHops(streamBy(), silent(12, { limits })))).toContain(
      '0-5 200 aborted by client limits',
    )
    expect(story(streamThroughHops(streamBy(), silent(12, { limits, heartbeat: comments(4) })))).toBe(
      '0-12 200, learned 12',
    )
  })

  test('and the agent itself', () => {
    const world = silent(90, { lifetime: fixed(seconds(40)), retryHintUs: seconds(10) })
    expect(story(streamThroughHops(reconnecting, world))).toBe(
      '0-40 200 complete by agent, 50-90 200, learned 90',
    )
  })
})

test('what happens in a gap: a snapshot tells it, a cursor tells it one by one, a live stream never does', () => {
  const updates = [1, 2, 4, 5, 7].map((s) => ({ atUs: seconds(s), of: 'artifact' as const, octets: 0 }))
  const hops = [hop('lb', { lifetimeUs: seconds(3) })]
  const learnedBy = (resume: 'snapshot' | 'cursor' | 'live') => {
    const policy = streamBy({ resume, reconnect: backoffOf(every(seconds(3))) })
    return streamThroughHops(policy, silent(7, { updates, hops, replayUs: Infinity })).learned.map(
      ({ atUs, updates: told }) => `${atUs / 1e6}: ${told.join(' ')}`,
    )
  }
  expect(learnedBy('snapshot')).toEqual(['1: 0', '2: 1', '6: 2 3', '7: 4'])
  expect(learnedBy('cursor')).toEqual(['1: 0', '2: 1', '6: 2', '6: 3', '7: 4'])
  expect(learnedBy('live')).toEqual(['1: 0', '2: 1', '7: 4'])
})

test('in a quiet world there is one request, and latency shifts what is learned', () => {
  const world = {
    updatesUs: [0, seconds(100)],
    endUs: seconds(100),
    upUs: 50_000,
    downUs: 70_000,
    horizonUs: seconds(3700),
    hintUsAt: () => undefined,
    random: (purpose: string) => randomStream(1, purpose),
  }
  expect(streamingModel(streamBy(), world)).toEqual({
    requests: [{ operation: 'SendStreamingMessage', startUs: 0 }],
    learnedUs: 100_120_000,
  })
  const watchful = streamBy({ watchdogUs: seconds(60), reconnect: backoffOf(every(seconds(3))) })
  expect(streamingModel(watchful, world).requests.map(({ startUs }) => startUs)).toEqual([0, 63_120_000])
})
