import { describe, expect, test } from 'vitest'
import { randomStream } from '../../kernel/random.ts'
import { processOf } from '../../mechanisms/index.ts'
import type { Policy } from '../../policies/policy.ts'
import type { RunRecord } from '../../records/record.ts'
import type { Scenario } from '../../scenario/scenario.ts'
import { chunk, pollEvery, pushBy, scenarioOf, seconds, status, streamBy } from '../../testing/scenario.ts'
import { leanJobOf } from './moments.ts'
import { createLeanJournal, playLean } from './play.ts'
import { createLeanTime } from './time.ts'
import { createLeanWorld, type LeanComer, leanScenario } from './world.ts'

const UPDATES = [status(0, 'working'), chunk(seconds(12), 'report'), status(seconds(30), 'completed')]

const comerOf = (scenario: Scenario, policy: Policy): LeanComer & { records: RunRecord[] } => {
  const journal = createLeanJournal()
  return {
    job: leanJobOf(scenario.job),
    process: (world) => processOf(world, policy),
    random: (purpose) => randomStream(scenario.seed, purpose),
    journal,
    records: journal.records,
  }
}

/** So many clients, one each so long, in one world; what each of them left, instants counted from when it came. */
function together(
  scenario: Scenario,
  policy: Policy,
  { clients, everyUs, events = 'few' }: { clients: number; everyUs: number; events?: 'few' | 'many' },
): RunRecord[][] {
  const { clock, run } = createLeanTime(seconds(10_000), events)
  const world = createLeanWorld(leanScenario(scenario, policy), clock, (purpose) => randomStream(1, purpose))
  const comers = Array.from({ length: clients }, () => comerOf(scenario, policy))
  for (const [index, comer] of comers.entries()) clock.at(index * everyUs, () => void world.join(comer))
  run(() => false)
  return comers.map(({ records }, index) => records.map((record) => since(record, index * everyUs)))
}

/** Connections and numbers of exchanges are the world's and not the client's. */
function since(record: RunRecord, fromUs: number): RunRecord {
  const told: Record<string, unknown> = { ...record }
  for (const [name, value] of Object.entries(told))
    if (name.endsWith('Us') && typeof value === 'number') told[name] = value - fromUs
  if (record.kind === 'exchange' && record.arrivals !== undefined)
    told['arrivals'] = record.arrivals.map((arrival) => ({ ...arrival, atUs: arrival.atUs - fromUs }))
  delete told['number']
  delete told['exchange']
  return told as unknown as RunRecord
}

function alone(scenario: Scenario, policy: Policy): RunRecord[] {
  const comer = comerOf(scenario, policy)
  playLean(leanScenario(scenario, policy), comer)
  return comer.records.filter(({ kind }) => kind !== 'connection').map((record) => since(record, 0))
}

const POLICIES: readonly Policy[] = [pollEvery(seconds(7)), streamBy(), pushBy({ get: 'each' })]

describe.each(POLICIES)('$kind', (policy) => {
  const scenario = scenarioOf({ updates: UPDATES, latencyUs: 40_000 })

  test('clients that share nothing live as if each were alone', () => {
    const all = together(scenario, policy, { clients: 40, everyUs: 3_700_000 })
    for (const records of all) expect(records).toEqual(alone(scenario, policy))
  })

  test('whatever list holds the events, the same happens', () => {
    const few = together(scenario, policy, { clients: 60, everyUs: 0 })
    expect(together(scenario, policy, { clients: 60, everyUs: 0, events: 'many' })).toEqual(few)
  })
})

describe('a quota', () => {
  const quiet = scenarioOf({ updates: UPDATES })
  const withQuota = (per: 'client' | 'all'): Scenario => ({
    ...quiet,
    agent: { ...quiet.agent, quotas: [{ perSecond: 1, burst: 2, per, retryAfterUs: undefined }] },
  })
  const throttled = (per: 'client' | 'all') =>
    together(withQuota(per), pollEvery(seconds(5)), { clients: 10, everyUs: seconds(5) })
      .flat()
      .filter((record) => record.kind === 'exchange' && record.status === 429).length

  test('of each client is no concern of others', () => expect(throttled('client')).toBe(0))
  test('of all is shared', () => expect(throttled('all')).toBeGreaterThan(10))
})

test('one handler serves clients one after the other', () => {
  const quiet = scenarioOf({ updates: UPDATES })
  const scenario: Scenario = {
    ...quiet,
    agent: {
      ...quiet.agent,
      capacity: {
        handlers: 1,
        service: [{ operations: undefined, time: { of: 'fixed', us: seconds(1) } }],
        queue: undefined,
        connections: undefined,
        full: { answer: 503, retryAfterUs: undefined },
      },
    },
  }
  const sends = together(scenario, pollEvery(seconds(100)), { clients: 4, everyUs: 0 }).map(
    (records) => records.find((record) => record.kind === 'exchange')?.endUs,
  )
  expect(sends).toEqual([1, 2, 3, 4].map(seconds))
})
