import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Hop } from '../policies/middlebox.ts'
import type { Heartbeat } from '../policies/policy.ts'
import type { Scenario } from '../scenario/scenario.ts'
import {
  backoffOf,
  chunk,
  every,
  pathOf,
  scenarioOf,
  seconds,
  status,
  streamBy,
} from '../testing/scenario.ts'
import { adviceFor } from './advice.ts'
import { type HopCell, matrixOf, stretchesOf } from './matrix.ts'
import { streamsOf } from './streams.ts'

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
const comments = (everyS: number): Heartbeat => ({ everyUs: seconds(everyS), octets: 8, when: 'always' })
const reconnecting = streamBy({ reconnect: backoffOf(every(seconds(3))) })

const nginx = hop('nginx', { idleUs: seconds(60) })
const lb = hop('gcp-lb', { lifetimeUs: seconds(30) })

const scenarioBehind = (hops: Hop[], lengthS = 90, more: Partial<Scenario> = {}): Scenario =>
  scenarioOf(
    { updates: [status(seconds(lengthS), 'completed')] },
    { network: { ...pathOf(), hops }, ...more },
  )

/** A cell in a line: who cut how often, and what came of it. */
const inShort = ({ cuts, streams, row }: HopCell): string =>
  `${cuts.map(({ by, why, firstUs, count }) => `${count} x ${by} ${why} from ${firstUs / 1e6}s`).join(', ') || 'no cut'}; ${streams} streams; ${row.timeToLearnMs === null ? 'never' : `${row.timeToLearnMs / 1000}s late`}, ${row.blindTimeMs / 1000}s blind`

describe('the matrix', () => {
  test('has a row for each hop and one for all, a column for each heartbeat', () => {
    const { rows } = matrixOf(scenarioBehind([nginx, lb], 600), reconnecting, ['none', comments(15)])
    expect(rows.map(({ name, cells }) => [name, ...cells.map(inShort)])).toEqual([
      [
        'nginx',
        '9 x nginx idle from 60s; 10 streams; 0s late, 27s blind',
        'no cut; 1 streams; 0s late, 0s blind',
      ],
      [
        'gcp-lb',
        '18 x gcp-lb lifetime from 30s; 19 streams; 0s late, 54s blind',
        '18 x gcp-lb lifetime from 30s; 19 streams; 0s late, 54s blind',
      ],
      [
        'the whole path',
        '18 x gcp-lb lifetime from 30s; 19 streams; 0s late, 54s blind',
        '18 x gcp-lb lifetime from 30s; 19 streams; 0s late, 54s blind',
      ],
    ])
  })

  test("the client's own limits are a row as well", () => {
    const { client } = scenarioOf()
    const scenario = scenarioBehind([], 12, { client: { ...client, name: 'httpx', idleUs: seconds(5) } })
    const { rows } = matrixOf(scenario, streamBy(), ['none', comments(4)])
    expect(rows.map(({ name, cells }) => [name, ...cells.map(inShort)])).toEqual([
      [
        'httpx',
        '1 x client limits idle from 5s; 1 streams; never, 7s blind',
        'no cut; 1 streams; 0s late, 0s blind',
      ],
    ])
  })

  test('tells what a gap costs for good: chunks and messages a live stream never hears', () => {
    const updates = [
      ...[1, 2, 4, 5].map((s) => chunk(seconds(s), `chunk-${s}`)),
      status(seconds(5), 'working', 'Nearly there.'),
      status(seconds(7), 'completed'),
    ]
    const scenario = scenarioOf(
      { updates },
      { network: { ...pathOf(), hops: [hop('lb', { lifetimeUs: seconds(3) })] } },
    )
    const fatesBy = (resume: 'snapshot' | 'live') => {
      const { rows } = matrixOf(scenario, { ...reconnecting, resume }, ['none'])
      return rows[0]?.cells[0]?.row.updates
    }
    expect(fatesBy('live')).toMatchObject({ lost: 2, messagesLost: 1 })
    expect(fatesBy('snapshot')).toMatchObject({ lost: 0, messagesLost: 0 })
  })

  test('where nothing can cut there is nothing to show', () => {
    expect(stretchesOf(scenarioOf())).toEqual([])
  })
})

test('streams that differ in their heartbeat alone are one; those of chains are told apart', () => {
  const entry = (word: string, policy: Scenario['mechanisms'][number]['policy']) => ({
    label: undefined,
    word,
    policy,
  })
  const mechanisms = [
    entry('stream', streamBy()),
    entry('stream:heartbeat=15s', streamBy({ heartbeat: comments(15) })),
    entry('chain', { kind: 'chain', links: [reconnecting, streamBy()], recoverUs: undefined }),
  ]
  expect(
    streamsOf(scenarioOf({}, { mechanisms })).map(({ entry: { word }, isPart }) => [word, isPart]),
  ).toEqual([
    ['stream', false],
    ['chain', true],
  ])
})

describe('advice', () => {
  test('names the heartbeat that saves, and what none saves', () => {
    const advice = adviceFor(scenarioBehind([nginx, lb]), reconnecting)
    expect(advice).toHaveLength(2)
    expect(advice[0]).toMatch(/at least every 1 min .* nginx .*heartbeat=45s/)
    expect(advice[1]).toMatch(/^Nothing saves .* gcp-lb allows \(30 s\)/)
  })

  test('asks for what is missing: a reconnect, a watchdog, a head that is flushed', () => {
    const azure = hop('azure-lb', { idleUs: seconds(240), cut: 'silent' })
    expect(adviceFor(scenarioBehind([azure], 600), streamBy())).toEqual([
      expect.stringContaining('azure-lb (4 min)'),
      expect.stringContaining('watchdog'),
      expect.stringContaining('reconnect=3s'),
    ])
    const { agent } = scenarioOf()
    const late = agent.streaming && { ...agent.streaming, flush: 'first-update' as const }
    const heroku = hop('heroku', { firstByteUs: seconds(30) })
    expect(
      adviceFor(scenarioBehind([heroku], 40, { agent: { ...agent, streaming: late } }), streamBy()),
    ).toEqual([expect.stringContaining('flush: at-once')])
  })

  test('says nothing where nothing cuts', () => {
    expect(adviceFor(scenarioBehind([nginx], 60), streamBy())).toEqual([])
  })

  test('holds: the heartbeat it names keeps every idle limit from cutting, and without one something is cut', () => {
    const anyHops = fc.array(fc.integer({ min: 2, max: 120 }), { minLength: 1, maxLength: 3 })
    fc.assert(
      fc.property(anyHops, fc.integer({ min: 1, max: 300 }), (limits, lengthS) => {
        const scenario = scenarioBehind(
          limits.map((limitS, i) => hop(`hop-${i}`, { idleUs: seconds(limitS) })),
          lengthS,
        )
        const advised = /heartbeat=(\d+)(ms|s|m)(?:(\d+)s)?/.exec(adviceFor(scenario, reconnecting)[0] ?? '')
        const cutsWith = (heartbeat: Heartbeat | 'none') =>
          matrixOf(scenario, reconnecting, [heartbeat]).rows.at(-1)?.cells[0]?.cuts.length
        if (advised === null) expect(cutsWith('none')).toBe(0)
        else {
          const [, count, unit, more = 0] = advised
          const everyS = Number(count) * (unit === 'm' ? 60 : 1) + Number(more)
          expect(cutsWith(comments(everyS))).toBe(0)
          expect(cutsWith('none')).toBeGreaterThan(0)
        }
      }),
      { seed: 1, numRuns: 200 },
    )
  })
})
