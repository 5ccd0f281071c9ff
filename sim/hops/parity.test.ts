/** The model of a stream through hops is held to the replay, for many scenarios. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ClientLimits, Hop } from '../policies/middlebox.ts'
import type { StreamPolicy } from '../policies/policy.ts'
import type { ExchangeRecord, LearnedRecord, RunRecord } from '../records/record.ts'
import { replay } from '../replay/replay.ts'
import { rowOf } from '../metrics/row-of.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { streamThroughHops } from '../mechanisms/streaming/hop-model.ts'
import {
  backoffOf,
  chunk,
  entryOf,
  every,
  pathOf,
  QUIET_AGENT,
  scenarioOf,
  seconds,
  status,
  streamBy,
} from '../testing/scenario.ts'
import { hopWorldOf, updatesOf } from './hop-world.ts'
import { endUsOf, recordsOf } from './records.ts'

const SECOND = 1000
/** Never a multiple of the others, so that two things seldom fall on one instant. */
const ms = (min: number, max: number, offset: number) =>
  fc.integer({ min, max }).map((n) => (n * SECOND + offset) * 1000)
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })

const anyHop = (name: string, offset: number): fc.Arbitrary<Hop> =>
  fc.record({
    name: fc.constant(name),
    idleUs: maybe(ms(5, 60, offset)),
    firstByteUs: maybe(ms(5, 60, offset + 1)),
    lifetimeUs: maybe(ms(20, 90, offset + 2)),
    cut: fc.constantFrom('close', 'reset', 'silent' as const),
    connections: fc.constant(undefined),
    full: fc.constant({ answer: 503, retryAfterUs: undefined } as const),
    bufferOctets: fc.constantFrom(undefined, undefined, undefined, 1_000_000),
  })

const anyLimits: fc.Arbitrary<Partial<ClientLimits>> = fc.record({
  timeoutUs: maybe(ms(30, 120, 7)),
  firstByteUs: maybe(ms(5, 60, 8)),
  idleUs: maybe(ms(10, 60, 9)),
})

const anyPolicy: fc.Arbitrary<StreamPolicy> = fc
  .record({
    reconnect: maybe(
      fc.record({ waits: ms(1, 20, 17).map(every), attempts: maybe(fc.integer({ min: 1, max: 4 })) }),
    ),
    watchdogUs: maybe(ms(10, 60, 23)),
    resume: fc.constantFrom('snapshot', 'cursor', 'live' as const),
    heartbeat: fc.constantFrom(
      undefined,
      { everyUs: 7_003_000, octets: 8, when: 'always' } as const,
      { everyUs: 13_019_000, octets: 8, when: 'silent' } as const,
    ),
    timeoutUs: maybe(ms(5, 30, 29)),
  })
  .map(({ reconnect, ...more }) =>
    streamBy({
      ...more,
      reconnect: reconnect && backoffOf(reconnect.waits, { attempts: reconnect.attempts }),
    }),
  )

const anyScenario: fc.Arbitrary<Scenario> = fc
  .record({
    changes: fc.array(fc.record({ atUs: ms(0, 200, 31), artifact: fc.boolean() }), { maxLength: 6 }),
    endUs: ms(200, 300, 37),
    hops: fc.tuple(maybe(anyHop('near', 41)), maybe(anyHop('far', 47))),
    limits: anyLimits,
    latencyUs: fc.constantFrom(0, 50_000),
    flush: fc.constantFrom('at-once', 'at-once', 'first-update' as const),
    lifetimeUs: maybe(ms(30, 90, 53)),
    replayUs: fc.constantFrom(0, Infinity, 20_000_000),
    retryHintUs: maybe(ms(1, 10, 59)),
    binding: fc.constantFrom('HTTP+JSON', 'JSONRPC' as const),
  })
  .map(({ changes, endUs, hops, limits, latencyUs, flush, lifetimeUs, replayUs, retryHintUs, binding }) => {
    const updates = [
      ...changes
        .toSorted((a, b) => a.atUs - b.atUs)
        // Chunks that read alike cannot be told apart by anybody.
        .map(({ atUs, artifact }, i) =>
          artifact ? chunk(atUs, `report-${i}`) : status(atUs, 'working', `step ${i}`),
        ),
      status(endUs, 'completed'),
    ]
    const quiet = scenarioOf({ updates, latencyUs, binding, horizonUs: seconds(1000) })
    const streaming = {
      ...(QUIET_AGENT.streaming as object as Exclude<typeof QUIET_AGENT.streaming, false>),
      flush,
      lifetime: lifetimeUs === undefined ? undefined : ({ of: 'fixed', us: lifetimeUs } as const),
      replayUs,
      retryHintUs,
    }
    return {
      ...quiet,
      agent: { ...quiet.agent, streaming },
      client: { ...quiet.client, ...limits },
      network: { ...pathOf(latencyUs), hops: hops.filter((hop) => hop !== undefined) },
    }
  })

