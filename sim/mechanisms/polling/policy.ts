/**
 * When to poll next, and when to give up: the pure part of polling, which the
 * client and the model share. Instants are those of the client's clock.
 */
import { drawUs } from '../../kernel/distribution.ts'
import type { RandomStream } from '../../kernel/random.ts'
import { spellDuration } from '../../kernel/units.ts'
import { createBackoff, type BackoffInMotion } from '../../policies/backoff.ts'
import type { AfterError, PollPolicy } from '../../policies/policy.ts'
import { createPollWaits, type AskedWaits } from './waits.ts'

/** What came of a poll that did not show the end of the task. */
export type PollAnswer =
  /** The task, or that it is still as the client knows it. */
  | { of: 'task' | 'not-modified'; news: boolean; asks: AskedWaits }
  /** It polls too often: in the words of the device flow, or by a 429. */
  | { of: 'slow-down' | 'throttled'; retryAfterUs: number | undefined }
  /** What may pass: 5xx, a dead connection, a timeout. `says` is for people. */
  | { of: 'error'; says: string; retryAfterUs: number | undefined }
  /** What will not. */
  | { of: 'refused'; says: string }
  | { of: 'gone' }

export interface AnsweredPoll {
  sentUs: number
  answeredUs: number
  answer: PollAnswer
}

export type PollStep =
  /** `holdUs`: how long the agent is asked to hold this poll. */
  | { of: 'poll'; atUs: number; holdUs: number | undefined }
  | { of: 'give up'; atUs: number; outcome: 'failed' | 'not-learned'; reason: string }

export interface PollSchedule {
  /** Once: at the reply to the send, or when polling takes over from something else. */
  first(reply: { replyUs: number; asks: AskedWaits }): PollStep
  next(poll: AnsweredPoll): PollStep
}

/**
 * A schedule for one task. Its rules:
 *
 * - `attempts` counts polls, the first included, and the client gives up with
 *   the answer to the last: forty polls 15 s apart, the first at once, look for
 *   the last time at 585 s. `budget` counts from the first reply; a poll exactly at its
 *   end is made, and there the client gives up.
 * - `Retry-After`, where it is honoured, is the next wait, on whatever answer;
 *   else it is the policy's own (waits.ts). A wait from elsewhere takes no step
 *   of a growing sequence.
 * - The policy's own waits count from the request or the response, as
 *   `waitFrom` says; what the agent asks for and what follows an error, from the answer.
 * - The waits of `onError` and `on429` begin with the first such answer of a row
 *   and end with the first success. If they run out, the client has failed.
 * - An agent that says nothing about its hint in an error or a 304 means its last.
 * - Hold times grow from poll to poll and begin anew with news; the last one stays.
 */
