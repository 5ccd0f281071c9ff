/** From what was counted to the row that tells of it. */
import { msOf, US_PER_SECOND } from '../kernel/units.ts'
import {
  type Estimate,
  type Execution,
  FLEET_COUNTS,
  type FleetCount,
  type FleetRow,
  type OverTime,
  type Spread,
} from '../metrics/fleet-row.ts'
import { BLOCKS } from './blocks.ts'
import type { Count, Counted } from './counted.ts'
import type { Held } from './tally/held.ts'
import type { Tally, TaskSum } from './tally/tally.ts'

export interface RowNames {
  mechanism: string
  policy: string
  executions: readonly Execution[]
  /** What is asked of the handlers, over what they can do; `undefined` without handlers. */
  load: number | undefined
}

/** @param replications at least one, each whole */
export function rowOfCounted(names: RowNames, replications: readonly Counted[]): FleetRow {
  const { mechanism, policy, executions } = names
  const tallies = replications.map(({ tally }) => tally)
  const count = (name: Count): number => meanOf(replications.map(({ counts }) => counts[name]))
  const total = (sum: TaskSum): number => meanOf(tallies.map((tally) => Number(tally.totalOf(sum))))
  const { binUs } = (tallies[0] as Tally).shape.frame
  return {
    mechanism,
    policy,
    executions,
    replications: replications.length,
    tasks: total('tasks'),
    outcomes: {
      learned: total('learned'),
      notLearned: total('notLearned'),
      failed: total('failed'),
      unfinished: total('unfinished'),
    },
    reasons: reasonsOf(tallies),
    ...(Object.fromEntries(FLEET_COUNTS.map((name) => [name, count(name)])) as Record<FleetCount, number>),
    updates: {
      happened: count('updates.happened'),
      learned: count('updates.learned'),
      coalesced: count('updates.coalesced'),
      lost: count('updates.lost'),
      messagesLost: count('updates.messagesLost'),
      duplicate: count('updates.duplicate'),
    },
    octets: null,
    load: overTime(tallies, (tally) => ratesOf(tally)),
    requestsInFlight: overTime(tallies, (tally) => levelsOf(tally.inFlight)),
    connectionsOpen: overTime(tallies, (tally) => levelsOf(tally.connections)),
    connections: {
      opened: count('connections.opened'),
      seconds: meanOf(tallies.map(({ connections }) => Number(connections.timeUs()) / US_PER_SECOND)),
    },
    timeToLearnMs: spreadOf(tallies),
    waitingMs: waitingOf(tallies),
    overload: names.load !== undefined && names.load >= 1 ? { load: names.load } : null,
    binMs: msOf(binUs),
    checksum: tallies.map((tally) => tally.checksum()).join('-'),
  }
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

/** Half width of the 95 % interval of a mean of independent values; `null` of a single one. */
function halfWidth(values: readonly number[]): number | null {
  const n = values.length
  if (n < 2) return null
  const mean = meanOf(values)
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1)
  return studentT(n - 1) * Math.sqrt(variance / n)
}

/** The 97.5 % point of Student's distribution: a table, and beyond it its series in 1/n. */
function studentT(freedom: number): number {
  const known = T_POINTS[freedom - 1]
  if (known !== undefined) return known
  const z = 1.959963984540054
  return z + (z ** 3 + z) / (4 * freedom) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2)
}
const T_POINTS = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228]

const estimateOf = (values: readonly number[]): Estimate => ({
  value: meanOf(values),
  plusMinus: halfWidth(values),
})

function reasonsOf(tallies: readonly Tally[]): FleetRow['reasons'] {
  const sums = new Map<string, number>()
  for (const tally of tallies)
    for (const [reason, tasks] of tally.reasonCounts()) sums.set(reason, (sums.get(reason) ?? 0) + tasks)
  return [...sums]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([reason, tasks]) => ({ reason, tasks: tasks / tallies.length }))
}

// Over time

interface Over {
  mean: number
  peak: number
  series: ArrayLike<number>
}

function overTime(tallies: readonly Tally[], read: (tally: Tally) => Over): OverTime {
  const each = tallies.map(read)
  const bins = Math.max(...each.map(({ series }) => series.length))
  return {
    mean: estimateOf(each.map(({ mean }) => mean)),
    peak: estimateOf(each.map(({ peak }) => peak)),
    series: Array.from({ length: bins }, (_, bin) => meanOf(each.map(({ series }) => series[bin] ?? 0))),
  }
}