/** The exchanges a record stands for. */
const unfolded = (record: ExchangeRecord): ExchangeRecord[] =>
  Array.from({ length: record.repeats?.count ?? 1 }, (_, i) => {
    const laterUs = i * (record.repeats?.everyUs ?? 0)
    const { startUs, endUs } = record
    return { ...record, startUs: startUs + laterUs, endUs: endUs === undefined ? undefined : endUs + laterUs }
  })

/** What both must agree on, in one line each. */
function story(records: readonly RunRecord[]): string[] {
  const at = (us: number | undefined) => (us === undefined ? 'open' : `${us / 1e6}s`)
  return [
    ...records
      .filter((record): record is ExchangeRecord => record.kind === 'exchange' && record.from === 'client')
      .flatMap(unfolded)
      .toSorted((a, b) => a.startUs - b.startUs)
      .map(({ operation, startUs, endUs, status: code, outcome, cutBy, arrivals }) => {
        // Over JSON-RPC errors come with 200 as well.
        const refused =
          operation === 'SubscribeToTask' && arrivals === undefined && code !== undefined && code < 500
        const events = (arrivals ?? []).filter(({ of }) => of === 'event').map(({ atUs }) => at(atUs))
        const comments = (arrivals ?? []).filter(({ of }) => of === 'heartbeat').length
        return `${operation} ${at(startUs)}-${at(endUs)} ${refused ? 'refused' : code} ${outcome} ${cutBy ?? ''} [${events.join(' ')}] ${comments}`
      }),
    ...records
      .filter((record): record is LearnedRecord => record.kind === 'learned')
      .map(({ atUs, updates, by }) => `learned ${at(atUs)} ${updates.join(' ')} by ${by}`),
    ...records.flatMap((record) =>
      record.kind === 'gave-up' ? [`gave up ${at(record.atUs)} ${record.outcome}`] : [],
    ),
  ]
}

test('model and replay tell the same story of every exchange and every update', async () => {
  await fc.assert(
    fc.asyncProperty(anyScenario, anyPolicy, async (scenario, policy) => {
      const world = hopWorldOf(scenario, policy)
      const updates = updatesOf(scenario.job)
      const run = streamThroughHops(policy, world)
      const modelled = recordsOf(run, updates, world)
      const { records, row } = await replay(scenario, entryOf(policy))
      expect(story(modelled)).toEqual(story(records))
      const {
        outcome,
        cuts,
        reconnects,
        heartbeats,
        updates: fates,
        timeToLearnMs,
        blindTimeMs,
      } = rowOf({
        mechanism: '',
        policy: '',
        records: modelled,
        endUs: endUsOf(run, updates, world),
      })
      const { duplicate: _, ...known } = fates
      expect({ outcome, cuts, reconnects, heartbeats, timeToLearnMs, blindTimeMs }).toEqual({
        outcome: row.outcome,
        cuts: row.cuts,
        reconnects: row.reconnects,
        heartbeats: row.heartbeats,
        timeToLearnMs: row.timeToLearnMs,
        blindTimeMs: row.blindTimeMs,
      })
      expect(row.updates).toMatchObject(known)
    }),
    { seed: 1, numRuns: 60 },
  )
})
