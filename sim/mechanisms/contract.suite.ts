/**
 * What every mechanism promises, whatever it costs. Called by each mechanism's
 * own test with the policies to hold to it; runs the real client against the
 * imitation agent.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Distribution, fixed } from '../kernel/distribution.ts'
import { randomStream } from '../kernel/random.ts'
import { fatesOf } from '../metrics/learning.ts'
import type { CutHow } from '../policies/middlebox.ts'
import type { Policy } from '../policies/policy.ts'
import type { ExchangeRecord, HappenedRecord, LearnedRecord } from '../records/record.ts'
import { replay, type Replay } from '../replay/replay.ts'
import type { Fault, FaultEffect, Scenario, Update } from '../scenario/scenario.ts'
import {
  chunk,
  entryOf,
  HUNDRED_SECONDS,
  pathOf,
  QUIET_RECEIVER,
  scenarioOf,
  seconds,
  status,
} from '../testing/scenario.ts'
import type { Model } from './model.ts'

/** A policy to hold to the promises, and which of them it makes. */
export interface Promises<P extends Policy = Policy> {
  policy: P
  /** The model that must tell the same requests as the client makes in a quiet world. */
  model?: Model<P>
  /** What it finds its way back from: once that is over it learns the end. Somebody who is told of a cut may still wait for ever in silence. */
  recovers?: 'cuts' | 'silence'
  /** Promises it does not make, each with the reason. */
  exempt?: Partial<Record<Exemption, string>>
}

type Exemption =
  /** Not every update is learned when it could be at the latest: at the end. */
  | 'learns all'
  /** It may end without having learned, even in a quiet world. */
  | 'learns the end'
  /** Two seeds may differ. */
  | 'seeds alike'
  /** Changes due at whole seconds are not learned at once. */
  | 'ties'
  /** The client breaks exchanges off. */
  | 'ends all it began'

const happenedIn = ({ records }: Replay) =>
  records.filter((record): record is HappenedRecord => record.kind === 'happened')
const learnedIn = ({ records }: Replay) =>
  records.filter((record): record is LearnedRecord => record.kind === 'learned')

/** Any job: up to eight changes at random instants, many of them equal, then an end. */
const anyJob: fc.Arbitrary<readonly Update[]> = fc
  .record({
    changes: fc.array(
      fc.record({
        atMs: fc.integer({ min: 0, max: 40 }).map((n) => n * 500),
        artifact: fc.boolean(),
        text: fc.boolean(),
      }),
      { maxLength: 8 },
    ),
    restMs: fc.integer({ min: 0, max: 20_000 }),
    end: fc.constantFrom('completed', 'failed', 'canceled', 'rejected' as const),
  })
  .map(({ changes, restMs, end }) => {
    const ascending = changes.toSorted((a, b) => a.atMs - b.atMs)
    const updates = ascending.map(({ atMs, artifact, text }, index) =>
      artifact
        ? chunk(atMs * 1000, 'report', { append: index % 2 === 1 })
        : status(atMs * 1000, 'working', text ? 'Still at it.' : undefined),
    )
    const lastMs = ascending.at(-1)?.atMs ?? 0
    // A task is rejected before the agent works on it or not at all.
    const begun = ascending.some(({ artifact }) => !artifact)
    return [...updates, status((lastMs + restMs) * 1000, end === 'rejected' && begun ? 'failed' : end)]
  })

const anyLatency: fc.Arbitrary<Distribution> = fc.oneof(
  fc.constantFrom(0, 1, 50_000, 500_000).map(fixed),
  fc.constantFrom<Distribution[]>(
    { of: 'uniform', fromUs: 1000, toUs: 400_000 },
    { of: 'lognormal', mu: Math.log(80_000), sigma: 0.8 },
  ),
)

const anyWorld = fc
  .record({
    updates: anyJob,
    up: anyLatency,
    down: anyLatency,
    binding: fc.constantFrom('HTTP+JSON', 'JSONRPC' as const),
    seed: fc.integer({ min: 1, max: 1000 }),
  })
  .map(({ up, down, ...facts }) =>
    scenarioOf(facts, { network: { ...pathOf(), latency: { up, down } }, receiver: receiverAt(up) }),
  )

const receiverAt = (up: Distribution) => ({ ...QUIET_RECEIVER, latency: { up, down: fixed(0) } })

