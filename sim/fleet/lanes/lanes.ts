/**
 * Polls by a fixed schedule as events, each when it is due: one ring for each
 * wait that occurs. Exact, as tasks do not interact and all waits are constant;
 * it counts what the closed sweep looks up, by another way.
 */
import { createBatch } from '../batch.ts'
import { BATCH, BLOCKS } from '../blocks.ts'
import {
  countRows,
  countRowsOfKinds,
  type FixedPolling,
  seenInWindow,
  tellUpdates,
} from '../fixed-polling.ts'
import { blockTasks, type FleetPlan } from '../plan.ts'
import { type FixedSchedule, pollAtUs, pollsIn } from '../schedule.ts'
import { createEnded, type Ended } from '../tally/ended.ts'
import { FAILED, LEARNED, NOT_LEARNED, UNFINISHED } from '../tally/task-ends.ts'
import type { Tally } from '../tally/tally.ts'
import { createDrained, type DrainedPolls, Lane } from './lane.ts'

/** More would be looked through for each event. */
const MOST_LANES = 32

/** The lane in which each poll waits; polls beyond the last entry share its lane. `undefined` if there are too many waits. */
function lanesOf({ headUs, tail, lastUs }: FixedSchedule): { lanes: Lane[]; ofPoll: Lane[] } | undefined {
  const byDelay = new Map<number, Lane>()
  const laneOf = (delayUs: number): Lane => {
    const known = byDelay.get(delayUs)
    if (known !== undefined) return known
    const lane = new Lane(delayUs)
    byDelay.set(delayUs, lane)
    return lane
  }
  if (lastUs !== undefined && tail.polls > 0) return undefined
  const ofPoll: Lane[] = []
  let beforeUs = 0
  for (const atUs of headUs) {
    ofPoll.push(laneOf(atUs - beforeUs))
    beforeUs = atUs
    if (byDelay.size > MOST_LANES) return undefined
  }
  if (tail.polls > 0) ofPoll.push(laneOf(tail.everyUs))
  else if (lastUs !== undefined) ofPoll.push(laneOf(lastUs - beforeUs))
  return { lanes: [...byDelay.values()], ofPoll }
}

/** Whether the schedule's waits are few enough. */
export const fitsLanes = (schedule: FixedSchedule): boolean => lanesOf(schedule) !== undefined

/**
 * Computes some blocks of a fleet.
 *
 * @throws RangeError for a schedule of too many different waits
 */
