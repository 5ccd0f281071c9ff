/**
 * Tasks that do not interact and whose polls are fixed, without any event list:
 * which poll sees the end is a division, or a look into the table of the
 * schedule, and the polls of a task are counted as a progression. A task costs
 * the same however often it is polled.
 */
import { type BlockTasks, blockTasks, type FleetPlan } from '../plan.ts'
import { createBatch, type TaskBatch } from '../batch.ts'
import { BATCH } from '../blocks.ts'
import type { PollRows } from '../poll-rows.ts'
import { type FixedSchedule, firstPollFrom, pollAtUs, pollsIn } from '../schedule.ts'
import { createTaskEnds, FAILED, LEARNED, NOT_LEARNED, type TaskEnds, UNFINISHED } from '../tally/task-ends.ts'
import type { Tally } from '../tally/tally.ts'

/** What is the same for all tasks of a fleet that polls by a fixed schedule. */
export interface FixedPolling {
  schedule: FixedSchedule
  upUs: number
  downUs: number
  /** Where the run stops: what falls on it does not happen. */
  horizonUs: number
  rows: PollRows
}

/** Computes some blocks of a fleet. */
export function sweepClosed(
  plan: FleetPlan,
  { fromBlock, toBlock }: { fromBlock: number; toBlock: number },
  polling: FixedPolling,
  tally: Tally,
): void {
  const batch = createBatch()
  const sweep = createSweep(plan, polling, tally)
  for (let block = fromBlock; block < toBlock; block++) sweepBlock(blockTasks(plan, block), batch, sweep)
}

function sweepBlock(tasks: BlockTasks, batch: TaskBatch, sweep: (batch: TaskBatch) => boolean): void {
  while (tasks.next(batch) && sweep(batch)) {
    // Until the block or the window is over.
  }
}

