/**
 * Virtual time: a run sees time pass, the machine does not wait for it.
 *
 * Two queues hold what shall happen. The simulator's own code waits on a
 * `Clock` in whole microseconds. Foreign code (an SDK, a client program) waits
 * on the global timers, which stay whole milliseconds as on Node. Both are
 * driven in one order:
 *
 * 1. Whatever is due earlier happens first.
 * 2. **At the same instant foreign timers happen before own events**; foreign
 *    timers among themselves and own events among themselves happen in the
 *    order they were made. Which queue was filled first never matters.
 *
 * Two things make the rule whole. A foreign timer is due on a whole millisecond
 * at least 1 ms ahead, by the clock foreign code reads, so nothing that happens
 * at an instant can add a foreign timer to that same instant. And an own event
 * between two milliseconds runs while `Date.now()` reads the earlier one.
 *
 * The drive loop: take one turn of the real event loop, by which all promises
 * that can move have moved; if `main` has settled, end; else let exactly one
 * thing happen, and begin again. Code inside a run must therefore do no real
 * input or output: files, sockets, WebCrypto or `import()` come back too late,
 * at an instant that depends on the machine. If nothing else is scheduled that
 * shows as a `DeadlockError`; if something is, only the guards of
 * `testing/hidden-work-guard.ts` show it.
 *
 * fake-timers cannot say when its next timer is due, and its `tick` would fire
 * timers in a batch. So before each step a sentinel is planted among the
 * foreign timers at the millisecond of the next own event, and one timer is
 * fired: if it is the sentinel, no foreign timer is due before the own event.
 */
import type { Clock } from './clock.ts'
import { installForeignTimers } from './foreign-timers.ts'
import type { ForeignTimers } from './foreign-timers.ts'
import { realTurn } from './turn.ts'
import { formatDuration, US_PER_MS } from './units.ts'
import { createVirtualClock } from './virtual-clock.ts'
import type { VirtualClock } from './virtual-clock.ts'

export interface VirtualTimeOptions {
  /** Where the run stops: what is due at this instant or later does not happen. */
  horizonUs: number
  /** How many events and timers may happen before the run counts as endless. Default 50 million. */
  stepLimit?: number
  /** The wall-clock reading at instant 0. Default 2026-01-01T00:00:00Z. */
  epochMs?: number
}

/** What was still there when a run ended. All zero and empty means that everything was tidied up. */
export interface Leftovers {
  /** Events on the `Clock` that were neither over nor cancelled. */
  events: number
  /** Global timers that were neither over nor cleared; those of `AbortSignal.timeout`, which nobody can clear, do not count. */
  timers: number
  /** Whoever said `waiting` and did not take it back. */
  waiting: string[]
}

export type VirtualTimeEnd<T> =
  | { kind: 'settled'; value: T; atUs: number; leftovers: Leftovers }
  /** `waiting` lists who waited when the horizon came, `leftovers` what was left after everybody was told. */
  | { kind: 'horizon'; atUs: number; waiting: string[]; leftovers: Leftovers }

/** Nothing is scheduled any more and `main` has not settled: it would wait for ever. */
export class DeadlockError extends Error {
  override readonly name = 'DeadlockError'
  readonly atUs: number
  readonly waiting: readonly string[]

  constructor(atUs: number, waiting: readonly string[]) {
    super(
      `deadlock at ${formatDuration(atUs)}: nothing is scheduled any more, and ${saysWhoWaits(waiting)}. ` +
        'Look for a promise nobody resolves, or for work outside virtual time (files, sockets, WebCrypto, import()).',
    )
    this.atUs = atUs
    this.waiting = waiting
  }
}

/** More things happened than the run's step limit allows. */
export class StepLimitError extends Error {
  override readonly name = 'StepLimitError'
}

/** How often those who were told that the run is over get to act: closing a stream may take more than one turn. */
const CLOSING_TURNS = 4

let running = false

/**
 * Runs `main` in virtual time. Until the promise settles the global timers,
 * `Date`, `performance`, `node:timers`, `node:timers/promises` and
 * `AbortSignal.timeout` follow virtual time; they are given back however the
 * run ends. `signal` aborts when the run ends before `main` has returned; what
 * is still scheduled then never happens.
 *
 * @returns the value of `main`, or that the horizon came first
 * @throws what `main`, an event or a foreign timer throws
 * @throws DeadlockError if `main` waits and nothing is scheduled
 * @throws StepLimitError if more happens than the step limit allows
 * @throws RangeError if an option is not a whole number
 * @throws Error if another run is under way in this process: globals cannot be shared
 */