/** Bad times of any kind, all over by the 60th second; jobs end within 40 s. */
const anyFault: fc.Arbitrary<Fault> = fc
  .record({
    effect: fc.constantFrom<FaultEffect[]>(
      ...(['close', 'reset', 'silent'] as const satisfies CutHow[]).map((how) => ({
        of: 'cut' as const,
        how,
      })),
      { of: 'down', host: 'receiver' },
      { of: 'down', host: 'agent' },
      { of: 'restart', host: 'agent', loses: 'streams' },
      { of: 'partition', link: 'network' },
      { of: 'hold', link: 'network' },
      { of: 'answer', status: 503, retryAfterUs: undefined, operations: undefined },
      { of: 'answer', status: 429, retryAfterUs: seconds(2), operations: undefined },
      { of: 'dns', host: 'agent' },
      { of: 'delay', delay: { of: 'uniform', fromUs: 0, toUs: seconds(1) }, link: 'network' },
    ),
    fromMs: fc.integer({ min: 5000, max: 40_000 }),
    forMs: fc.integer({ min: 1, max: 20_000 }),
  })
  .map(({ effect, fromMs, forMs }) => {
    const toUs = effect.of === 'cut' ? fromMs * 1000 : (fromMs + forMs) * 1000
    return { effect, when: { of: 'once', fromUs: fromMs * 1000, toUs } }
  })

/** Something is swallowed, and nobody is told. */
const isSilent = ({ effect }: Fault): boolean =>
  effect.of === 'partition' || (effect.of === 'cut' && effect.how === 'silent')

const anyBadWorld: fc.Arbitrary<Scenario> = fc
  .tuple(anyWorld, fc.array(anyFault, { minLength: 1, maxLength: 3 }))
  .map(([scenario, faults]) => ({ ...scenario, faults }))

/** Nothing before it happened; nothing twice; the end once. */
function expectOrder(result: Replay): void {
  const happenedUs = new Map(happenedIn(result).map(({ update, atUs }) => [update, atUs]))
  const learned = learnedIn(result)
  for (const { atUs, updates } of learned)
    for (const update of updates) expect(atUs).toBeGreaterThanOrEqual(happenedUs.get(update) as number)
  const told = learned.flatMap(({ updates }) => updates)
  expect(new Set(told).size).toBe(told.length)
  expect(learned.filter(({ terminal }) => terminal).length).toBeLessThanOrEqual(1)
  const end = learned.findIndex(({ terminal }) => terminal)
  const statusesAfter = learned
    .slice(end + 1)
    .flatMap(({ updates }) => updates)
    .filter((update) => happenedIn(result).find((record) => record.update === update)?.topic === 'status')
  if (end >= 0) expect(statusesAfter).toEqual([])
}

