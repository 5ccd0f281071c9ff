import { extname } from 'node:path'
import type { Violation } from '../../sim/swarm/index.ts'
import type { SwarmPart } from './swarm-part.ts'
import { runInWorkers } from './workers.ts'

/** Small enough that all cores end at about the same time, large enough that messages cost nothing. */
const PART_RUNS = 250

export interface SwarmOptions {
  seed: number
  runs: number
  workers: number
}

/** Every violation of so many runs, in the order of their seeds. The number of workers changes nothing in the result. */
export async function runSwarm({ seed, runs, workers }: SwarmOptions): Promise<Violation[]> {
  const parts = partsOf(seed, runs).map((part) => ({ ...part, plant: undefined, first: false }))
  return (await inParts(parts, workers)).flat()
}

/** The first violation that a planted mistake shows in so many runs, if any. */
export async function findPlant(
  plant: string,
  { seed, runs, workers }: SwarmOptions,
): Promise<Violation | undefined> {
  const parts = partsOf(seed, runs).map((part) => ({ ...part, plant, first: true }))
  // A round at a time: most mistakes show in the first.
  for (let next = 0; next < parts.length; next += workers) {
    const [found] = (await inParts(parts.slice(next, next + workers), workers)).flat()
    if (found !== undefined) return found
  }
  return undefined
}

const partsOf = (seed: number, runs: number): { from: number; to: number }[] =>
  Array.from({ length: Math.ceil(runs / PART_RUNS) }, (_, index) => ({
    from: seed + index * PART_RUNS,
    to: seed + Math.min(runs, (index + 1) * PART_RUNS),
  }))

async function inParts(parts: readonly SwarmPart[], workers: number): Promise<Violation[][]> {
  if (workers > 1 && parts.length > 1) {
    const ending = extname(new URL(import.meta.url).pathname)
    return runInWorkers<SwarmPart, Violation[]>(
      new URL(`./swarm-part${ending}`, import.meta.url),
      parts,
      workers,
    )
  }
  const { default: swarmPart } = await import('./swarm-part.ts')
  const found: Violation[][] = []
  for (const part of parts) found.push(await swarmPart(part))
  return found
}
