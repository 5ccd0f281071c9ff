/**
 * A polling policy's own waits as a function of task and number of the wait,
 * without an object for each task. Draw for draw what createPollWaits makes of
 * the task's stream.
 */
import { drawUs } from '../../kernel/distribution.ts'
import { entityStream, type EntityRandom } from '../../kernel/entity-random.ts'
import type { Jitter } from '../../policies/backoff.ts'
import type { AfterError, PollPolicy } from '../../policies/policy.ts'
import { EntityCursor, valuesIn } from './draws.ts'

/** Later than any run lasts, as for every growing wait. */
const LONGEST_US = 2 ** 52

/** What an unsuccessful poll is followed by. */
export type TypedTrouble =
  | 'next'
  | 'fail'
  /** The wait after so many in a row, from 0; `undefined` when no attempt is left. */
  | { waitUs(row: number): number | undefined }

export interface TypedWaits {
  /** From the reply to the send to the first poll, and how many waits of the policy's own that took. */
  firstUs(entity: number): number | undefined
  firstSteps: number
  /** The policy's own wait number `step`; `undefined` when a list has ended. */
  usualUs(entity: number, step: number): number | undefined
  /** Where all usual waits are the same. */
  constantUs: number | undefined
  /** What becomes of a wait the agent asks for; `undefined` where it is ignored. */
  askedUs(us: number | undefined): number | undefined
  onError: TypedTrouble
  on429: TypedTrouble
}

/**
 * For agents that give no hints and never say to slow down. `undefined` for a
 * policy that needs to remember more of a task than how many waits it took.
 */
export function typedWaits(policy: PollPolicy, seed: number): TypedWaits | undefined {
  const { waits, jitter, first, retryAfter, margin } = policy
  if (policy.scope !== 'task' || policy.adapt !== undefined || policy.hold !== undefined) return undefined
  if (policy.conditional || policy.timeoutUs !== undefined) return undefined
  if (jitter.of === 'decorrelated' || jitter.of === 'uniform-growth') return undefined
  if (typeof retryAfter !== 'string' && retryAfter.jitter.of !== 'none') return undefined
  const onError = troubleOf(policy.onError, policy)
  const on429 = troubleOf(policy.on429, policy)
  if (onError === undefined || on429 === undefined) return undefined

  const random = entityStream(seed, 'polling')
  const cursor = new EntityCursor(random)
  const stepValues = waits.of === 'interval' ? valuesIn(waits.interval) : 0
  const values = stepValues + (jitter.of === 'none' ? 0 : 1)
  const isDrawnFirst = typeof first !== 'string'
  /** Values that the first poll takes beside those of its wait. */
  const extra = isDrawnFirst ? valuesIn(first) : first === 'random' ? 1 : 0
  const bounded = boundsOf(policy)

  function stepUs(entity: number, step: number, index: number): number | undefined {
    switch (waits.of) {
      case 'interval':
        return waits.interval.of === 'fixed'
          ? waits.interval.us
          : drawUs(waits.interval, cursor.at(entity, index))
      case 'growing':
        return Math.min(waits.initialUs * waits.multiplier ** step, waits.maxUs ?? LONGEST_US)
      case 'list':
        return waits.delaysUs[step] ?? (waits.last === 'repeats' ? waits.delaysUs.at(-1) : undefined)
    }
  }

  function usualUs(entity: number, step: number): number | undefined {
    // What the first poll takes comes before all waits, or, of a random phase, behind the first.
    const before = isDrawnFirst || (first === 'random' && step > 0) ? extra : 0
    const index = before + step * values
    const us = stepUs(entity, step, index)
    if (us === undefined) return undefined
    return bounded(spread(jitter, us, random, entity, index + stepValues) * margin)
  }

  const isConstant = waits.of === 'interval' && waits.interval.of === 'fixed' && jitter.of === 'none'
  return {
    firstUs(entity) {
      switch (first) {
        case 'now':
        case 'hint':
          return 0
        case 'after':
          return usualUs(entity, 0)
        case 'random': {
          const us = usualUs(entity, 0)
          return us === undefined ? undefined : Math.round(us * random.float(entity, values))
        }
        default:
          return drawUs(first, cursor.at(entity, 0))
      }
    },
    firstSteps: first === 'after' || first === 'random' ? 1 : 0,
    usualUs,
    constantUs: isConstant ? usualUs(0, 0) : undefined,
    askedUs(us) {
      if (us === undefined || retryAfter === 'ignore') return undefined
      return bounded(retryAfter === 'honour' ? us : Math.min(us, retryAfter.maxUs ?? Infinity))
    },
    onError,
    on429,
  }
}

const boundsOf =
  ({ minUs = 0, maxUs = Infinity }: PollPolicy) =>
  (us: number): number =>
    Math.round(Math.max(Math.min(us, maxUs), minUs))

/** A step spread by jitters that remember nothing, in whole µs. */
function spread(jitter: Jitter, us: number, random: EntityRandom, entity: number, index: number): number {
  return Math.round(Math.max(0, between(jitter, us, random, entity, index)))
}

function between(jitter: Jitter, us: number, random: EntityRandom, entity: number, index: number): number {
  switch (jitter.of) {
    case 'full':
      return us * random.float(entity, index)
    case 'equal':
      return us / 2 + (us - us / 2) * random.float(entity, index)
    case 'stretch': {
      const low = 1 - jitter.less
      return us * (low + (1 + jitter.more - low) * random.float(entity, index))
    }
    case 'none':
    case 'decorrelated':
    case 'uniform-growth':
      return us
  }
}

/** Waits of fixed lengths alone: others would draw from among the usual ones. */
function troubleOf(after: AfterError, policy: PollPolicy): TypedTrouble | undefined {
  if (typeof after === 'string') return after
  const { waits, jitter, attempts = Infinity, budgetUs } = after
  if (
    jitter.of !== 'none' ||
    budgetUs !== undefined ||
    (waits.of === 'interval' && waits.interval.of !== 'fixed')
  )
    return undefined
  const bounded = boundsOf(policy)
  return {
    waitUs(row) {
      if (row + 1 >= attempts) return undefined
      switch (waits.of) {
        case 'interval':
          return waits.interval.of === 'fixed' ? bounded(waits.interval.us) : undefined
        case 'growing':
          return bounded(
            Math.round(Math.min(waits.initialUs * waits.multiplier ** row, waits.maxUs ?? LONGEST_US)),
          )
        case 'list': {
          const us = waits.delaysUs[row] ?? (waits.last === 'repeats' ? waits.delaysUs.at(-1) : undefined)
          return us === undefined ? undefined : bounded(us)
        }
      }
    },
  }
}