export function describeMechanism<P extends Policy>(
  name: string,
  policies: Record<string, P | Promises<P>>,
): void {
  describe.each(Object.entries(policies))(`${name} keeps the promises of a mechanism: %s`, (_, promises) => {
    const {
      policy,
      model,
      recovers,
      exempt = {},
    }: Promises<P> = 'kind' in promises ? { policy: promises } : promises
    const play = (scenario: Scenario) => replay(scenario, entryOf(policy))
    const run = (facts: Parameters<typeof scenarioOf>[0]) => play(scenarioOf(facts))
    const unless = (exemption: Exemption) => (exempt[exemption] === undefined ? test : test.skip)

    unless('learns all')('in any quiet world everything is learned, in order, once', async () => {
      await fc.assert(
        fc.asyncProperty(anyWorld, async (scenario) => {
          const result = await play(scenario)
          const happened = happenedIn(result)
          expectOrder(result)
          const told = learnedIn(result).flatMap(({ updates }) => updates)
          expect(told).toEqual(happened.map(({ update }) => update))
          expect(happened).toHaveLength(scenario.job.updates.length)
          expect(result.row).toMatchObject({ outcome: 'learned', updates: { lost: 0 } })
        }),
        { seed: 1, numRuns: 40 },
      )
    })

    test('in any world at all: nothing before it happened, nothing twice, nothing left behind', async () => {
      await fc.assert(
        fc.asyncProperty(anyBadWorld, async (scenario) => {
          const result = await play(scenario)
          expectOrder(result)
          expect(fatesOf(result.records).filter(({ learnedUs }) => learnedUs === undefined)).toHaveLength(
            result.row.updates.lost,
          )
          expect(result.leftovers.timers).toBe(0)
          expect(result.leftovers.waiting).toEqual([])
          if (recovers === 'silence' || (recovers === 'cuts' && !scenario.faults.some(isSilent)))
            expect(result.row.outcome).toBe('learned')
          const again = await play(scenario)
          expect(JSON.stringify(again.records)).toBe(JSON.stringify(result.records))
        }),
        { seed: 1, numRuns: 25 },
      )
    })

    if (model !== undefined)
      test('its model tells the requests and the end of any quiet world', async () => {
        await fc.assert(
          fc.asyncProperty(anyJob, fc.constantFrom(0, 1, 50_000, 500_000), async (updates, latencyUs) => {
            const scenario = scenarioOf({ updates, latencyUs })
            const result = await play(scenario)
            const updatesUs = updates.map(({ atUs }) => atUs)
            const predicted = model(policy, {
              updatesUs,
              endUs: updatesUs.at(-1),
              upUs: latencyUs,
              downUs: latencyUs,
              horizonUs: scenario.horizonUs,
              hintUsAt: () => undefined,
              random: (purpose) => randomStream(scenario.seed, purpose),
            })
            expect(predicted.requests).toEqual(requestsIn(result.records))
            expect(predicted.learnedUs).toBe(learnedIn(result).find(({ terminal }) => terminal)?.atUs)
          }),
          { seed: 1, numRuns: 40 },
        )
      })

    test('the same seed gives the same records, another seed the same times', async () => {
      const [first, again, other] = [await run({ seed: 7 }), await run({ seed: 7 }), await run({ seed: 8 })]
      expect(JSON.stringify(again.records)).toBe(JSON.stringify(first.records))
      if (exempt['seeds alike'] === undefined) expect(other.row).toEqual(first.row)
    })

    test('both bindings give the same times, states and updates', async () => {
      const [rest, rpc] = [await run({ binding: 'HTTP+JSON' }), await run({ binding: 'JSONRPC' })]
      const facts = (result: Replay) => [
        happenedIn(result),
        learnedIn(result),
        result.row.requests,
        result.endUs,
      ]
      expect(facts(rpc)).toEqual(facts(rest))
      expect(rpc.row.octets).not.toEqual(rest.row.octets)
    })

    unless('ties')('a change at the instant of a request is served with it', async () => {
      // Every whole second something may be due on both sides; the agent's change always comes first.
      const { row } = await run({
        updates: [status(seconds(14), 'working'), status(seconds(28), 'completed')],
      })
      expect(row.timeToLearnMs).toBe(0)
      expect(row.latenessMs?.max).toBe(0)
    })

    test('nothing is left behind: no exchange open, no timer, no event, no stream', async () => {
      const { records, leftovers } = await run({ updates: HUNDRED_SECONDS })
      const ends = exempt['ends all it began'] === undefined ? ['complete'] : ['complete', 'aborted']
      expect(
        records.filter((record) => record.kind === 'exchange' && !ends.includes(record.outcome)),
      ).toEqual([])
      expect(leftovers).toEqual({ events: 0, timers: 0, waiting: [] })
    })

    test('a run that reaches its horizon says so and leaves nothing waiting', async () => {
      const { row, endUs, leftovers } = await run({ horizonUs: seconds(60) })
      expect(row).toMatchObject({ outcome: 'not-learned', timeToLearnMs: null })
      expect(endUs).toBe(seconds(60))
      expect(leftovers).toEqual({ events: 1, timers: 0, waiting: [] }) // the agent goes on working
    })
  })
}

/** Every request of the client in the order they left, those that stand for several told one by one. */
function requestsIn(records: Replay['records']): { operation: string; startUs: number }[] {
  return records
    .filter((record): record is ExchangeRecord => record.kind === 'exchange' && record.from === 'client')
    .toSorted((a, b) => a.number - b.number)
    .flatMap(({ operation, startUs, repeats = { count: 1, everyUs: 0 } }) =>
      Array.from({ length: repeats.count }, (_, i) => ({
        operation,
        startUs: startUs + i * repeats.everyUs,
      })),
    )
    .toSorted((a, b) => a.startUs - b.startUs)
}