export function createPollSchedule(policy: PollPolicy, random: RandomStream): PollSchedule {
  const waits = createPollWaits(policy, random)
  const holds = policy.hold && createBackoff(policy.hold, random)
  const troubles = { error: troubleOf(policy.onError, random), throttled: troubleOf(policy.on429, random) }
  const retried = Object.values(troubles).filter((trouble) => typeof trouble !== 'string')
  let polls = 0
  let slowDowns = 0
  let endUs = Infinity
  let holdUs: number | undefined
  let latestUs = -1
  let pollsAtOnce = 0

  /** A poll at that instant, if the limits allow it. */
  function poll(nowUs: number, wishedUs: number): PollStep {
    if (policy.attempts !== undefined && polls >= policy.attempts)
      return notLearned(nowUs, `the task was not over after ${policy.attempts} polls (attempts)`)
    const lastUs = endUs - (policy.lastLookUs ?? 0)
    const atUs = policy.lastLookUs !== undefined && nowUs < lastUs ? Math.min(wishedUs, lastUs) : wishedUs
    if (atUs > lastUs) {
      const spent = spellDuration(policy.budgetUs ?? 0)
      return notLearned(Math.max(endUs, nowUs), `the task was not over after ${spent} (budget)`)
    }
    pollsAtOnce = atUs === latestUs ? pollsAtOnce + 1 : 1
    latestUs = atUs
    if (pollsAtOnce > MOST_AT_ONCE) return notLearned(atUs, NO_TIME_PASSES)
    polls += 1
    holdUs = holds?.next() ?? holdUs
    return { of: 'poll', atUs, holdUs }
  }

  /** The wait asked for, else the policy's own. */
  function pollAfter({ sentUs, answeredUs }: AnsweredPoll, retryAfterUs: number | undefined): PollStep {
    const askedUs = waits.askedUs(retryAfterUs)
    if (askedUs !== undefined) return poll(answeredUs, answeredUs + askedUs)
    const usualUs = waits.usualUs()
    if (usualUs === undefined) return notLearned(answeredUs, NO_MORE_WAITS)
    const fromUs = policy.waitFrom === 'request' ? sentUs : answeredUs
    return poll(answeredUs, Math.max(fromUs + usualUs, answeredUs))
  }

  function pollAfterTrouble(
    answered: AnsweredPoll,
    trouble: Trouble,
    { says, retryAfterUs }: { says: string; retryAfterUs: number | undefined },
  ): PollStep {
    const { sentUs, answeredUs } = answered
    if (trouble === 'fail') return failed(answeredUs, says)
    if (trouble === 'next') return pollAfter(answered, retryAfterUs)
    trouble.sinceUs ??= sentUs
    const waitUs = trouble.backoff.next(answeredUs - trouble.sinceUs)
    if (waitUs === undefined) return failed(answeredUs, `${says}, and no attempt is left`)
    return poll(answeredUs, answeredUs + (waits.askedUs(retryAfterUs) ?? waits.bounded(waitUs)))
  }

  function succeed({ of, news, asks: { hintUs } }: Success): void {
    if (of === 'task' || hintUs !== undefined) waits.hint(hintUs)
    waits.heed(news)
    if (news) holds?.reset()
    for (const trouble of retried) {
      trouble.backoff.reset()
      trouble.sinceUs = undefined
    }
  }

  /** From the reply to the first poll. */
  function firstWaitUs({ hintUs, retryAfterUs }: AskedWaits): number | undefined {
    waits.hint(hintUs)
    const { first } = policy
    switch (first) {
      case 'now':
        return 0
      case 'hint':
        return waits.hintedUs() ?? waits.askedUs(retryAfterUs) ?? 0
      case 'after':
        return waits.askedUs(retryAfterUs) ?? waits.usualUs()
      case 'random': {
        const us = waits.askedUs(retryAfterUs) ?? waits.usualUs()
        return us === undefined ? undefined : Math.round(us * random.nextFloat())
      }
      default:
        return drawUs(first, random)
    }
  }

  return {
    first({ replyUs, asks }) {
      if (policy.budgetUs !== undefined) endUs = replyUs + policy.budgetUs
      const waitUs = firstWaitUs(asks)
      return waitUs === undefined ? notLearned(replyUs, NO_MORE_WAITS) : poll(replyUs, replyUs + waitUs)
    },

    next(answered) {
      const { answeredUs, answer } = answered
      switch (answer.of) {
        case 'task':
        case 'not-modified':
          succeed(answer)
          return pollAfter(answered, answer.asks.retryAfterUs)
        case 'slow-down': {
          slowDowns += 1
          if (policy.slowDown !== 'ignore') {
            if (slowDowns === policy.slowDown.giveUpAt)
              return failed(answeredUs, `the agent said ${slowDowns} times to slow down`)
            waits.slowDown(policy.slowDown)
          }
          return pollAfter(answered, answer.retryAfterUs)
        }
        case 'throttled':
          return pollAfterTrouble(answered, troubles.throttled, { says: 'the agent answered 429', ...answer })
        case 'error':
          return pollAfterTrouble(answered, troubles.error, answer)
        case 'refused':
          return failed(answeredUs, answer.says)
        case 'gone':
          return failed(answeredUs, 'the agent has no such task any more')
      }
    },
  }
}

type Success = Extract<PollAnswer, { of: 'task' | 'not-modified' }>

/** A wait of 0 is meant for agents that hold polls. Where nobody does and nothing takes time, time would stand still. */
const MOST_AT_ONCE = 1000
const NO_TIME_PASSES = `${MOST_AT_ONCE} polls at one instant, as the wait is 0 and nothing else takes time`

const NO_MORE_WAITS = 'the task was not over at the end of the list of waits'

const notLearned = (atUs: number, reason: string): PollStep => ({
  of: 'give up',
  atUs,
  outcome: 'not-learned',
  reason,
})

const failed = (atUs: number, reason: string): PollStep => ({
  of: 'give up',
  atUs,
  outcome: 'failed',
  reason,
})

/** The waits after unsuccessful polls, and when the first of the row was sent. */
type Trouble = 'next' | 'fail' | { backoff: BackoffInMotion; sinceUs: number | undefined }

const troubleOf = (after: AfterError, random: RandomStream): Trouble =>
  typeof after === 'string' ? after : { backoff: createBackoff(after, random), sinceUs: undefined }
