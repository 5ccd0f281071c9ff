/**
 * What the books say about polling, in closed form. Lateness is from the end of
 * the job to the poll that sees it; a poll at the instant of the end sees it, and
 * is counted.
 *
 * The formulas hold in a quiet world: fixed latencies, nothing fails. Instants
 * count from the reply to the send, as the task's age at the agent does when the
 * way up takes as long for a poll as for the send; a round trip then adds to
 * every wait that counts from the response, and the way down to the lateness.
 */

export interface Polled {
  polls: number
  lateUs: number
}

/** Polls at `firstUs` and every `everyUs` from there, until the job of this length is over. Exact. */
export function fixedPolls({
  everyUs,
  firstUs,
  lengthUs,
}: {
  everyUs: number
  firstUs: number
  lengthUs: number
}): Polled {
  const waits = Math.max(0, Math.ceil((lengthUs - firstUs) / everyUs))
  return { polls: waits + 1, lateUs: firstUs + waits * everyUs - lengthUs }
}

export interface Growth {
  initialUs: number
  multiplier: number
  maxUs: number
}

/**
 * The sum of the first `count` waits of a growing sequence without jitter: how
 * long after the first poll the one after so many waits comes. A geometric sum up
 * to the cap, a straight line from there. Waits are not rounded: one of whole µs differs by half a µs at most.
 */
export function growingSumUs({ initialUs, multiplier, maxUs }: Growth, count: number): number {
  if (initialUs >= maxUs || multiplier === 1) return count * Math.min(initialUs, maxUs)
  const below = Math.ceil(Math.log(maxUs / initialUs) / Math.log(multiplier))
  const growing = Math.min(count, below)
  return (initialUs * (multiplier ** growing - 1)) / (multiplier - 1) + (count - growing) * maxUs
}

/**
 * Means over a length uniform in [fromUs, toUs], for polls at these instants.
 * Exact: between two polls lateness falls in a straight line.
 *
 * @param instantsUs ascending; the last not before `toUs`
 */
export function overUniformLengths(
  instantsUs: readonly number[],
  { fromUs, toUs }: { fromUs: number; toUs: number },
): Polled {
  let polls = 0
  let late = 0
  let beforeUs = -Infinity
  for (const [index, atUs] of instantsUs.entries()) {
    const lowUs = Math.max(fromUs, beforeUs)
    const highUs = Math.min(toUs, atUs)
    beforeUs = atUs
    if (highUs <= lowUs) continue
    polls += (index + 1) * (highUs - lowUs)
    late += ((atUs - lowUs) ** 2 - (atUs - highUs) ** 2) / 2
  }
  return { polls: polls / (toUs - fromUs), lateUs: late / (toUs - fromUs) }
}

/** Mean, and mean of the square. */
export interface Moments {
  mean: number
  meanSquare: number
}

export const momentsOfUniform = (from: number, to: number): Moments => ({
  mean: (from + to) / 2,
  meanSquare: (from ** 2 + from * to + to ** 2) / 3,
})

/**
 * Mean lateness where waits are drawn alike, each by itself, and the end comes
 * without regard to them, long after the first: E[D^2] / (2 E[D]), for it falls
 * into long waits more often. Half of a fixed wait; two thirds of the mean of
 * one with full jitter.
 */
export const renewalLateness = ({ mean, meanSquare }: Moments): number => meanSquare / (2 * mean)

/**
 * The share of polls that find nothing when changes come at random (a Poisson
 * process), `changesPerPoll` of them on average between two polls: e^-r. Where
 * 98.5 % find nothing, there are 66 polls to each that finds something.
 */
export const emptyShare = (changesPerPoll: number): number => Math.exp(-changesPerPoll)

/**
 * The share of time at which the copy that polls keep is right, under the same
 * changes and polls at a fixed interval: (1 - e^-r) / r (Cho and Garcia-Molina
 * 2000, fixed order).
 */
export const freshness = (changesPerPoll: number): number =>
  changesPerPoll === 0 ? 1 : (1 - Math.exp(-changesPerPoll)) / changesPerPoll

/**
 * The share of evenly spaced changes that polls at a fixed interval never see,
 * each superseded by the next before it is looked at (the coherence of Bozdag,
 * Mesbah and van Deursen 2007).
 */
export const missedShare = ({ changeUs, pollUs }: { changeUs: number; pollUs: number }): number =>
  1 - Math.min(1, changeUs / pollUs)

/**
 * The interval at which polls and lateness together cost least: of a job of
 * length T, c T / P for polls and w P / 2 for waiting, least at P = sqrt(2 c T / w).
 * Exact where the interval is small beside the length and the end falls anywhere in it.
 */
export const bestIntervalUs = ({
  lengthUs,
  pollCost,
  lateCostPerUs,
}: {
  lengthUs: number
  pollCost: number
  lateCostPerUs: number
}): number => Math.sqrt((2 * pollCost * lengthUs) / lateCostPerUs)