/** What computes a batch; false once no later task of the block can matter. */
function createSweep(plan: FleetPlan, polling: FixedPolling, tally: Tally): (batch: TaskBatch) => boolean {
  const { schedule, upUs, downUs, horizonUs } = polling
  const { headUs, tail, lastUs } = schedule
  const { frame, wanted } = tally.shape
  const roundTripUs = upUs + downUs
  const jobs = plan.fleet.jobs
  const isOneKind = jobs.length === 1
  const hasUpdates = jobs.some(({ job }) => job.evenly > 0)
  const ends = createTaskEnds()
  const progressions = { startUs: new Float64Array(BATCH), count: new Float64Array(BATCH), everyUs: tail.everyUs }
  const column = new Float64Array(BATCH)
  const isRegular = headUs.length === 1 && tail.polls === Infinity
  const polls = pollsIn(schedule)
  const windowEndUs = Math.min(frame.toUs, horizonUs)

  /** Which poll sees the end, as if the run never stopped and nobody gave up. */
  const look = isRegular ? lookRegular : lookUp

  function lookRegular(batch: TaskBatch): boolean {
    const { arrivalUs, lengthUs, count } = batch
    const firstUs = headUs[0] as number
    const { everyUs } = tail
    const { lateUs, endUs, polls: made } = ends
    let latestUs = 0
    for (let i = 0; i < count; i++) {
      const length = lengthUs[i] as number
      const waits = Math.max(Math.ceil((length - firstUs) / everyUs), 0)
      const learnedUs = firstUs + waits * everyUs + downUs
      const end = (arrivalUs[i] as number) + learnedUs + upUs
      made[i] = waits + 1
      lateUs[i] = learnedUs - length
      endUs[i] = end
      if (end > latestUs) latestUs = end
    }
    return latestUs < horizonUs
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
      const { startUs, count: following } = progressions
      const before = isRegular ? 0 : heads
      const fromUs = (headUs[heads - 1] as number) + (isRegular ? 0 : tail.everyUs)
      for (let i = 0; i < count; i++) {
        startUs[i] = (arrivalUs[i] as number) + fromUs
        following[i] = Math.min(Math.max((made[i] as number) - before, 0), tail.polls + 1)
      }
      if (!isRegular && tail.polls !== Infinity)
        for (let i = 0; i < count; i++) following[i] = Math.min(following[i] as number, tail.polls)
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
      ends.how.fill(LEARNED, 0, count)
      ends.news.fill(1, 0, count)
    }
    if (!areAllUsual) correct(batch)
    isPlain = areAllUsual && !hasUpdates
    const from = placeOf(arrivalUs, count, frame.fromUs)
    const to = placeOf(arrivalUs, count, windowEndUs)
    if (hasUpdates) tellUpdates(batch, from, to, ends, polling, tally)
    if (isPlain) tally.addLearned(block, ends, from, to)
    else tally.addTasks(block, ends, from, to, schedule.giveUp?.reason)
    if (wanted.live) tally.live.addColumns(arrivalUs, ends.endUs, to)
    addMoments(arrivalUs, to)
    const counted = countPolls(batch)
    if (isOneKind && !hasUpdates) countRows(batch, to - from, counted, ends, polling, tally)
    else countRowsOfKinds(batch, to, ends, polling, tally)
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

/** Rows where all tasks are alike and nothing happens before the end: the last poll of those that learned, and all others. */
function countRows(
  { count }: TaskBatch,
  sends: number,
  counted: number,
  { endUs, how }: TaskEnds,
  { rows, upUs, downUs }: FixedPolling,
  { shape, rows: counts }: Tally,
): void {
  const fromUs = shape.frame.fromUs + upUs + downUs
  const toUs = shape.frame.toUs + upUs + downUs
  let last = 0
  for (let i = 0; i < count; i++) {
    const us = endUs[i] as number
    if (us >= fromUs && us < toUs && how[i] === LEARNED) last++
  }
  const send = rows.send[0] as number
  const poll = rows.poll[0] as number
  counts[send] = (counts[send] as number) + sends
  counts[poll] = (counts[poll] as number) + counted - last
  counts[poll + 1] = (counts[poll + 1] as number) + last
}

/** Rows by the kind of each task and the moment each of its polls shows. */
function countRowsOfKinds(
  { arrivalUs, lengthUs, kind }: TaskBatch,
  count: number,
  { polls, how }: TaskEnds,
  { schedule, rows }: FixedPolling,
  { shape, rows: counts }: Tally,
): void {
  const { fromUs, toUs } = shape.frame
  for (let i = 0; i < count; i++) {
    const arrival = arrivalUs[i] as number
    const made = polls[i] as number
    const of = kind[i] as number
    const before = rows.before[of] as number
    const poll = rows.poll[of] as number
    const send = rows.send[of] as number
    if (arrival >= fromUs && arrival < toUs) counts[send] = (counts[send] as number) + 1
    // Those of its polls that lie in the window.
    const low = Math.min(arrival >= fromUs ? 0 : firstPollFrom(schedule, fromUs - arrival), made)
    const high = toUs === Infinity ? made : Math.min(firstPollFrom(schedule, toUs - arrival), made)
    const lengthOf = lengthUs[i] as number
    const lastOnes = how[i] === LEARNED ? made - 1 : made
    let from = low
    for (let moment = 0; moment <= before + 1; moment++) {
      const next =
        moment === before + 1
          ? high
          : moment === before
            ? Math.min(lastOnes, high)
            : Math.min(firstPollFrom(schedule, toldUs(lengthOf, moment + 1, before)), lastOnes, high)
      if (next > from) {
        counts[poll + moment] = (counts[poll + moment] as number) + next - from
        from = next
      }
    }
  }
}

/** When update number `told` of so many before the end happens. */
const toldUs = (lengthUs: number, told: number, before: number): number =>
  Math.round((told * lengthUs) / (before + 1))

/** What became of the updates before the end, and how many polls showed one. */
function tellUpdates(
  { lengthUs, kind, arrivalUs, block }: TaskBatch,
  from: number,
  to: number,
  { polls, news, how }: TaskEnds,
  { schedule, rows, horizonUs, upUs }: FixedPolling,
  tally: Tally,
): void {
  let happened = 0
  let seen = 0
  let coalesced = 0
  for (let i = from; i < to; i++) {
    const length = lengthUs[i] as number
    const before = rows.before[kind[i] as number] as number
    const made = polls[i] as number
    const hasLearned = how[i] === LEARNED
    const leftUs = horizonUs - (arrivalUs[i] as number) - upUs
    let told = 0
    let known = 0
    let shown = 0
    let latest = -1
    for (let update = 1; update <= before; update++) {
      const us = toldUs(length, update, before)
      if (us >= leftUs) break
      told += 1
      const poll = firstPollFrom(schedule, us)
      if (poll >= made) continue
      known += 1
      if (poll !== latest && !(hasLearned && poll === made - 1)) shown += 1
      latest = poll
    }
    happened += told
    seen += shown
    coalesced += known - shown
    news[i] = (news[i] as number) + shown
  }
  tally.add('happened', block, happened)
  tally.add('seen', block, seen)
  tally.add('coalesced', block, coalesced)
}
