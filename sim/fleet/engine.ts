/** Plays the rows of a fleet: in parts, by whichever execution is exact, and tells of what was counted. */
import { meanUs } from '../kernel/distribution.ts'
import { US_PER_SECOND } from '../kernel/units.ts'
import type { FleetRow } from '../metrics/fleet-row.ts'
import type { Policy } from '../policies/policy.ts'
import type { Fleet } from '../scenario/fleet.ts'
import { titleOf } from '../scenario/policies/title.ts'
import type { MechanismEntry, Scenario } from '../scenario/scenario.ts'
import { BLOCKS } from './blocks.ts'
import { type Counted, type CountedData, createCounted, dataOf, isWhole, joined, tallyIn } from './counted.ts'
import type { FleetEngine, FleetPart, FleetTally } from './door.ts'
import { executionOf, notPlayed, sharedIn, type SweepExecution } from './execution.ts'
import { type Member, playEach, playTogether } from './lean-tasks.ts'
import { type FleetPlan, planFleet } from './plan.ts'
import { pollRows, type PollRows } from './poll-rows.ts'
import { rowOfCounted } from './row.ts'
import { sweepClosed } from './sweep/closed.ts'
import { createConnectionSweep } from './sweep/connections.ts'
import { createNewsSweep } from './sweep/news.ts'
import type { Frame } from './tally/frame.ts'
import type { TaskSum } from './tally/tally.ts'

/** Those among whom the tasks of a row are shared. */
const membersOf = ({ policy, word, mix }: MechanismEntry): readonly (Member & { word: string })[] =>
  mix ?? [{ share: 1, word, policy }]

/** @throws RangeError for what is no fleet */
function fleetOf({ fleet, name }: Scenario): Fleet {
  if (fleet === undefined) throw new RangeError(`${name} is about one task: it has no fleet`)
  return fleet
}

export const partsOf: FleetEngine['partsOf'] = (scenario, entry) => {
  fleetOf(scenario)
  for (const { policy } of membersOf(entry)) {
    const problem = notPlayed(scenario, policy)
    if (problem !== undefined) throw new RangeError(problem)
  }
  const wide = sharedIn(scenario) === undefined ? 1 : BLOCKS
  const parts: FleetPart[] = []
  for (let replication = 0; replication < scenario.replications; replication++)
    for (let fromBlock = 0; fromBlock < BLOCKS; fromBlock += wide)
      parts.push({ replication, fromBlock, toBlock: fromBlock + wide })
  return parts
}

export const runPart: FleetEngine['runPart'] = (scenario, entry, { replication, fromBlock, toBlock }) => {
  const fleet = fleetOf(scenario)
  const plan = planFleet(fleet, scenario.seed + replication)
  const members = membersOf(entry)
  const execution = executionOf(scenario, policiesOf(members))
  const rows = pollRows(fleet.jobs)
  const counted = createCounted({
    frame: frameOf(fleet),
    rows: rows.names,
    wanted: { live: false, inFlight: true },
  })
  const blocks = { fromBlock, toBlock }
  if (execution.name === 'sweep') sweepRow(plan, blocks, scenario.horizonUs, execution, rows, counted)
  else if (execution.shared) playTogether(plan, scenario, members, counted)
  else playEach(plan, blocks, scenario, members, counted)
  return dataOf(counted, replication, blocks) as unknown as FleetTally
}

const policiesOf = (members: readonly Member[]): Policy[] => members.map(({ policy }) => policy)

const frameOf = ({ warmupUs, windowUs, binUs }: Fleet): Frame => ({
  fromUs: warmupUs,
  toUs: warmupUs + windowUs,
  binUs,
})

/** Looks all polls up, and counts what a row tells of them. */
function sweepRow(
  plan: FleetPlan,
  blocks: Pick<FleetPart, 'fromBlock' | 'toBlock'>,
  horizonUs: number,
  { schedule, upUs, downUs, connections: use }: SweepExecution,
  rows: PollRows,
  { tally, counts }: Counted,
): void {
  const polling = { schedule, upUs, downUs, horizonUs, rows }
  const connections = createConnectionSweep(schedule, { use, roundTripUs: upUs + downUs, horizonUs }, tally)
  const news = createNewsSweep(polling, tally)
  sweepClosed(plan, blocks, polling, tally, [connections, news])

  const total = (sum: TaskSum): number => Number(tally.totalOf(sum))
  const sends = rows.send.reduce((sum, row) => sum + (tally.rows[row] as number), 0)
  // With the end comes the result, of every kind of job as much.
  const atEnd = 1 + (plan.fleet.jobs[0]?.job.result.length ?? 0)
  counts.requests = tally.load.total
  counts.polls = tally.load.total - sends
  counts.emptyPolls = counts.polls - news.notEmpty()
  counts['updates.happened'] = total('happened') + atEnd * news.endsHappened()
  counts['updates.learned'] = total('seen') + total('coalesced') + atEnd * total('learned')
  counts['updates.coalesced'] = total('coalesced')
  counts['updates.lost'] = counts['updates.happened'] - counts['updates.learned']
  counts['connections.opened'] = connections.opened()
}

export const mergeTallies: FleetEngine['mergeTallies'] = (tallies) => {
  const runs = new Map<number, CountedData[]>()
  for (const tally of tallies) {
    for (const run of runsOf(tally)) {
      const known = runs.get(run.replication)
      if (known === undefined) runs.set(run.replication, [run])
      else known.push(run)
    }
  }
  const merged = [...runs].toSorted(([a], [b]) => a - b).map(([, parts]) => joined(parts))
  return { runs: merged } as unknown as FleetTally
}

/** A tally is that of one part, or of several replications. */
function runsOf(tally: FleetTally): readonly CountedData[] {
  const data = tally as unknown as CountedData | { runs: readonly CountedData[] }
  return 'runs' in data ? data.runs : [data]
}

export const fleetRow: FleetEngine['fleetRow'] = (scenario, entry, tally): FleetRow => {
  const runs = runsOf(tally)
  if (runs.length !== scenario.replications || !runs.every(isWhole))
    throw new RangeError('some parts of the row are missing')
  const counted = runs.map((run) => ({ tally: tallyIn(run), counts: run.counts }))
  const members = membersOf(entry)
  const { name, why } = executionOf(scenario, policiesOf(members))
  const executions = members.map(({ share, word }) => ({ share, policy: word, name, why }))
  const names = {
    mechanism: entry.label ?? titleOf(entry.policy),
    policy:
      members.length === 1
        ? entry.word
        : members.map(({ share, word }) => `${round(share * 100)}% ${word}`).join(' + '),
    executions,
    load: offeredLoad(scenario, counted),
  }
  return rowOfCounted(names, counted)
}

const round = (share: number): number => Math.round(share * 100) / 100

/** What arrives at the handlers in a second times how long it takes them, over how many they are. */
function offeredLoad({ agent, fleet }: Scenario, counted: readonly Counted[]): number | undefined {
  const { capacity } = agent
  if (capacity?.handlers === undefined || fleet === undefined) return undefined
  const time = capacity.service.find(
    ({ operations }) => operations === undefined || operations.includes('poll'),
  )
  if (time === undefined || fleet.windowUs === Infinity) return undefined
  const perSecond =
    counted.reduce((sum, { tally }) => sum + tally.load.total, 0) /
    counted.length /
    (fleet.windowUs / US_PER_SECOND)
  return (perSecond * (meanUs(time.time) / US_PER_SECOND)) / capacity.handlers
}
