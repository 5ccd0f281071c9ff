/**
 * Age of information: at an instant, now - happened at of the newest update
 * known. It grows even if nothing happens, and falls when something newer is
 * learned. Until then the newest that the client knows is its own send.
 */
import type { UpdateFate } from './learning.ts'
import type { Span } from './span.ts'

/** Time average and largest age over a span, µs; `undefined` for a span that takes no time. */
export function ageOf(
  fates: readonly UpdateFate[],
  { fromUs, untilUs }: Span,
): { meanUs: number; maxUs: number } | undefined {
  if (untilUs <= fromUs) return undefined
  let areaUs2 = 0
  let maxUs = 0
  let atUs = fromUs
  let newestUs = fromUs
  /** A straight line of slope 1 from one instant to a later one. */
  const ageUntil = (laterUs: number) => {
    areaUs2 += (laterUs - atUs) * ((atUs + laterUs) / 2 - newestUs)
    maxUs = Math.max(maxUs, laterUs - newestUs)
    atUs = laterUs
  }
  for (const { happenedUs, learnedUs } of inOrderLearned(fates)) {
    if (learnedUs >= untilUs) break
    ageUntil(Math.max(atUs, learnedUs))
    newestUs = Math.max(newestUs, happenedUs)
  }
  ageUntil(untilUs)
  return { meanUs: areaUs2 / (untilUs - fromUs), maxUs }
}

const inOrderLearned = (fates: readonly UpdateFate[]): { happenedUs: number; learnedUs: number }[] =>
  fates
    .flatMap(({ happenedUs, learnedUs }) => (learnedUs === undefined ? [] : [{ happenedUs, learnedUs }]))
    .toSorted((a, b) => a.learnedUs - b.learnedUs)
