import type { Checker } from '../run.ts'

/**
 * A receiver that recognises posts it had before hands none on twice. Asked
 * where posts are all the client reads, and statuses all it is told: chunks of
 * artifacts cannot be told apart, and the reply to an answer tells what a post
 * tells as well.
 */
export const noRepeats: Checker = {
  name: 'no-repeats',
  check({ scenario, entry, row }) {
    const { receiver, job } = scenario
    if (entry.policy.kind !== 'push' || receiver === 'none' || !receiver.dedupe) return []
    if (entry.policy.get !== 'never' || entry.policy.register !== 'with-send') return []
    if (job.afterPauses.length > 0) return []
    if (job.updates.some(({ change }) => change.of === 'artifact') || row.updates.duplicate === 0) return []
    return [`${row.updates.duplicate} posts were handed on that the receiver had before`]
  },
}