export function playLanes(
  plan: FleetPlan,
  { fromBlock, toBlock }: { fromBlock: number; toBlock: number },
  polling: FixedPolling,
  tally: Tally,
): void {
  const filed = lanesOf(polling.schedule)
  if (filed === undefined) throw new RangeError(`the schedule has more than ${MOST_LANES} different waits`)
  const { lanes, ofPoll } = filed
  const { schedule, upUs, downUs, horizonUs } = polling
  const { frame, wanted } = tally.shape
  const batch = createBatch()
  const counting = createCounting(polling, tally)
  const out = createDrained()
  const mostPolls = pollsIn(schedule)
  const lastLane = ofPoll.length - 1
  const roundTripUs = upUs + downUs
  const windowEndUs = Math.min(frame.toUs, horizonUs)
  // The last lane may be another's as well, and then its polls do not all stay in it.
  const endless = mostPolls === Infinity ? ofPoll[lastLane] : undefined
  const closed = endless !== undefined && ofPoll.lastIndexOf(endless, lastLane - 1) < 0 ? endless : undefined
  const onlyClosed = lanes.length === 1 && mostPolls === Infinity ? lanes[0] : undefined

  function flush(): void {
    tally.load.addColumn(out.pollUs, out.polled)
    if (wanted.inFlight && roundTripUs > 0) tally.inFlight.addEqual(out.pollUs, roundTripUs, out.polled)
    out.polled = 0
    counting.endPolled(out)
    out.ended = 0
  }

  function earliest(): Lane | undefined {
    let first: Lane | undefined
    for (const lane of lanes)
      if (lane.count > 0 && (first === undefined || lane.dueUs < first.dueUs)) first = lane
    return first
  }

  /** When a lane other than this has its next poll. */
  function othersDueUs(lane: Lane): number {
    let dueUs = Infinity
    for (const other of lanes) if (other !== lane && other.dueUs < dueUs) dueUs = other.dueUs
    return dueUs
  }

  /** The polls that are due up to, and at, this instant. */
  function pollUpTo(us: number): void {
    if (onlyClosed !== undefined) return drainUpTo(onlyClosed, us)
    for (let lane = earliest(); lane !== undefined && lane.dueUs <= us; lane = earliest())
      if (lane === closed) drainUpTo(lane, Math.min(us, othersDueUs(lane)))
      else pollOnce(lane)
  }

  function takeAll(lane: Lane, count: number): void {
    for (let row = lane.take(batch, 0, count, out); row < count; row = lane.take(batch, row, count, out))
      flush()
  }

  function drainUpTo(lane: Lane, us: number): void {
    while (lane.dueUs <= us) {
      lane.drain(us, out)
      if (out.polled === BATCH || out.ended === BATCH) flush()
    }
  }

  function pollOnce(lane: Lane): void {
    const { dueUs, doneUs, poll, block, kind } = lane
    lane.shift()
    if (out.polled === BATCH || out.ended === BATCH) flush()
    out.pollUs[out.polled++] = dueUs
    if (dueUs >= doneUs) {
      const row = out.ended++
      out.endedUs[row] = dueUs
      out.doneUs[row] = doneUs
      out.poll[row] = poll
      out.block[row] = block
      out.kind[row] = kind
    } else if (poll + 1 < mostPolls)
      (ofPoll[Math.min(poll + 1, lastLane)] as Lane).push(dueUs, doneUs, poll + 1, block, kind)
    else giveUp(dueUs - pollAtUs(schedule, poll), doneUs, block, kind)
  }

  function giveUp(arrivalUs: number, doneUs: number, block: number, kind: number): void {
    const { atUs, outcome } = schedule.giveUp ?? { atUs: Infinity, outcome: 'not-learned' }
    const endUs = arrivalUs + atUs
    const how = endUs >= horizonUs ? UNFINISHED : outcome === 'failed' ? FAILED : NOT_LEARNED
    counting.end(block, kind, arrivalUs, doneUs - arrivalUs, Math.min(endUs, horizonUs), mostPolls, how)
  }

  for (let block = fromBlock; block < toBlock; block++) {
    const tasks = blockTasks(plan, block)
    while (tasks.next(batch)) {
      const { arrivalUs, lengthUs, kind } = batch
      let { count } = batch
      while (count > 0 && (arrivalUs[count - 1] as number) >= windowEndUs) count--
      if (onlyClosed !== undefined) takeAll(onlyClosed, count)
      else
        for (let i = 0; i < count; i++) {
          const atUs = arrivalUs[i] as number
          pollUpTo(atUs)
          const doneUs = atUs + (lengthUs[i] as number)
          if (mostPolls === 0) giveUp(atUs, doneUs, block, kind[i] as number)
          else (ofPoll[0] as Lane).push(atUs, doneUs, 0, block, kind[i] as number)
        }
      tally.load.addColumn(arrivalUs, count)
      if (wanted.inFlight && roundTripUs > 0) tally.inFlight.addEqual(arrivalUs, roundTripUs, count)
    }
  }
  // The horizon itself belongs to nobody.
  pollUpTo(Math.min(horizonUs - 1, Number.MAX_VALUE))
  flush()
  for (const lane of lanes)
    while (lane.count > 0) {
      const { dueUs, doneUs, poll, block, kind } = lane
      const arrivalUs = dueUs - pollAtUs(schedule, poll)
      counting.end(block, kind, arrivalUs, doneUs - arrivalUs, horizonUs, poll, UNFINISHED)
      lane.shift()
    }
  counting.flush()
}

