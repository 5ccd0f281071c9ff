/**
 * A fleet engine that plays nothing: every block has ten tasks, and a checksum
 * of what belongs to it. Streams share something, so their rows are not divided.
 */
import type { FleetEngine, FleetTally } from '../../sim/fleet/index.ts'
import { aFleetRow, overTime } from '../../sim/testing/fleet.ts'

const BLOCKS = 64

interface FakeTally {
  blocks: number[]
  sum: number
}

export const fakeEngine: FleetEngine = {
  partsOf: ({ replications }, { word }) =>
    Array.from({ length: replications }, (_, replication) =>
      word.startsWith('stream')
        ? [{ replication, fromBlock: 0, toBlock: BLOCKS }]
        : Array.from({ length: BLOCKS }, (_block, block) => ({
            replication,
            fromBlock: block,
            toBlock: block + 1,
          })),
    ).flat(),
  runPart({ seed }, { word }, { replication, fromBlock, toBlock }) {
    const blocks: number[] = []
    let sum = 0
    for (let block = fromBlock; block < toBlock; block++) {
      blocks.push(replication * BLOCKS + block)
      sum += (seed + 1) * (block + 1) * (replication + 1) * word.length
    }
    return { blocks, sum } satisfies FakeTally as FleetTally
  },
  mergeTallies(tallies) {
    const all = tallies as readonly FakeTally[]
    const blocks = all.flatMap((tally) => tally.blocks).toSorted((a, b) => a - b)
    if (new Set(blocks).size < blocks.length) throw new RangeError('a block is counted twice')
    return { blocks, sum: all.reduce((sum, tally) => sum + tally.sum, 0) } satisfies FakeTally as FleetTally
  },
  fleetRow({ replications, fleet }, { word, label }, tally) {
    const { blocks, sum } = tally as FakeTally
    if (blocks.length !== BLOCKS * replications) throw new RangeError(`only ${blocks.length} blocks`)
    const tasks = blocks.length * 10
    return aFleetRow({
      mechanism: label ?? `the ${word}`,
      policy: word,
      replications,
      tasks,
      outcomes: { learned: tasks, notLearned: 0, failed: 0, unfinished: 0 },
      load: overTime(sum / 1_000, sum, [sum, sum + 1]),
      binMs: (fleet?.binUs ?? 0) / 1_000,
      checksum: sum.toString(16),
    })
  },
}
