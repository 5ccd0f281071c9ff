/**
 * Speed of the fleet engine on the workloads W and Q, beside event lists others
 * use: interleaved rounds in one process, SimPy in one of its own. Ratios within
 * one run say more than nanoseconds.
 */
import { runQ, runW, type WorkloadTally } from '../../sim/fleet/index.ts'
import { measureListApart, measureSimPy, type Workload } from './references/references.ts'

const JOBS = 1_000_000
const SIMPY_JOBS = 20_000
const ROUNDS = 3

/** An event is an arrival or a poll; with latencies and a server a poll is four of them. */
const eventsOf = (tally: WorkloadTally, workload: Workload): number => {
  const tasks = Number(tally.totalOf('tasks'))
  const polls = Number(tally.totalOf('polls'))
  return tasks + (workload === 'Q' ? 4 : 1) * polls
}

const OURS: readonly { name: string; workload: Workload; run: () => WorkloadTally }[] = [
  { name: 'sweep', workload: 'W', run: () => runW('sweep', { tasks: JOBS }) },
  { name: 'lanes', workload: 'W', run: () => runW('lanes', { tasks: JOBS }) },
  { name: 'wheel', workload: 'W', run: () => runW('wheel', { tasks: JOBS }) },
  { name: 'wheel', workload: 'Q', run: () => runQ({ tasks: JOBS }) },
]

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN

/** @param line prints one */
export function measureFleet(line: (text: string) => void): void {
  const nanoseconds = OURS.map((): number[] => [])
  for (let round = 0; round <= ROUNDS; round++)
    for (const [index, { workload, run }] of OURS.entries()) {
      const { user, system } = process.cpuUsage()
      const tally = run()
      const spent = process.cpuUsage({ user, system })
      // The first round warms up.
      if (round > 0)
        nanoseconds[index]?.push(((spent.user + spent.system) * 1000) / eventsOf(tally, workload))
    }
  for (const workload of ['W', 'Q'] as const) {
    const simpy = measureSimPy(workload, { jobs: SIMPY_JOBS, seed: 1 })
    const flat = measureListApart('flatqueue', workload, { jobs: JOBS, seed: 1, repetitions: ROUNDS })
    const heap = measureListApart('heap', workload, { jobs: JOBS, seed: 1, repetitions: ROUNDS })
    line(`workload ${workload}, ${JOBS} jobs, processor time per event (median of ${ROUNDS}):`)
    const than = (ns: number): string =>
      [
        typeof simpy === 'string' ? undefined : `${(simpy.nsPerEvent / ns).toFixed(0)} x SimPy`,
        `${(flat.nsPerEvent / ns).toFixed(1)} x flatqueue`,
        `${(heap.nsPerEvent / ns).toFixed(1)} x typed heap`,
      ]
        .filter((text) => text !== undefined)
        .join(', ')
    for (const [index, { name, workload: its }] of OURS.entries()) {
      if (its !== workload) continue
      const ns = median(nanoseconds[index] ?? [])
      line(`  ${name}: ${ns.toFixed(1)} ns, ${than(ns)}`)
    }
    line(`  flatqueue: ${flat.nsPerEvent.toFixed(1)} ns; typed heap: ${heap.nsPerEvent.toFixed(1)} ns`)
    line(
      typeof simpy === 'string'
        ? `  SimPy: ${simpy}`
        : `  SimPy: ${simpy.nsPerEvent.toFixed(0)} ns, on ${SIMPY_JOBS} jobs, which favours it`,
    )
  }
}
