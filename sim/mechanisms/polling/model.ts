import type { PollPolicy } from '../../policies/policy.ts'
import type { Model } from '../model.ts'
import { createPollSchedule, type PollAnswer } from './policy.ts'
import type { AskedWaits } from './waits.ts'

/**
 * The polls of a quiet world, by the same schedule as the client's. The agent
 * holds nothing and never answers 304, which a schedule treats as a poll without
 * news; the reply to the send is composed before the changes due at 0.
 */
export const pollingModel: Model<PollPolicy> = (policy, world) => {
  const { updatesUs, endUs = Infinity, upUs, downUs, horizonUs } = world
  const schedule = createPollSchedule(policy, world.random('polling'))
  const requests = [{ operation: 'SendMessage', startUs: 0 }]
  const timeoutUs = policy.timeoutUs ?? Infinity
  const hopeless = upUs + downUs > timeoutUs
  let known = 0

  function asksAt(ageUs: number): AskedWaits {
    return { hintUs: world.hintUsAt(ageUs), retryAfterUs: undefined }
  }

  /** What a poll shows that the agent serves when its task is so old. */
  function answerAt(ageUs: number): PollAnswer {
    const before = known
    while (known < updatesUs.length && (updatesUs[known] ?? Infinity) <= ageUs) known += 1
    return { of: 'task', news: known > before, asks: asksAt(ageUs) }
  }

  let nowUs = upUs + downUs
  let step = schedule.first({ replyUs: nowUs, asks: asksAt(0) })
  while (nowUs < horizonUs && step.of === 'poll' && step.atUs < horizonUs) {
    const sentUs = step.atUs
    requests.push({ operation: 'GetTask', startUs: sentUs })
    nowUs = sentUs + (hopeless ? timeoutUs : upUs + downUs)
    // The task is as old as the poll: both were as long on their way to the agent.
    if (sentUs >= endUs && !hopeless) return { requests, learnedUs: nowUs < horizonUs ? nowUs : undefined }
    const answer: PollAnswer = hopeless
      ? { of: 'error', says: 'timed out', retryAfterUs: undefined }
      : answerAt(sentUs)
    step = schedule.next({ sentUs, answeredUs: nowUs, answer })
  }
  return { requests, learnedUs: undefined }
}