export async function inVirtualTime<T>(
  options: VirtualTimeOptions,
  main: (clock: Clock, signal: AbortSignal) => Promise<T>,
): Promise<VirtualTimeEnd<T>> {
  const { horizonUs, stepLimit = 50_000_000, epochMs = Date.UTC(2026, 0, 1) } = options
  if (!Number.isSafeInteger(horizonUs) || horizonUs <= 0)
    throw new RangeError(`the horizon must be a whole number of microseconds above 0, not ${horizonUs}`)
  if (!Number.isSafeInteger(epochMs))
    throw new RangeError(`the epoch must be a whole number of milliseconds, not ${epochMs}`)
  if (running)
    throw new Error(
      'another run is in virtual time in this process: wait for its end, or use a worker thread for each',
    )

  running = true
  try {
    const foreign = installForeignTimers(epochMs)
    try {
      const own = createVirtualClock(epochMs, () => foreign.nowMs())
      return await drive({ own, foreign, horizonUs, stepLimit }, main)
    } finally {
      foreign.restore()
    }
  } finally {
    running = false
  }
}

interface Run {
  own: VirtualClock
  foreign: ForeignTimers
  horizonUs: number
  stepLimit: number
}

async function drive<T>(
  run: Run,
  main: (clock: Clock, signal: AbortSignal) => Promise<T>,
): Promise<VirtualTimeEnd<T>> {
  const { own, foreign, horizonUs, stepLimit } = run
  const { clock } = own
  const controller = new AbortController()

  let outcome: { value: T } | { error: unknown } | undefined
  new Promise<T>((resolve) => resolve(main(clock, controller.signal))).then(
    (value) => (outcome = { value }),
    (error: unknown) => (outcome = { error }),
  )

  async function close(reason: unknown): Promise<void> {
    controller.abort(reason)
    for (let turns = 0; turns < CLOSING_TURNS; turns++) await realTurn()
  }

  try {
    for (let steps = 0; ; steps++) {
      await realTurn()
      if (outcome !== undefined) {
        if ('error' in outcome) throw outcome.error
        return { kind: 'settled', value: outcome.value, atUs: clock.nowUs(), leftovers: leftoversOf(run) }
      }
      if (own.pending() === 0 && foreign.pending() === 0)
        throw new DeadlockError(clock.nowUs(), own.waiting())
      if (steps === stepLimit) throw stepLimitError(run)
      if (!letOneThingHappen(run)) break
    }
  } catch (error) {
    await close(error)
    throw error
  }

  own.moveTo(horizonUs)
  foreign.jumpTo(Math.floor(horizonUs / US_PER_MS))
  const waiting = own.waiting()
  await close(new Error(`the run reached its horizon of ${formatDuration(horizonUs)}`))
  return { kind: 'horizon', atUs: horizonUs, waiting, leftovers: leftoversOf(run) }
}

/** Lets the earliest pending thing happen; false if it is not due before the horizon. */
function letOneThingHappen({ own, foreign, horizonUs }: Run): boolean {
  const ownUs = own.nextUs() ?? Infinity
  const ownIsInTime = ownUs < horizonUs
  const lastMsInTime = Math.ceil(horizonUs / US_PER_MS) - 1
  if (foreign.fireOneUpTo(ownIsInTime ? Math.floor(ownUs / US_PER_MS) : lastMsInTime)) return true
  if (ownIsInTime) own.happen()
  return ownIsInTime
}

function leftoversOf({ own, foreign }: Run): Leftovers {
  return { events: own.pending(), timers: foreign.leftBehind(), waiting: own.waiting() }
}

function stepLimitError({ own, foreign, stepLimit }: Run): StepLimitError {
  const next = own.nextUs()
  return new StepLimitError(
    `the run took ${stepLimit} steps and stands at ${formatDuration(own.clock.nowUs())}: ` +
      `${own.pending()} events pending${next === undefined ? '' : ` (the next at ${formatDuration(next)})`}, ` +
      `${foreign.pending()} foreign timers pending, and ${saysWhoWaits(own.waiting())}. ` +
      'Look for a wait of 0 that repeats, or raise the step limit.',
  )
}

function saysWhoWaits(waiting: readonly string[]): string {
  if (waiting.length === 0) return 'nobody said what they wait for'
  const named = waiting.slice(0, 10).join('; ')
  return `these wait: ${named}${waiting.length > 10 ? `; and ${waiting.length - 10} more` : ''}`
}