/** Gathers tasks that ended, by block, and counts them many at a time. */
function createCounting(polling: FixedPolling, tally: Tally) {
  const { frame, wanted } = tally.shape
  const { upUs, downUs, horizonUs, schedule, rows } = polling
  const {
    headUs,
    tail: { everyUs, polls: tailPolls },
    lastUs,
  } = schedule
  const roundTripUs = upUs + downUs
  const hasUpdates = rows.before.some((before) => before > 0)
  const isPlain = rows.before.length === 1 && !hasUpdates
  let seen = 0
  let sends = 0
  const inWindow: (Ended | undefined)[] = Array.from({ length: BLOCKS })
  const outside = createEnded()
  const before = tally.load.total

  function flush(ended: Ended, isCounted: boolean): void {
    const { tasks, ends } = ended
    const { count, block } = tasks
    if (count === 0) return
    if (isCounted && hasUpdates) tellUpdates(tasks, 0, count, ends, polling, tally)
    if (isCounted) tally.addTasks(block, ends, 0, count, schedule.giveUp?.reason)
    if (wanted.live) tally.live.addColumns(tasks.arrivalUs, ends.endUs, count)
    if (!isPlain) countRowsOfKinds(tasks, count, ends, polling, tally)
    else {
      seen += seenInWindow(tasks, ends, polling, tally)
      if (isCounted) sends += count
    }
    tasks.count = 0
  }

  return {
    end(
      block: number,
      kind: number,
      arrivalUs: number,
      lengthUs: number,
      endUs: number,
      polls: number,
      how: number,
    ): void {
      const isCounted = arrivalUs >= frame.fromUs && arrivalUs < frame.toUs
      const ended = isCounted ? (inWindow[block] ??= createEnded()) : outside
      const { tasks, ends } = ended
      const row = tasks.count++
      tasks.block = block
      tasks.arrivalUs[row] = arrivalUs
      tasks.lengthUs[row] = lengthUs
      tasks.kind[row] = kind
      ends.endUs[row] = endUs
      ends.polls[row] = polls
      ends.lateUs[row] = endUs - arrivalUs - upUs - lengthUs
      ends.news[row] = how === LEARNED ? 1 : 0
      ends.how[row] = how
      if (tasks.count === BATCH) flush(ended, isCounted)
    },
    /** Tasks whose end a poll saw. */
    endPolled(out: DrainedPolls): void {
      const { endedUs, doneUs, poll, block, kind, ended: count } = out
      const { fromUs, toUs } = frame
      // Numbers of the closure are slow to read: the loop has its own.
      const backUs = roundTripUs
      const sendUs = upUs
      const endsUs = horizonUs
      const intervalUs = everyUs
      const lookUs = lastUs ?? 0
      const offsetsUs = headUs
      const heads = headUs.length
      const lookPoll = lastUs === undefined ? -1 : heads + tailPolls
      const lastHeadUs = headUs[heads - 1] as number
      let of = -1
      let isCounted = false
      let ended = outside
      let { tasks, ends } = ended
      for (let i = 0; i < count; i++) {
        const dueUs = endedUs[i] as number
        const made = poll[i] as number
        const offsetUs =
          made < heads ? (offsetsUs[made] as number) : lastHeadUs + (made - heads + 1) * intervalUs
        const arrivalUs = dueUs - (made === lookPoll ? lookUs : offsetUs)
        const isInside = arrivalUs >= fromUs && arrivalUs < toUs
        if (block[i] !== of || isInside !== isCounted) {
          of = block[i] as number
          isCounted = isInside
          ended = isCounted ? (inWindow[of] ??= createEnded()) : outside
          ;({ tasks, ends } = ended)
          tasks.block = of
        }
        const row = tasks.count++
        const done = doneUs[i] as number
        const learnedUs = dueUs + backUs
        const learns = learnedUs < endsUs
        tasks.arrivalUs[row] = arrivalUs
        tasks.lengthUs[row] = done - arrivalUs
        tasks.kind[row] = kind[i] as number
        ends.endUs[row] = learns ? learnedUs : endsUs
        ends.polls[row] = made + 1
        ends.lateUs[row] = learnedUs - sendUs - done
        ends.news[row] = learns ? 1 : 0
        ends.how[row] = learns ? LEARNED : UNFINISHED
        if (row + 1 === BATCH) flush(ended, isCounted)
      }
    },
    flush(): void {
      for (const ended of inWindow) if (ended !== undefined) flush(ended, true)
      flush(outside, false)
      if (isPlain) countRows(sends, tally.load.total - before - sends, seen, polling, tally)
    },
  }
}
