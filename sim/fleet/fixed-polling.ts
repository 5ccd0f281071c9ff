/** Polls by a fixed schedule: what all tasks have in common, and which requests a task comes to, from how it ended. */
import type { TaskBatch } from './batch.ts'
import type { PollRows } from './poll-rows.ts'
import { type FixedSchedule, firstPollFrom } from './schedule.ts'
import { LEARNED, type TaskEnds } from './tally/task-ends.ts'
import type { Tally } from './tally/tally.ts'

export interface FixedPolling {
  schedule: FixedSchedule
  upUs: number
  downUs: number
  /** Where the run stops: what falls on it does not happen. */
  horizonUs: number
  rows: PollRows
}

/** How many of the polls that saw an end left in the window. */
export function seenInWindow(
  { count }: TaskBatch,
  { endUs, how }: TaskEnds,
  { upUs, downUs }: FixedPolling,
  { shape }: Tally,
): number {
  const fromUs = shape.frame.fromUs + upUs + downUs
  const toUs = shape.frame.toUs + upUs + downUs
  let seen = 0
  for (let i = 0; i < count; i++) {
    const us = endUs[i] as number
    if (us >= fromUs && us < toUs && how[i] === LEARNED) seen++
  }
  return seen
}

/** Rows where all tasks are alike and nothing happens before the end: the polls that saw it, and all others. */
export function countRows(
  sends: number,
  polls: number,
  seen: number,
  { rows }: FixedPolling,
  { rows: counts }: Tally,
): void {
  const send = rows.send[0] as number
  const poll = rows.poll[0] as number
  counts[send] = (counts[send] as number) + sends
  counts[poll] = (counts[poll] as number) + polls - seen
  counts[poll + 1] = (counts[poll + 1] as number) + seen
}

/** Rows by the kind of each task and the moment each of its polls shows. */
export function countRowsOfKinds(
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
export const toldUs = (lengthUs: number, told: number, before: number): number =>
  Math.round((told * lengthUs) / (before + 1))

/** What became of the updates before the end, and how many polls showed one. */
export function tellUpdates(
  { lengthUs, kind, arrivalUs, block }: TaskBatch,
  from: number,
  to: number,
  { polls, news, how }: TaskEnds,
  { schedule, rows, horizonUs, upUs, downUs }: FixedPolling,
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
    // The answers to later ones come when the run is over.
    const answered = Math.min(
      made,
      firstPollFrom(schedule, horizonUs - (arrivalUs[i] as number) - upUs - downUs),
    )
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
      if (poll >= answered) continue
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
