import { describe, expect, test } from 'vitest'
import { playLean, createLeanJournal } from './lean/play.ts'
import { leanJobOf } from './lean/moments.ts'
import { leanScenario } from './lean/world.ts'
import { randomStream } from '../kernel/random.ts'
import { processOf } from '../mechanisms/index.ts'
import type { FleetRow } from '../metrics/fleet-row.ts'
import { rowOf } from '../metrics/row-of.ts'
import { readScenario } from '../scenario/index.ts'
import type { MechanismEntry, Scenario } from '../scenario/scenario.ts'
import { type Counted, createCounted } from './counted.ts'
import { fleetRow, mergeTallies, partsOf, runPart } from './engine.ts'
import { executionOf } from './execution.ts'
import { playEach } from './lean-tasks.ts'
import { planFleet } from './plan.ts'

function scenarioOf(text: string): Scenario {
  return readScenario(text, 'fleet.yaml').scenario
}

const entryIn = ({ mechanisms }: Scenario, at = 0): MechanismEntry => mechanisms[at] as MechanismEntry

function played(scenario: Scenario, entry = entryIn(scenario)): FleetRow {
  const parts = partsOf(scenario, entry).map((part) => runPart(scenario, entry, part))
  return fleetRow(scenario, entry, mergeTallies(parts))
}

const ONE_UPDATE = 'job: exponential:20s'
const FIVE_UPDATES = 'job: { duration: exponential:20s, updates: 5, result: 2kB }'
const TWO_KINDS = `jobs:
  - { share: 50%, duration: exponential:20s, result: 2kB }
  - { share: 50%, duration: exponential:40s, updates: 3, result: 2kB }`
const WINDOW_INSIDE = 'warmup: 2m, window: 10m, cooldown: 5m'

const FLEET = `
${ONE_UPDATE}
network: { latency: 50ms }
fleet: { tasks: 300, window: 20m }
`

describe('polls that are looked up and polls that are played', () => {
  /** The same row from the processes, whatever the rule would choose. */
  function byProcesses(scenario: Scenario, entry: MechanismEntry): Counted {
    const fleet = scenario.fleet as NonNullable<Scenario['fleet']>
    const { fromUs, toUs } = { fromUs: fleet.warmupUs, toUs: fleet.warmupUs + fleet.windowUs }
    const counted = createCounted({
      frame: { fromUs, toUs, binUs: fleet.binUs },
      rows: [],
      wanted: { live: false, inFlight: true },
    })
    playEach(
      planFleet(fleet, scenario.seed),
      { fromBlock: 0, toBlock: 64 },
      scenario,
      [{ share: 1, policy: entry.policy }],
      counted,
    )
    return counted
  }

  test.each([
    ['poll:7s', '', ONE_UPDATE],
    ['poll:7s,first=after', '', ONE_UPDATE],
    ['poll:1s', '', ONE_UPDATE],
    ['poll:10s,first=2s', '', ONE_UPDATE],
    ['poll:20s', WINDOW_INSIDE, ONE_UPDATE],
    ['poll:2s', 'warmup: 2m, window: 10m, cooldown: 0s', ONE_UPDATE],
    ['poll:7s', '', FIVE_UPDATES],
    ['poll:7s', WINDOW_INSIDE, FIVE_UPDATES],
    ['poll:7s', '', TWO_KINDS],
    ['poll:7s', WINDOW_INSIDE, TWO_KINDS],
  ])('%s %s %s', (word, times, jobs) => {
    // Requests that are long on their way leave on one side of an edge and are answered on the other.
    const fleet =
      times === '' ? FLEET : FLEET.replace('window: 20m', `within: 15m, ${times}`).replace('50ms', '2s')
    const text = fleet.replace(ONE_UPDATE, jobs)
    const scenario = scenarioOf(`${text}mechanisms: ["${word}"]\n`)
    const entry = entryIn(scenario)
    expect(executionOf(scenario, [entry.policy]).name).toBe('sweep')
    const looked = played(scenario)
    const { tally, counts } = byProcesses(scenario, entry)
    expect(looked.tasks).toBeGreaterThan(50)
    expect(looked.tasks).toBe(Number(tally.totalOf('tasks')))
    expect(looked.outcomes.learned).toBe(Number(tally.totalOf('learned')))
    expect(looked.requests).toBe(counts.requests)
    expect(looked.polls).toBe(counts.polls)
    expect(looked.emptyPolls).toBe(counts.emptyPolls)
    expect(looked.updates.happened).toBe(counts['updates.happened'])
    expect(looked.updates.learned).toBe(counts['updates.learned'])
    expect(looked.updates.coalesced).toBe(counts['updates.coalesced'])
    expect(looked.updates.lost).toBe(counts['updates.lost'])
    expect(looked.connections.opened).toBe(counts['connections.opened'])
    expect(looked.connections.seconds).toBe(Number(tally.connections.timeUs()) / 1e6)
    expect(looked.connectionsOpen.series).toEqual([...tally.connections.levels()])
    expect(looked.requestsInFlight.series).toEqual([...tally.inFlight.levels()])
    expect(looked.load.series).toEqual([...tally.load.counts()])
    expect(looked.timeToLearnMs?.mean.value).toBe(
      Number(tally.totalOf('lateUs')) / Number(tally.totalOf('learned')) / 1000,
    )
    expect(looked.timeToLearnMs?.p95?.value).toBe((tally.late.quantile(0.95) as number) / 1000)
  })
})

