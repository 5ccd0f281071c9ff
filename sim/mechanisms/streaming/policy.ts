/**
 * What a client does when a stream ends and its task has not: pure, so that the
 * real client and the models decide alike.
 */
import { fixed } from '../../kernel/distribution.ts'
import type { RandomStream } from '../../kernel/random.ts'
import { spellDuration } from '../../kernel/units.ts'
import { type Backoff, createBackoff, createSpread, type Waits } from '../../policies/backoff.ts'
import type { StreamPolicy } from '../../policies/policy.ts'
import type { CallFailure } from '../client.ts'

/**
 * How a stream ended, or never began. A stream that is cut cleanly looks like
 * one that is finished: only the task's state tells (specification 3.1.2).
 */
export type StreamEnd =
  | { of: 'closed' }
  | { of: 'broken'; why: string }
  /** The watchdog ran out. */
  | { of: 'silent' }
  /** No event came. */
  | { of: 'refused'; failure: CallFailure; why: string }

export type NextStep =
  | { do: 'reopen'; afterUs: number }
  /** Asks once how the task stands: agents refuse to stream a task that is over. */
  | { do: 'look' }
  | { do: 'stop'; outcome: 'not-learned' | 'failed'; reason: string }

export interface Reconnects {
  /** The head of a stream's answer. */
  opened(atUs: number): void
  /** An SSE `retry:` line. */
  hinted(retryUs: number): void
  /** @param known whether the client knows its task; if not, nothing can be subscribed to */
  after(end: StreamEnd, facts: { atUs: number; known: boolean }): NextStep
}

/**
 * Attempts to reconnect are counted, and their time is, from the end of the last
 * stream that lived: the attempts and the budget of `policy.reconnect` are those
 * of one gap. A stream lived if it was opened, or was open for `resetAfterUs`.
 *
 * @param sinceUs when the first stream is opened
 */
export function createReconnects(policy: StreamPolicy, random: RandomStream, sinceUs: number): Reconnects {
  const { reconnect } = policy
  let hintUs: number | undefined
  let openedUs: number | undefined
  let gapUs = sinceUs
  let attempts = 0
  let waits = reconnect === undefined ? undefined : createBackoff(ofOneGap(reconnect, undefined), random)

  function beginAnew({ resetAfterUs }: Backoff, atUs: number): boolean {
    if (openedUs === undefined) return false
    // A hint counts from the next wait on, even before the stream has lived long enough.
    return attempts === 0 || resetAfterUs === undefined || atUs - openedUs >= resetAfterUs
  }

  function reopen(end: StreamEnd, atUs: number): NextStep {
    if (reconnect === undefined || waits === undefined) return giveUp(end, policy)
    if (beginAnew(reconnect, atUs)) {
      waits = createBackoff(ofOneGap(reconnect, hintUs), random)
      gapUs = atUs
      attempts = 0
    }
    openedUs = undefined
    const waitUs = waits.next(atUs - gapUs)
    if (waitUs === undefined) {
      if (attempts === 0) return giveUp(end, policy)
      const times = ['once', 'twice'][attempts - 1] ?? `${attempts} times`
      return { do: 'stop', outcome: 'not-learned', reason: `the client reconnected ${times} in vain` }
    }
    attempts++
    return { do: 'reopen', afterUs: serverWaitUs(end) ?? waitUs }
  }

  function serverWaitUs(end: StreamEnd): number | undefined {
    if (end.of !== 'refused' || policy.retryAfter === 'ignore') return undefined
    const askedUs = 'retryAfterUs' in end.failure ? end.failure.retryAfterUs : undefined
    if (askedUs === undefined || policy.retryAfter === 'honour') return askedUs
    const { jitter, maxUs } = policy.retryAfter
    const plain: Waits = { of: 'interval', interval: fixed(askedUs) }
    return Math.min(createSpread(jitter, plain, random).of(askedUs), maxUs ?? Infinity)
  }

  return {
    opened: (atUs) => (openedUs ??= atUs),
    hinted(retryUs) {
      if (policy.retryHint === 'honour') hintUs = retryUs
    },
    after(end, { atUs, known }) {
      if (end.of === 'closed' && policy.cleanClose === 'finish')
        return {
          do: 'stop',
          outcome: 'not-learned',
          reason: 'the client took the end of the stream for the end of the task',
        }
      if (!known) {
        // Sent again, the message might begin a second task: messageIds need not be recognised (specification 3.1.1).
        if (end.of === 'refused' && didNothing(end) && !isFinal(end.failure)) return reopen(end, atUs)
        return giveUpUnknown(end, policy)
      }
      if (end.of === 'refused' && isFinal(end.failure))
        return end.failure.of === 'gone' ? { do: 'stop', outcome: 'failed', reason: end.why } : { do: 'look' }
      return reopen(end, atUs)
    },
  }
}

/** `attempts` counts attempts to reconnect; the end of the stream before is where the first wait begins. */
const ofOneGap = (reconnect: Backoff, hintUs: number | undefined): Backoff => ({
  ...reconnect,
  waits: hintUs === undefined ? reconnect.waits : withFirstWait(reconnect.waits, hintUs),
  attempts: reconnect.attempts === undefined ? undefined : reconnect.attempts + 1,
})

/** The same way of waiting from another first wait on. */
function withFirstWait(waits: Waits, us: number): Waits {
  switch (waits.of) {
    case 'interval':
      return { of: 'interval', interval: fixed(us) }
    case 'growing':
      return { ...waits, initialUs: us }
    case 'list':
      return { ...waits, delaysUs: [us, ...waits.delaysUs.slice(1)] }
  }
}

/** Whether the agent certainly did not act on the request: it never arrived, or was turned away. */
export function didNothing({ failure }: StreamEnd & { of: 'refused' }): boolean {
  switch (failure.of) {
    case 'connection':
      return failure.neverSent === true
    case 'throttled':
    case 'slow-down':
    case 'gone':
      return true
    case 'answer':
      return failure.status === 503 || failure.status < 500
    case 'timeout':
      return false
  }
}

/** Trying again will not change it. */
const isFinal = (failure: CallFailure): boolean =>
  failure.of === 'gone' || (failure.of === 'answer' && failure.status < 500)

/** Whoever is cut, or turned away by something in between, has lost the thread; only an agent that refuses for good says that it cannot go on. */
function giveUp(end: StreamEnd, { watchdogUs }: StreamPolicy): NextStep {
  switch (end.of) {
    case 'closed':
      return { do: 'stop', outcome: 'not-learned', reason: 'the stream ended before the task did' }
    case 'silent':
      return {
        do: 'stop',
        outcome: 'not-learned',
        reason: `nothing came for ${spellDuration(watchdogUs ?? 0)}`,
      }
    case 'broken':
      return { do: 'stop', outcome: 'not-learned', reason: end.why }
    case 'refused':
      return { do: 'stop', outcome: isFinal(end.failure) ? 'failed' : 'not-learned', reason: end.why }
  }
}

/** Nobody can subscribe to a task without its id, and ListTasks is not what a client of one task does. */
function giveUpUnknown(end: StreamEnd, policy: StreamPolicy): NextStep {
  const step = giveUp(end, policy)
  if (step.do !== 'stop' || policy.reconnect === undefined || end.of === 'refused') return step
  return {
    ...step,
    reason: `${step.reason}; the client did not know its task yet, so there was nothing to subscribe to`,
  }
}
