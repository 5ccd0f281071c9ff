/**
 * Polls whose instants are known beforehand: nothing of them is left to chance
 * and nothing the agent says changes them. Then a task's polls are those of a
 * table, and which of them sees its end can be looked up.
 */
import type { RandomStream } from '../kernel/random.ts'
import { spellDuration } from '../kernel/units.ts'
import { createPollSchedule, type PollStep } from '../mechanisms/polling/policy.ts'
import type { AskedWaits } from '../mechanisms/polling/waits.ts'
import type { PollPolicy } from '../policies/policy.ts'

export interface GivingUp {
  /** From when the send left. */
  atUs: number
  outcome: 'failed' | 'not-learned'
  reason: string
}

/** When polls leave, counted from when the send left. */
export interface FixedSchedule {
  /** The first ones, ascending; at least one unless the client gives up before. */
  headUs: Float64Array
  /** How many follow the last of these, and at what distance; it is above 0 where there are any. */
  tail: { everyUs: number; polls: number }
  /** One more, the last, at a distance of its own. */
  lastUs: number | undefined
  /** What follows when none of them saw the end; `undefined` where polls never end. */
  giveUp: GivingUp | undefined
}

/** What polls meet. */
export interface FixedWorld {
  /** The ways to the agent and back. */
  upUs: number
  downUs: number
  /** What an answer asks for, by the age of the task. */
  asksAt: (ageUs: number) => AskedWaits
  /** From which age on that stays the same. */
  asksSettleUs: number
  /** Whether polls may bring news before the end. */
  hasUpdates: boolean
  /** How long after a send a poll can matter. */
  horizonUs: number
}

/** More polls of a schedule that never settles are not worked out. */
const MOST_IN_HEAD = 100_000

/** `undefined` if the policy's polls are no fixed ones in this world. */
export function fixedSchedule(policy: PollPolicy, world: FixedWorld): FixedSchedule | undefined {
  if (policy.scope !== 'task' || policy.hold !== undefined) return undefined
  // Then polls find errors.
  if (world.upUs + world.downUs > (policy.timeoutUs ?? Infinity)) return undefined
  // Then what polls find changes what they do.
  if (policy.adapt !== undefined && world.hasUpdates) return undefined
  try {
    const settled = settlesAfter(policy)
    if (settled === undefined) return finite(policy, world)
    const unlimited = settledSchedule(policy, world, settled)
    if (unlimited.tail.everyUs === 0) return finite(policy, world)
    return limited(unlimited, policy, world.upUs + world.downUs)
  } catch (error) {
    if (error === LEFT_TO_CHANCE) return undefined
    throw error
  }
}

const LEFT_TO_CHANCE = new Error('a wait is left to chance')

/** For schedules of which nothing is drawn. */
const NO_CHANCE: RandomStream = {
  nextFloat() {
    throw LEFT_TO_CHANCE
  },
  nextUint32() {
    throw LEFT_TO_CHANCE
  },
}

/** After how many of them the policy's own waits stay the same; `undefined` if they never do or end. */
function settlesAfter({ waits, margin, maxUs, adapt }: PollPolicy): number | undefined {
  if (adapt !== undefined) return undefined
  switch (waits.of) {
    case 'interval':
      return 0
    case 'growing': {
      const { initialUs, multiplier } = waits
      if (multiplier === 1) return 0
      const capUs = Math.min(waits.maxUs ?? Infinity, (maxUs ?? Infinity) / margin)
      if (multiplier < 1 || capUs === Infinity || initialUs === 0) return undefined
      let steps = 0
      while (initialUs * multiplier ** steps < capUs) steps += 1
      return steps
    }
    case 'list':
      return waits.last === 'ends' ? undefined : waits.delaysUs.length
  }
}

/** The polls of a world in which nobody finds anything. */
function* pollsOf(policy: PollPolicy, { upUs, downUs, asksAt }: FixedWorld): Generator<PollStep> {
  const schedule = createPollSchedule(policy, NO_CHANCE)
  let step = schedule.first({ replyUs: upUs + downUs, asks: asksAt(0) })
  for (;;) {
    yield step
    if (step.of === 'give up') return
    const sentUs = step.atUs
    step = schedule.next({
      sentUs,
      answeredUs: sentUs + upUs + downUs,
      answer: { of: 'task', news: false, asks: asksAt(sentUs) },
    })
  }
}

/** All polls until the client gives up or the horizon is reached. */
function finite(policy: PollPolicy, world: FixedWorld): FixedSchedule | undefined {
  const head: number[] = []
  let giveUp: GivingUp | undefined
  for (const step of pollsOf(policy, world)) {
    if (step.of === 'give up') giveUp = step
    else head.push(step.atUs)
    if (step.atUs > world.horizonUs) break
    if (head.length > MOST_IN_HEAD) return undefined
  }
  return { headUs: Float64Array.from(head), tail: NO_TAIL, lastUs: undefined, giveUp: giveUp && told(giveUp) }
}

const NO_TAIL = { everyUs: 0, polls: 0 }