function ratesOf({ load, shape }: Tally): Over {
  const { fromUs, toUs, binUs } = shape.frame
  const counts = load.counts()
  const perBin = US_PER_SECOND / binUs
  const lengthUs = toUs === Infinity ? counts.length * binUs : toUs - fromUs
  return {
    mean: lengthUs > 0 ? (load.total * US_PER_SECOND) / lengthUs : 0,
    peak: mostOf(counts) * perBin,
    series: Array.from(counts, (count) => count * perBin),
  }
}

function levelsOf(held: Held): Over {
  const { fromUs, toUs, binUs } = held.frame
  const series = held.levels()
  const lengthUs = toUs === Infinity ? series.length * binUs : toUs - fromUs
  return {
    mean: lengthUs > 0 ? Number(held.timeUs()) / lengthUs : 0,
    peak: held.peak ?? mostOf(series),
    series,
  }
}

function mostOf(values: ArrayLike<number>): number {
  let most = 0
  for (let i = 0; i < values.length; i++) most = Math.max(most, values[i] as number)
  return most
}

// Times

function spreadOf(tallies: readonly Tally[]): Spread | null {
  if (tallies.every(({ late }) => late.count === 0)) return null
  const several = tallies.length > 1
  const quantile = (share: number): Estimate | null => {
    const values = tallies.flatMap((tally) => quantileOf(tally, share) ?? [])
    const [first] = values
    if (first === undefined || values.length < tallies.length) return null
    return several ? estimateOf(values.map(({ value }) => value)) : first
  }
  const mean = several
    ? estimateOf(tallies.map((tally) => msOf(meanLateUs(tally))))
    : { value: msOf(meanLateUs(tallies[0] as Tally)), plusMinus: blockwise(tallies[0] as Tally) }
  return {
    mean,
    p50: quantile(0.5),
    p90: quantile(0.9),
    p95: quantile(0.95),
    p99: quantile(0.99),
    p999: quantile(0.999),
    max: msOf(Math.max(...tallies.map(({ late }) => late.most))),
    exact: tallies.every(({ late }) => late.isExact),
  }
}

const meanLateUs = (tally: Tally): number =>
  Number(tally.totalOf('lateUs')) / Math.max(1, Number(tally.totalOf('learned')))

/** Blocks follow each other in time: the means of their tasks are the batches of the method of batch means, each weighing as its tasks do. */
function blockwise(tally: Tally): number | null {
  const mean = meanLateUs(tally)
  const all = Number(tally.totalOf('learned'))
  let blocks = 0
  let squares = 0
  for (let block = 0; block < BLOCKS; block++) {
    const learned = Number(tally.sumOf('learned', block))
    if (learned === 0) continue
    blocks += 1
    squares += (Number(tally.sumOf('lateUs', block)) - learned * mean) ** 2
  }
  if (blocks < 2) return null
  return msOf((studentT(blocks - 1) * Math.sqrt((squares * blocks) / (blocks - 1))) / all)
}

/** With the interval between the order statistics that bound it, as the binomial law has them. */
function quantileOf(tally: Tally, share: number): Estimate | undefined {
  const tasks = Number(tally.totalOf('tasks')) - Number(tally.totalOf('unfinished'))
  const us = tally.late.quantile(share, tasks)
  if (us === undefined) return undefined
  const spread = 1.96 * Math.sqrt((share * (1 - share)) / tasks)
  const low = tally.late.quantile(Math.max(0, share - spread), tasks)
  const high = share + spread >= 1 ? undefined : tally.late.quantile(share + spread, tasks)
  const plusMinus = low === undefined || high === undefined ? null : msOf((high - low) / 2)
  return { value: msOf(us), plusMinus }
}

function waitingOf(tallies: readonly Tally[]): FleetRow['waitingMs'] {
  if (tallies.every(({ waits }) => waits.count === 0)) return null
  const p95s = tallies.map(({ waits }) => waits.quantile(0.95))
  return {
    mean: estimateOf(
      tallies.map(({ waits, waited }) => msOf(Number(waited.valueOf(0)) / Math.max(1, waits.count))),
    ),
    p95: p95s.some((us) => us === undefined) ? null : estimateOf(p95s.map((us) => msOf(us ?? 0))),
    max: msOf(Math.max(...tallies.map(({ waits }) => waits.most))),
  }
}
