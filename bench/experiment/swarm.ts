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

/** Told every now and then how many runs are done, and how many violations they had. */
export type Progress = (done: number, violations: number) => void

/** Every violation of so many runs, in the order of their seeds. The number of workers changes nothing in the result. */
export async function runSwarm(
  { seed, runs, workers }: SwarmOptions,
  progress: Progress,
): Promise<Violation[]> {
  const parts = partsOf(seed, runs).map((part) => ({ ...part, plant: undefined, first: false }))
  return (await inParts(parts, workers, counting(runs, progress))).flat()
}

/** The first violation that a planted mistake shows in so many runs, if any. */
export async function findPlant(
  plant: string,
  { seed, runs, workers }: SwarmOptions,
  progress: Progress,
): Promise<Violation | undefined> {
  const parts = partsOf(seed, runs).map((part) => ({ ...part, plant, first: true }))
  const ended = counting(runs, progress)
  // A round at a time: most mistakes show in the first.
  for (let next = 0; next < parts.length; next += workers) {
    const [found] = (await inParts(parts.slice(next, next + workers), workers, ended)).flat()
    if (found !== undefined) return found
  }
  return undefined
}

const partsOf = (seed: number, runs: number): { from: number; to: number }[] =>
  Array.from({ length: Math.ceil(runs / PART_RUNS) }, (_, index) => ({
    from: seed + index * PART_RUNS,
    to: seed + Math.min(runs, (index + 1) * PART_RUNS),
  }))

type PartEnded = (part: SwarmPart, found: readonly Violation[]) => void

/** A tenth of the runs at a time, but neither too often nor too seldom for somebody who watches. */
const stepOf = (runs: number): number => Math.min(Math.max(runs / 10, 1_000), 10_000)

/** Tells of each step once; not of the last, where the result says it. */
function counting(runs: number, progress: Progress): PartEnded {
  const step = stepOf(runs)
  let done = 0
  let violations = 0
  return ({ from, to }, found) => {
    const before = done
    done += to - from
    violations += found.length
    if (done < runs && Math.floor(done / step) > Math.floor(before / step)) progress(done, violations)
  }
}

async function inParts(
  parts: readonly SwarmPart[],
  workers: number,
  ended: PartEnded,
): Promise<Violation[][]> {
  if (workers > 1 && parts.length > 1) {
    const ending = extname(new URL(import.meta.url).pathname)
    return runInWorkers<SwarmPart, Violation[]>(new URL(`./swarm-part${ending}`, import.meta.url), parts, {
      workers,
      ended: (violations, number) => ended(parts[number] as SwarmPart, violations),
    })
  }
  const { default: swarmPart } = await import('./swarm-part.ts')
  const found: Violation[][] = []
  for (const part of parts) {
    const violations = await swarmPart(part)
    found.push(violations)
    ended(part, violations)
  }
  return found
}
