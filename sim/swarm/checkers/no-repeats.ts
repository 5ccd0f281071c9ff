import type { Policy } from '../../policies/policy.ts'
import type { Checker } from '../run.ts'

/**
 * A receiver that recognises posts it had before hands each on once: no more are
 * handed on than there are statuses. Asked where one webhook is open and
 * statuses are all it is told, as chunks of artifacts cannot be told apart.
 */
export const noRepeats: Checker = {
  name: 'no-repeats',
  check({ scenario, entry, records }) {
    const { receiver } = scenario
    if (receiver === 'none' || !receiver.dedupe || !hasOneWebhook(entry.policy)) return []
    const happened = records.filter((record) => record.kind === 'happened')
    if (happened.some(({ topic }) => topic !== 'status')) return []
    const handedOn = records.filter(
      (record) => (record.kind === 'learned' || record.kind === 'duplicate') && record.by === 'push',
    ).length
    return handedOn <= happened.length
      ? []
      : [`${handedOn} posts were handed on, and there are ${happened.length} statuses`]
  },
}

/** A chain may open another when it comes back to its first link. */
const hasOneWebhook = (policy: Policy): boolean =>
  policy.kind === 'push' ||
  (policy.kind === 'together' &&
    policy.parts.every(({ kind }) => kind !== 'chain') &&
    policy.parts.filter(({ kind }) => kind === 'push').length === 1)
