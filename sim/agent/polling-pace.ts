import type { Clock } from '../kernel/clock.ts'
import { spellDuration } from '../kernel/units.ts'
import { A2AError } from '../protocol/errors.ts'
import type { Journal } from '../records/journal.ts'
import type { PollingSettings } from '../scenario/scenario.ts'
import { TooManyRequests } from './pace-errors.ts'

/**
 * Keeps the polls of one task apart. Call it with each poll, when it arrives.
 *
 * The gap is counted from the poll before, **whether that was answered or
 * refused**, and for the first from the task's creation, as in a device flow
 * (RFC 8628, 3.5), where the client waits an interval before it first asks. A
 * poll exactly at the gap is fine. Where a refusal lengthens the gap (`addUs`,
 * as GitHub's device flow does) it stays so for the rest of the task's life: a
 * client that lengthens its own wait by as much but has a fast clock never
 * catches up. A refused client hears nothing of the task, not even that it is over.
 *
 * @returns throws A2AError SlowDownError, which leaves a `slow-down` in the journal, or TooManyRequests
 */
export function createPollingPace(
  { minIntervalUs, tooSoon }: Pick<PollingSettings, 'minIntervalUs' | 'tooSoon'>,
  { clock, journal }: { clock: Pick<Clock, 'nowUs'>; journal: Journal },
): () => void {
  if (minIntervalUs === undefined) return () => {}
  let beforeUs = clock.nowUs()
  let gapUs = minIntervalUs
  return () => {
    const nowUs = clock.nowUs()
    const isTooSoon = nowUs - beforeUs < gapUs
    beforeUs = nowUs
    if (!isTooSoon) return
    gapUs += tooSoon.addUs
    const message = `leave ${spellDuration(gapUs)} between polls of this task`
    switch (tooSoon.answer) {
      case 'slow-down':
        journal.append({ kind: 'slow-down', atUs: nowUs })
        throw new A2AError('SlowDownError', `slow_down: ${message}`)
      case 429:
        throw new TooManyRequests(message, gapUs)
    }
  }
}
