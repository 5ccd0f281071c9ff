/** A fleet as 64 blocks of tasks: when each begins, of which kind it is, how long it takes. The same for every mechanism. */
import { drawUs, gridPointUs } from '../kernel/distribution.ts'
import { entityStream } from '../kernel/entity-random.ts'
import { sfc32Of } from '../kernel/random.ts'
import type { Sfc32 } from '../kernel/sfc32.ts'
import { US_PER_SECOND } from '../kernel/units.ts'
import type { Arrivals, Fleet, JobKind } from '../scenario/fleet.ts'
import type { ArrivalBlocks } from './arrivals/block-arrivals.ts'
import { daily } from './arrivals/daily.ts'
import { even } from './arrivals/even.ts'
import { constant, type Intensity, totalOf } from './arrivals/intensity.ts'
import { onOff } from './arrivals/on-off.ts'
import { poissonByNumber, poissonByRate } from './arrivals/poisson.ts'
import { recorded } from './arrivals/recorded.ts'
import { together } from './arrivals/together.ts'
import type { TaskBatch } from './batch.ts'
import { BATCH, BLOCKS, entityOf } from './blocks.ts'
import { type FillLengths, lengthsOf } from './lengths.ts'

export interface FleetPlan {
  fleet: Fleet
  seed: number
  arrivals: ArrivalBlocks
  /** How many tasks the block has. Where only drawing them tells, they are drawn. */
  countOf(block: number): number
  /** Number of the block's first task in the whole fleet, from 0. */
  firstOf(block: number): number
}

/** @param seed of the replication */
export function planFleet(fleet: Fleet, seed: number): FleetPlan {
  const arrivals = arrivalsOf(fleet.arrivals, seed)
  const counts = new Float64Array(BLOCKS).fill(-1)
  function countOf(block: number): number {
    if ((counts[block] as number) < 0) counts[block] = arrivals.countOf(block) ?? drawnCount(arrivals, block)
    return counts[block] as number
  }
  return {
    fleet,
    seed,
    arrivals,
    countOf,
    firstOf(block) {
      let first = 0
      for (let before = 0; before < block; before++) first += countOf(before)
      return first
    },
  }
}

function drawnCount(arrivals: ArrivalBlocks, block: number): number {
  const column = new Float64Array(BATCH)
  const drawn = arrivals.of(block)
  let sum = 0
  for (let count = drawn.next(column); count > 0; count = drawn.next(column)) sum += count
  return sum
}

function arrivalsOf(arrivals: Arrivals, seed: number): ArrivalBlocks {
  switch (arrivals.of) {
    case 'poisson':
      return poisson(seed, constant(arrivals.withinUs), arrivals)
    case 'daily':
      return poisson(seed, daily(arrivals.weights, arrivals.withinUs), arrivals)
    case 'on-off':
      return poisson(seed, onOff(seed, arrivals, arrivals.withinUs), arrivals)
    case 'even':
      return even(arrivals.tasks, arrivals.withinUs)
    case 'together':
      return together(arrivals.tasks)
    case 'trace':
      return recorded(arrivals.trace, arrivals.withinUs)
  }
}

const poisson = (
  seed: number,
  intensity: Intensity,
  { size }: Extract<Arrivals, { of: 'poisson' | 'daily' | 'on-off' }>,
): ArrivalBlocks =>
  size.of === 'tasks'
    ? poissonByNumber(seed, intensity, size.tasks)
    : poissonByRate(seed, intensity, (size.perSecond * totalOf(intensity)) / US_PER_SECOND)

/** The tasks of one block, in order. */
export interface BlockTasks {
  /** Fills the batch with the next tasks; false when there are no more. */
  next(batch: TaskBatch): boolean
}

export function blockTasks(plan: FleetPlan, block: number): BlockTasks {
  const arrivals = plan.arrivals.of(block)
  const fill = fillOf(plan, block)
  let index = 0
  return {
    next(batch) {
      const count = arrivals.next(batch.arrivalUs)
      batch.block = block
      batch.index = index
      batch.count = count
      if (count === 0) return false
      fill(batch)
      index += count
      return true
    },
  }
}

type Fill = (batch: TaskBatch) => void

/** What fills a block's kinds and lengths: those of a trace, of a single kind in bulk, or of several kinds one by one. */
function fillOf(plan: FleetPlan, block: number): Fill {
  const { fleet, seed } = plan
  const { arrivals, jobs } = fleet
  const random = sfc32Of(seed, `lengths of block ${block}`)
  const [only] = jobs
  if (only === undefined) throw new RangeError('a fleet has at least one kind of job')
  let fill: Fill
  if (jobs.length > 1) fill = severalKinds(plan, block, random)
  else {
    const fillLengths: FillLengths = lengthsOf(only.job.length, random, () => plan.firstOf(block))
    fill = ({ lengthUs, count }) => fillLengths(lengthUs, count)
  }
  const recordedUs = arrivals.of === 'trace' ? arrivals.trace.durationUs : undefined
  if (recordedUs === undefined) return fill
  return (batch) => {
    if (jobs.length > 1) fill(batch)
    const from = plan.firstOf(block) + batch.index
    batch.lengthUs.set(recordedUs.subarray(from, from + batch.count))
  }
}

/** Kinds that are counted take the first tasks in order, the others are drawn by their shares. Every task takes four words for its length, whatever its kind. */
function severalKinds(plan: FleetPlan, block: number, random: Sfc32): Fill {
  const { jobs } = plan.fleet
  const first =
    jobs.some(isCounted) || jobs.some(({ job }) => job.length?.of === 'grid') ? plan.firstOf(block) : 0
  const chance = entityStream(plan.seed, 'job kind')
  const chooses = createChoice(jobs)
  const stream = groupsOfTwo(random)
  return ({ index, count, kind, lengthUs }) => {
    for (let i = 0; i < count; i++) {
      const number = first + index + i
      const chosen = chooses(number, () => chance.float(entityOf(block, index + i), 0))
      const { length } = (jobs[chosen] as JobKind).job
      kind[i] = chosen
      stream.nextGroup()
      lengthUs[i] =
        length === undefined
          ? Infinity
          : length.of === 'grid'
            ? gridPointUs(length, number)
            : drawUs(length, stream)
    }
  }
}

const isCounted = ({ amount }: JobKind): boolean => amount.of === 'count'

/** Which kind the task of this number is. */
function createChoice(jobs: readonly JobKind[]): (number: number, draw: () => number) => number {
  const ends: { kind: number; end: number }[] = []
  const shares: { kind: number; upTo: number }[] = []
  let counted = 0
  let sum = 0
  for (const [kind, { amount }] of jobs.entries())
    if (amount.of === 'count') ends.push({ kind, end: (counted += amount.count) })
    else shares.push({ kind, upTo: (sum += amount.share) })
  const last = (shares.at(-1) ?? ends.at(-1))?.kind ?? 0
  return (number, draw) => {
    if (number < counted) return ends.find(({ end }) => number < end)?.kind ?? last
    if (shares.length < 2) return last
    const place = draw() * sum
    return shares.find(({ upTo }) => place < upTo)?.kind ?? last
  }
}

/** Two draws for each group, whether they are taken or not. */
function groupsOfTwo(random: Sfc32): { nextGroup(): void; nextFloat(): number; nextUint32(): number } {
  const group = new Float64Array(2)
  let taken = 0
  return {
    nextGroup() {
      random.fillFloats(group, 2)
      taken = 0
    },
    nextFloat: () => group[taken++] as number,
    nextUint32: () => Math.floor((group[taken++] as number) * 2 ** 32),
  }
}
