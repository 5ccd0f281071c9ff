import type { Clock } from '../kernel/clock.ts'

/**
 * Timestamps of one task's statuses: each at least a millisecond after the one
 * before it, however close they lie. Else nobody who polls could know which of
 * two was seen, nor a webhook which of two posts is the newer one.
 *
 * @param before the newest timestamp there is
 */
export function timestampsAfter(before: string, clock: Pick<Clock, 'dateOf'>): (atUs: number) => string {
  let lastMs = Date.parse(before)
  return (atUs) => {
    lastMs = Math.max(clock.dateOf(atUs).getTime(), lastMs + 1)
    return new Date(lastMs).toISOString()
  }
}
