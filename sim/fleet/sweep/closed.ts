/**
 * Tasks that do not interact and whose polls are fixed, without any event list:
 * which poll sees the end is a division, or a look into the table of the
 * schedule, and the polls of a task are counted as a progression. A task costs
 * the same however often it is polled.
 */
import { type BlockTasks, blockTasks, type FleetPlan } from '../plan.ts'
import { createBatch, type TaskBatch } from '../batch.ts'
import { BATCH } from '../blocks.ts'
import {
  type FixedPolling,
  countRows,
  countRowsOfKinds,
  seenInWindow,
  tellUpdates,
} from '../fixed-polling.ts'
import { firstPollFrom, pollAtUs, pollsIn } from '../schedule.ts'
import type { BatchCounter } from './batch-counter.ts'
import { createTaskEnds, FAILED, LEARNED, NOT_LEARNED, UNFINISHED } from '../tally/task-ends.ts'
import type { Tally } from '../tally/tally.ts'

/** Computes some blocks of a fleet. @param counters count what else is wanted */
export function sweepClosed(
  plan: FleetPlan,
  { fromBlock, toBlock }: { fromBlock: number; toBlock: number },
  polling: FixedPolling,
  tally: Tally,
  counters: readonly BatchCounter[] = [],
): void {
  const batch = createBatch()
  const sweep = createSweep(plan, polling, tally, counters)
  for (let block = fromBlock; block < toBlock; block++) sweepBlock(blockTasks(plan, block), batch, sweep)
}

function sweepBlock(tasks: BlockTasks, batch: TaskBatch, sweep: (batch: TaskBatch) => boolean): void {
  while (tasks.next(batch) && sweep(batch)) {
    // Until the block or the window is over.
  }
}