test.each(['poll:7s', 'poll:5s,jitter=full', 'stream', 'push+poll:60s', 'stream>poll:30s', 'blocking'])(
  'a fleet of one task tells what a run of it does: %s',
  (word) => {
    const scenario = scenarioOf(
      `job: { duration: 95s, updates: 4 }\nnetwork: { latency: 40ms }\nfleet: { tasks: 1, arrivals: together, window: 2h }\nmechanisms: ["${word}"]\n`,
    )
    const entry = entryIn(scenario)
    const row = played(scenario)
    const journal = createLeanJournal()
    const endUs = playLean(leanScenario(scenario, entry.policy), {
      job: leanJobOf(scenario.job),
      process: (world) => processOf(world, entry.policy),
      random: (purpose) => randomStream(scenario.seed, purpose),
      journal,
    })
    const alone = rowOf({ mechanism: '', policy: '', records: journal.records, endUs })
    expect(row.timeToLearnMs?.max).toBe(
      word.includes('jitter') ? row.timeToLearnMs?.max : alone.timeToLearnMs,
    )
    if (!word.includes('jitter'))
      expect([row.requests, row.polls, row.webhookPosts, row.streamEvents, row.updates.learned]).toEqual([
        alone.requests,
        alone.polls,
        alone.webhookPosts,
        alone.streamEvents,
        alone.updates.learned,
      ])
    expect(row.outcomes.learned).toBe(1)
  },
)

describe('parts', () => {
  const scenario = scenarioOf(`${FLEET}mechanisms: ["poll:5s,jitter=full", "poll:7s"]\n`)

  test.each([0, 1])('in any order and grouping, and through JSON, come to the same (row %i)', (at) => {
    const entry = entryIn(scenario, at)
    const parts = partsOf(scenario, entry).map((part) => runPart(scenario, entry, part))
    const whole = fleetRow(scenario, entry, mergeTallies(parts))
    const reversed = mergeTallies(parts.toReversed())
    const halves = mergeTallies([mergeTallies(parts.slice(0, 20)), mergeTallies(parts.slice(20))])
    expect(fleetRow(scenario, entry, reversed)).toEqual(whole)
    expect(fleetRow(scenario, entry, JSON.parse(JSON.stringify(halves)))).toEqual(whole)
  })

  test('a block that is counted twice is refused, and so is a row with parts missing', () => {
    const entry = entryIn(scenario)
    const [first, second] = partsOf(scenario, entry).map((part) => () => runPart(scenario, entry, part))
    const one = (first as () => ReturnType<typeof runPart>)()
    const two = (second as () => ReturnType<typeof runPart>)()
    expect(() => mergeTallies([one, two, one])).toThrow(RangeError)
    expect(() => fleetRow(scenario, entry, mergeTallies([one, two]))).toThrow(/missing/)
  })
})

test('replications have seeds of their own, and give intervals', () => {
  const row = played(scenarioOf(`${FLEET}replications: 4\nmechanisms: ["poll:7s"]\n`))
  expect(row.replications).toBe(4)
  expect(row.load.peak.plusMinus).toBeGreaterThan(0)
  expect(row.checksum.split('-')).toHaveLength(4)
})

test('tasks that share handlers wait for each other', () => {
  const text = `${FLEET}agent: { capacity: { handlers: 1, service: 2s } }\nmechanisms: ["poll:30s"]\n`
  const scenario = scenarioOf(text)
  expect(partsOf(scenario, entryIn(scenario))).toHaveLength(1)
  const { waitingMs, overload } = played(scenario)
  expect(waitingMs?.mean.value).toBeGreaterThan(100)
  expect(overload?.load ?? 0).toBeGreaterThanOrEqual(0)
})

test('a mix goes by each of its policies as its shares say', () => {
  const row = played(
    scenarioOf(
      `${FLEET}mechanisms:\n  - { mix: [{ share: 70%, policy: poll:5s }, { share: 30%, policy: stream }], label: today }\n`,
    ),
  )
  const streams = row.streamEvents / 2
  expect(streams).toBeGreaterThan(60)
  expect(streams).toBeLessThan(120)
  expect(row.executions.map(({ share }) => share)).toEqual([0.7, 0.3])
})

test('what is not played yet is said', () => {
  const scenario = scenarioOf(
    `${FLEET.replace('tasks: 300', 'tasks: 300, clients: 4')}mechanisms: ["poll:5s,scope=client"]\n`,
  )
  expect(() => partsOf(scenario, entryIn(scenario))).toThrow(/scope=task/)
})
