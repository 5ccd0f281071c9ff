import type { PollPolicy } from '../../policies/policy.ts'

/** When the first poll is due, the reply to the send having come at `replyUs`. */
export const firstPollUs = (policy: PollPolicy, replyUs: number): number => replyUs + policy.firstAfterUs

/**
 * When the next poll is due. Counted from the request, a poll that took longer
 * than the interval is followed by the next one at once.
 */
export function nextPollUs(policy: PollPolicy, poll: { sentUs: number; answeredUs: number }): number {
  switch (policy.waitFrom) {
    case 'response':
      return poll.answeredUs + policy.intervalUs
    case 'request':
      return Math.max(poll.sentUs + policy.intervalUs, poll.answeredUs)
  }
}
