/**
 * Staleness (age of synchronisation): at an instant, the time since the
 * client's copy stopped being right, 0 while it is in sync. The copy is right
 * while every update that happened is known, itself or through one that
 * replaces it. What is lost for good keeps it wrong to the end.
 */
import type { UpdateFate } from './learning.ts'
import type { Span } from './span.ts'

export interface Staleness {
  /** Over the whole span, the time in sync included. */
  meanUs: number
  maxUs: number
  /** Share of the span in sync: freshness. */
  fresh: number
}

/** @returns `undefined` for a span that takes no time */
export function stalenessOf(fates: readonly UpdateFate[], { fromUs, untilUs }: Span): Staleness | undefined {
  if (untilUs <= fromUs) return undefined
  let areaUs2 = 0
  let maxUs = 0
  let staleUs = 0
  let atUs = fromUs
  // Updates are in the order they happened, so the copy has been wrong since the first that is not known yet.
  for (const { happenedUs, learnedUs = Infinity } of fates) {
    const sinceUs = Math.max(atUs, happenedUs)
    const upToUs = Math.min(learnedUs, untilUs)
    if (upToUs <= sinceUs) continue
    areaUs2 += (upToUs - sinceUs) * ((sinceUs + upToUs) / 2 - happenedUs)
    maxUs = Math.max(maxUs, upToUs - happenedUs)
    staleUs += upToUs - sinceUs
    atUs = upToUs
  }
  const spanUs = untilUs - fromUs
  return { meanUs: areaUs2 / spanUs, maxUs, fresh: (spanUs - staleUs) / spanUs }
}