/** What computes a batch; false once no later task of the block can matter. */
function createSweep(
  plan: FleetPlan,
  polling: FixedPolling,
  tally: Tally,
  counters: readonly BatchCounter[],
): (batch: TaskBatch) => boolean {
  const { schedule, upUs, downUs, horizonUs } = polling
  const { headUs, tail, lastUs } = schedule
  const { frame, wanted } = tally.shape
  const roundTripUs = upUs + downUs
  const jobs = plan.fleet.jobs
  const isOneKind = jobs.length === 1
  const hasUpdates = jobs.some(({ job }) => job.evenly > 0)
  const ends = createTaskEnds()
  const following = new Float64Array(BATCH)
  const column = new Float64Array(BATCH)
  const isRegular = headUs.length === 1 && tail.polls === Infinity
  const polls = pollsIn(schedule)
  const windowEndUs = Math.min(frame.toUs, horizonUs)

  /** When the last task of the batch is over; Infinity where nobody has looked. */
  let latestUs = Infinity

  /** Which poll sees the end, as if the run never stopped and nobody gave up. */
  const look = isRegular ? lookRegular : lookUp

  function lookRegular(batch: TaskBatch): boolean {
    const { arrivalUs, lengthUs, count } = batch
    const firstUs = headUs[0] as number
    const { everyUs } = tail
    const { lateUs, endUs, polls: made } = ends
    // Numbers of the closure are slow to read and slower to write: the loop has its own.
    const toLearnUs = downUs
    const backUs = upUs
    let latest = 0
    for (let i = 0; i < count; i++) {
      const length = lengthUs[i] as number
      const steps = Math.ceil((length - firstUs) / everyUs)
      const waits = steps > 0 ? steps : 0
      const learnedUs = firstUs + waits * everyUs + toLearnUs
      const end = (arrivalUs[i] as number) + learnedUs + backUs
      made[i] = waits + 1
      lateUs[i] = learnedUs - length
      endUs[i] = end
      if (end > latest) latest = end
    }
    latestUs = latest
    return latest < horizonUs
  }

  function lookUp(batch: TaskBatch): boolean {
    const { arrivalUs, lengthUs, count } = batch
    const { lateUs, endUs, polls: made } = ends
    let isUsual = true
    for (let i = 0; i < count; i++) {
      const length = lengthUs[i] as number
      const poll = firstPollFrom(schedule, length)
      const learnedUs = pollAtUs(schedule, poll) + downUs
      const end = (arrivalUs[i] as number) + learnedUs + upUs
      made[i] = poll + 1
      lateUs[i] = learnedUs - length
      endUs[i] = end
      if (end >= horizonUs) isUsual = false
    }
    return isUsual
  }

  /** Those that end in another way than by learning. */
  function correct({ arrivalUs, count }: TaskBatch): void {
    const { endUs, polls: made, how, news } = ends
    const { giveUp } = schedule
    for (let i = 0; i < count; i++) {
      if ((endUs[i] as number) < horizonUs) continue
      const arrival = arrivalUs[i] as number
      const stopsUs = arrival + (giveUp?.atUs ?? Infinity)
      news[i] = 0
      if (giveUp !== undefined && (made[i] as number) > polls && stopsUs < horizonUs) {
        made[i] = polls
        endUs[i] = stopsUs
        how[i] = giveUp.outcome === 'failed' ? FAILED : NOT_LEARNED
      } else {
        made[i] = firstPollFrom(schedule, horizonUs - arrival)
        endUs[i] = horizonUs
        how[i] = UNFINISHED
      }
    }
  }

  function countPolls({ arrivalUs, count }: TaskBatch): number {
    const { polls: made } = ends
    const heads = headUs.length
    let counted = 0
    // The first of a regular schedule is part of the progression.
    for (let poll = 0; poll < (isRegular ? 0 : heads); poll++) {
      let some = 0
      for (let i = 0; i < count; i++)
        if ((made[i] as number) > poll) column[some++] = (arrivalUs[i] as number) + (headUs[poll] as number)
      if (some === 0) break
      counted += addMoments(column, some)
    }
    if (tail.polls > 0) {
      if (!isRegular)
        for (let i = 0; i < count; i++)
          following[i] = Math.min(Math.max((made[i] as number) - heads, 0), tail.polls)
      const progressions = {
        fromUs: arrivalUs,
        offsetUs: (headUs[heads - 1] as number) + (isRegular ? 0 : tail.everyUs),
        count: isRegular ? made : following,
        everyUs: tail.everyUs,
      }
      counted += tally.load.addProgressions(progressions, count)
      if (wanted.inFlight && roundTripUs > 0) tally.inFlight.addProgressions(progressions, roundTripUs, count)
    }
    if (lastUs === undefined) return counted
    let some = 0
    for (let i = 0; i < count; i++)
      if ((made[i] as number) > heads + tail.polls) column[some++] = (arrivalUs[i] as number) + lastUs
    return counted + addMoments(column, some)
  }

  /** Requests at the first so many instants. */
  function addMoments(atUs: Float64Array, count: number): number {
    const before = tally.load.total
    tally.load.addColumn(atUs, count)
    if (wanted.inFlight && roundTripUs > 0) tally.inFlight.addEqual(atUs, roundTripUs, count)
    return tally.load.total - before
  }

  /** Whether all of the batch before learned with their last poll, the only one with news: as `how` and `news` still say. */
  let isPlain = false
  return (batch) => {
    const { arrivalUs, lengthUs, count, block } = batch
    if ((arrivalUs[0] as number) >= windowEndUs) return false
    ends.arrivalUs = arrivalUs
    ends.lengthUs = lengthUs
    const areAllUsual = look(batch)
    if (!isPlain) {
      ends.how.fill(LEARNED)
      ends.news.fill(1)
    }
    if (!areAllUsual) correct(batch)
    isPlain = areAllUsual && !hasUpdates
    const from = placeOf(arrivalUs, count, frame.fromUs)
    const to = placeOf(arrivalUs, count, windowEndUs)
    if (hasUpdates) tellUpdates(batch, from, to, ends, polling, tally)
    if (isPlain) tally.addLearned(block, ends, from, to)
    else tally.addTasks(block, ends, from, to, schedule.giveUp?.reason)
    if (wanted.live) tally.live.addColumns(arrivalUs, ends.endUs, to, isPlain ? latestUs : Infinity)
    for (const counter of counters) counter.add(batch, ends, to)
    addMoments(arrivalUs, to)
    const counted = countPolls(batch)
    if (isOneKind && !hasUpdates) {
      const isInside = isPlain && from === 0 && latestUs < frame.toUs
      const seen = isInside ? count : seenInWindow(batch, ends, polling, tally)
      countRows(to - from, counted, seen, polling, tally)
    } else countRowsOfKinds(batch, to, ends, polling, tally)
    return to === count
  }
}

/** How many of ascending values lie below this one. */
function placeOf(ascending: Float64Array, count: number, value: number): number {
  if (count === 0 || (ascending[count - 1] as number) < value) return count
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ascending[middle] as number) < value) low = middle + 1
    else high = middle
  }
  return low
}
