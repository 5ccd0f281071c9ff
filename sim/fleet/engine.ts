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
import { executionOf, notPlayed, sharedIn } from './execution.ts'
import { playEach, playTogether } from './lean-tasks.ts'
import { planFleet } from './plan.ts'
import { pollRows } from './poll-rows.ts'
import { rowOfCounted } from './row.ts'
import { sweepClosed } from './sweep/closed.ts'
import { createConnectionSweep } from './sweep/connections.ts'
import type { Frame } from './tally/frame.ts'

/** Those among whom the tasks of a row are shared. */
const membersOf = ({
  policy,
  word,
  mix,
}: MechanismEntry): readonly { share: number; word: string; policy: Policy }[] =>
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
  const [first] = members
  const execution = executionOf(scenario, entry.policy)
  const rows = pollRows(fleet.jobs)
  const counted = createCounted({
    frame: frameOf(fleet),
    rows: rows.names,
    wanted: { live: false, inFlight: true },
  })
  const blocks = { fromBlock, toBlock }
  if (execution.name === 'sweep' && members.length === 1) {
    const { schedule, upUs, downUs, connections: use } = execution
    const { horizonUs } = scenario
    const connections = createConnectionSweep(
      schedule,
      { use, roundTripUs: upUs + downUs, horizonUs },
      counted.tally,
    )
    sweepClosed(plan, blocks, { schedule, upUs, downUs, horizonUs, rows }, counted.tally, connections)
    tellSweep(counted, fleet, connections.opened())
  } else if (execution.name === 'lean' && execution.shared && first !== undefined)
    playTogether(plan, scenario, members, counted)
  else playEach(plan, blocks, scenario, members, counted)
  return dataOf(counted, replication, blocks) as unknown as FleetTally
}

const frameOf = ({ warmupUs, windowUs, binUs }: Fleet): Frame => ({
  fromUs: warmupUs,
  toUs: warmupUs + windowUs,
  binUs,
})

/** Of polls that were looked up, the numbers a row tells. */
function tellSweep({ tally, counts }: Counted, { jobs }: Fleet, opened: number): void {
  const total = (sum: Parameters<typeof tally.totalOf>[0]): number => Number(tally.totalOf(sum))
  const { names } = pollRows(jobs)
  const isPoll = (name: string) => / poll (\d+|end)$/.test(name)
  const polls = names.reduce((sum, name, row) => sum + (isPoll(name) ? (tally.rows[row] as number) : 0), 0)
  counts.requests = tally.load.total
  counts.polls = polls
  // Of all jobs the result comes with the end.
  const atEnd = jobs.length === 1 ? 1 + (jobs[0]?.job.result.length ?? 0) : 1
  counts['updates.happened'] = total('happened') + atEnd * total('learned')
  counts['updates.learned'] = total('seen') + total('coalesced') + atEnd * total('learned')
  counts['updates.coalesced'] = total('coalesced')
  counts['updates.lost'] = counts['updates.happened'] - counts['updates.learned']
  counts.emptyPolls = Math.max(0, polls - total('newsPolls'))
  counts['connections.opened'] = opened
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
  const executions = members.map(({ share, word, policy }) => {
    const { name, why } = executionOf(scenario, policy)
    const isMixed = members.length > 1 && name === 'sweep'
    return isMixed
      ? {
          share,
          policy: word,
          name: 'lean' as const,
          why: 'tasks share nothing: one after the other, by the processes of the replay',
        }
      : { share, policy: word, name, why }
  })
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
