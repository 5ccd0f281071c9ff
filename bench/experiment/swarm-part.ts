import { judgeSeed, PLANTS, type Violation } from '../../sim/swarm/index.ts'

/** Some runs of a swarm, one for each seed. */
export interface SwarmPart {
  from: number
  /** Not included. */
  to: number
  /** The mistake planted in all of them; none where absent. */
  plant: string | undefined
  /** Whether to stop at the first violation. */
  first: boolean
}

/** What went wrong in them. Also what a worker runs. */
export default async function swarmPart({ from, to, plant, first }: SwarmPart): Promise<Violation[]> {
  const tampering = PLANTS.find(({ name }) => name === plant)
  const violations: Violation[] = []
  for (let seed = from; seed < to; seed++) {
    violations.push(...(await judgeSeed(seed, tampering)))
    if (first && violations.length > 0) break
  }
  return violations
}
