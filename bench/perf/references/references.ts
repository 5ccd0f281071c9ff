/**
 * What the fleet engine is measured against, on the same machine within the same
 * minutes: event lists that one could have taken instead, under the plainest
 * form of each workload, and SimPy.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { FlatQueueList } from './flat-queue.ts'
import type { Outcome } from './outcome.ts'
import { TypedHeap } from './typed-heap.ts'
import { runQ, runW } from './workloads.ts'

export type Workload = 'W' | 'Q'

export interface Measured extends Outcome {
  /** Of the processor's time; of the quickest repetition where there are several. */
  nsPerEvent: number
}

export const EVENT_LISTS = {
  heap: () => new TypedHeap(),
  flatqueue: () => new FlatQueueList(),
}

export type ListName = keyof typeof EVENT_LISTS

export interface Size {
  jobs: number
  seed: number
  /** The later ones are warm. */
  repetitions?: number
}

/** Runs a workload over one of the event lists. */
export function measureList(
  name: ListName,
  workload: Workload,
  { jobs, seed, repetitions = 1 }: Size,
): Measured {
  const run = workload === 'W' ? runW : runQ
  let best: Measured | undefined
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const before = process.cpuUsage()
    const outcome = run(EVENT_LISTS[name](), jobs, seed)
    const { user, system } = process.cpuUsage(before)
    const nsPerEvent = ((user + system) * 1000) / outcome.events
    if (best === undefined || nsPerEvent < best.nsPerEvent) best = { ...outcome, nsPerEvent }
  }
  if (best === undefined) throw new RangeError('a measurement takes at least one repetition')
  return best
}

/** As `measureList`, in a process of its own: code that has met one list only is compiled for it alone, and is quicker. */
export function measureListApart(
  name: ListName,
  workload: Workload,
  { jobs, seed, repetitions = 1 }: Size,
): Measured {
  const script = join(import.meta.dirname, 'main.ts')
  const given = [name, workload, jobs, seed, repetitions].map(String)
  const told = execFileSync(process.execPath, ['--import', 'tsx', script, ...given], { encoding: 'utf8' })
  return JSON.parse(told) as Measured
}

/** Where Debian's python3-simpy3 is seen; other Pythons of a machine do not see it. */
const PYTHON = '/usr/bin/python3'

/** SimPy's own run of the workload; a string says why there is none. */
export function measureSimPy(workload: Workload, { jobs, seed }: Size): Measured | string {
  const script = join(import.meta.dirname, 'w_q_simpy.py')
  const ended = spawnSync(PYTHON, [script, workload.toLowerCase(), String(jobs), String(seed)], {
    encoding: 'utf8',
  })
  if (ended.error !== undefined) return `skipped: ${PYTHON} does not start (${ended.error.message})`
  if (ended.status === 3) return `skipped: ${PYTHON} has no SimPy (on Debian: apt-get install python3-simpy3)`
  if (ended.status !== 0) return `failed: ${ended.stderr.trim()}`
  return JSON.parse(ended.stdout) as Measured
}
