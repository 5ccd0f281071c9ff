/**
 * What every mechanism promises, whatever it costs. Called by each mechanism's
 * own test with the policies to hold to it; runs the real client against the
 * imitation agent.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Policy } from '../policies/policy.ts'
import type { HappenedRecord, LearnedRecord } from '../records/record.ts'
import { replay, type Replay } from '../replay/replay.ts'
import type { Update } from '../scenario/scenario.ts'
import { chunk, entryOf, HUNDRED_SECONDS, scenarioOf, seconds, status } from '../testing/scenario.ts'

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

const anyWorld = fc.record({
  updates: anyJob,
  latencyUs: fc.constantFrom(0, 1, 50_000, 500_000),
  binding: fc.constantFrom('HTTP+JSON', 'JSONRPC' as const),
  seed: fc.integer({ min: 1, max: 1000 }),
})

export function describeMechanism(name: string, policies: Record<string, Policy>): void {
  describe.each(Object.entries(policies))(`${name} keeps the promises of a mechanism: %s`, (_, policy) => {
    const run = (facts: Parameters<typeof scenarioOf>[0]) => replay(scenarioOf(facts), entryOf(policy))

    test('in any world: nothing is learned before it happened, everything is learned, in order, once', async () => {
      await fc.assert(
        fc.asyncProperty(anyWorld, async (facts) => {
          const result = await run(facts)
          const happened = happenedIn(result)
          const learned = learnedIn(result)
          const happenedUs = new Map(happened.map(({ update, atUs }) => [update, atUs]))
          for (const { atUs, updates } of learned)
            for (const update of updates)
              expect(atUs).toBeGreaterThanOrEqual(happenedUs.get(update) as number)
          expect(learned.flatMap(({ updates }) => updates)).toEqual(happened.map(({ update }) => update))
          expect(happened).toHaveLength(facts.updates.length)
          expect(learned.filter(({ terminal }) => terminal)).toHaveLength(1)
          expect(result.row).toMatchObject({ outcome: 'learned', updates: { lost: 0, duplicate: 0 } })
        }),
        { seed: 1, numRuns: 60 },
      )
    })

    test('the same seed gives the same records, another seed the same times', async () => {
      const [first, again, other] = [await run({ seed: 7 }), await run({ seed: 7 }), await run({ seed: 8 })]
      expect(JSON.stringify(again.records)).toBe(JSON.stringify(first.records))
      expect(other.row).toEqual(first.row)
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

    test('a change at the instant of a request is served with it', async () => {
      // Every whole second something may be due on both sides; the agent's change always comes first.
      const { row } = await run({
        updates: [status(seconds(14), 'working'), status(seconds(28), 'completed')],
      })
      expect(row.timeToLearnMs).toBe(0)
      expect(row.latenessMs?.max).toBe(0)
    })

    test('nothing is left behind: no exchange open, no timer, no event, no stream', async () => {
      const { records, leftovers } = await run({ updates: HUNDRED_SECONDS })
      expect(records.filter((record) => record.kind === 'exchange' && record.outcome !== 'complete')).toEqual(
        [],
      )
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