const told = ({ atUs, outcome, reason }: GivingUp): GivingUp => ({ atUs, outcome, reason })

/** As if there were no limits; the waits stay the same after so many polls that met the last of what the agent asks for. */
function settledSchedule(policy: PollPolicy, world: FixedWorld, settled: number): FixedSchedule {
  const unlimited = { ...policy, attempts: undefined, budgetUs: undefined, lastLookUs: undefined }
  const head: number[] = []
  let left = settled + 2
  for (const step of pollsOf(unlimited, world)) {
    // Polls at one instant for ever: their wait is 0, and the caller works them out one by one.
    if (step.of === 'give up') return { headUs: Float64Array.from(head), ...ENDLESS, tail: NO_TAIL }
    head.push(step.atUs)
    if (step.atUs >= world.asksSettleUs) left -= 1
    if (left <= 0 && head.length >= 2) break
  }
  // What lies at the distance of the tail already belongs to it.
  const everyUs = (head.at(-1) as number) - (head.at(-2) as number)
  while (head.length > 1 && (head.at(-1) as number) - (head.at(-2) as number) === everyUs) head.pop()
  return { headUs: Float64Array.from(head), ...ENDLESS, tail: { everyUs, polls: Infinity } }
}

const ENDLESS = { lastUs: undefined, giveUp: undefined }

/** With attempts, budget and last look as the policy's schedule keeps them. */
function limited(
  { headUs, tail }: FixedSchedule,
  { attempts = Infinity, budgetUs = Infinity, lastLookUs }: PollPolicy,
  roundTripUs: number,
): FixedSchedule {
  const endUs = roundTripUs + budgetUs
  const latestUs = endUs - (lastLookUs ?? 0)
  const usual = pollsUpTo(latestUs, headUs, tail.everyUs)
  const beforeUs = usual === 0 ? roundTripUs : offsetOf(usual - 1, headUs, tail.everyUs) + roundTripUs
  const looks = lastLookUs !== undefined && beforeUs < latestUs
  const polls = Math.min(usual + (looks ? 1 : 0), attempts)
  if (polls === Infinity) return { headUs, tail, lastUs: undefined, giveUp: undefined }
  const usualMade = Math.min(usual, polls)
  const lastUs = polls > usual ? latestUs : undefined
  const lastPollUs = lastUs ?? (usualMade === 0 ? 0 : offsetOf(usualMade - 1, headUs, tail.everyUs))
  const answeredUs = lastPollUs + roundTripUs
  const giveUp: GivingUp =
    polls === attempts
      ? {
          atUs: answeredUs,
          outcome: 'not-learned',
          reason: `the task was not over after ${attempts} polls (attempts)`,
        }
      : {
          atUs: Math.max(endUs, polls === 0 ? roundTripUs : answeredUs),
          outcome: 'not-learned',
          reason: `the task was not over after ${spellDuration(budgetUs)} (budget)`,
        }
  return {
    headUs: headUs.subarray(0, usualMade),
    tail: { everyUs: tail.everyUs, polls: Math.max(0, usualMade - headUs.length) },
    lastUs,
    giveUp,
  }
}

/** How many polls of head and endless tail leave no later than this. */
function pollsUpTo(us: number, headUs: Float64Array, everyUs: number): number {
  if (us === Infinity) return Infinity
  const lastUs = headUs.at(-1) as number
  if (us >= lastUs) return headUs.length + Math.floor((us - lastUs) / everyUs)
  return headUs.findIndex((atUs) => atUs > us)
}

const offsetOf = (poll: number, headUs: Float64Array, everyUs: number): number =>
  poll < headUs.length
    ? (headUs[poll] as number)
    : (headUs[headUs.length - 1] as number) + (poll - headUs.length + 1) * everyUs

/** How many polls there are in all. */
export const pollsIn = ({ headUs, tail, lastUs }: FixedSchedule): number =>
  headUs.length + tail.polls + (lastUs === undefined ? 0 : 1)

/** When poll number `poll` leaves, from 0; `Infinity` if there is none. */
export function pollAtUs({ headUs, tail, lastUs }: FixedSchedule, poll: number): number {
  if (poll < headUs.length + tail.polls) return offsetOf(poll, headUs, tail.everyUs)
  return poll === headUs.length + tail.polls && lastUs !== undefined ? lastUs : Infinity
}

/** The number of the first poll that leaves at this instant or later; as many as there are if there is none. */
export function firstPollFrom(schedule: FixedSchedule, us: number): number {
  const { headUs, tail, lastUs } = schedule
  const heads = headUs.length
  if (heads > 0 && us <= (headUs[heads - 1] as number)) {
    let low = 0
    let high = heads - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if ((headUs[middle] as number) >= us) high = middle
      else low = middle + 1
    }
    return low
  }
  const further = heads === 0 ? Infinity : Math.ceil((us - (headUs[heads - 1] as number)) / tail.everyUs)
  if (tail.polls > 0 && further <= tail.polls) return heads - 1 + further
  return heads + tail.polls + (lastUs !== undefined && us > lastUs ? 1 : 0)
}
