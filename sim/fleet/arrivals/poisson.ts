/**
 * Independent arrivals on a cumulative intensity, of which each block has the
 * 64th part. What happens in one part says nothing about another, so blocks can
 * be drawn in any order, and by anyone.
 */
import { sfc32Of } from '../../kernel/random.ts'
import type { Sfc32 } from '../../kernel/sfc32.ts'
import { BATCH, BLOCKS } from '../blocks.ts'
import type { ArrivalBlocks, BlockArrivals } from './block-arrivals.ts'
import { createReader, type Intensity, totalOf } from './intensity.ts'

const streamOf = (seed: number, block: number): Sfc32 => sfc32Of(seed, `arrivals of block ${block}`)

/** So many on average over the whole intensity: a Poisson process, gaps exponential. */
export function poissonByRate(seed: number, intensity: Intensity, expected: number): ArrivalBlocks {
  const total = totalOf(intensity)
  const gap = total / expected
  return {
    countOf: () => undefined,
    of(block) {
      const random = streamOf(seed, block)
      const reader = createReader(intensity)
      const end = (total * (block + 1)) / BLOCKS
      let place = (total * block) / BLOCKS
      return {
        next(columnUs) {
          if (place >= end) return 0
          random.fillExponentials(columnUs, BATCH)
          let count = 0
          for (; count < BATCH; count++) {
            place += gap * (columnUs[count] as number)
            if (place >= end) break
            columnUs[count] = place
          }
          reader.toInstants(columnUs, count)
          return count
        },
      }
    },
  }
}

/**
 * So many in all, each anywhere on the intensity with the same chance. Each half
 * gets as many as a fair coin for each task says, and so on down to parts that
 * fit a column; within one, ordered uniforms are partial sums of exponential
 * gaps over their whole sum (Devroye, "Non-Uniform Random Variate Generation",
 * 1986, chapter V).
 */
export function poissonByNumber(seed: number, intensity: Intensity, tasks: number): ArrivalBlocks {
  const total = totalOf(intensity)
  let counts: Float64Array | undefined
  const countOf = (block: number): number => (counts ??= countsOf(seed, tasks))[block] as number
  return {
    countOf,
    of: (block) =>
      blockOfSoMany(streamOf(seed, block), createReader(intensity), {
        tasks: countOf(block),
        from: (total * block) / BLOCKS,
        to: (total * (block + 1)) / BLOCKS,
      }),
  }
}

function countsOf(seed: number, tasks: number): Float64Array {
  const random = sfc32Of(seed, 'arrivals by block')
  const counts = new Float64Array(BLOCKS).fill(0)
  counts[0] = tasks
  for (let width = BLOCKS / 2; width >= 1; width /= 2)
    for (let block = 0; block < BLOCKS; block += 2 * width) {
      const first = heads(counts[block] as number, random)
      counts[block + width] = (counts[block] as number) - first
      counts[block] = first
    }
  return counts
}

interface Part {
  tasks: number
  from: number
  to: number
}

/** A sum of one exponential more than there are tasks has to fit a column. */
const MOST_AT_ONCE = BATCH - 1

function blockOfSoMany(random: Sfc32, reader: ReturnType<typeof createReader>, whole: Part): BlockArrivals {
  const ahead: Part[] = [whole]
  return {
    next(columnUs) {
      for (let part = ahead.pop(); part !== undefined; part = ahead.pop()) {
        const { tasks, from, to } = part
        if (tasks === 0) continue
        if (tasks > MOST_AT_ONCE) {
          const first = heads(tasks, random)
          const middle = (from + to) / 2
          ahead.push({ tasks: tasks - first, from: middle, to }, { tasks: first, from, to: middle })
          continue
        }
        random.fillExponentials(columnUs, tasks + 1)
        spread(columnUs, part)
        reader.toInstants(columnUs, tasks)
        return tasks
      }
      return 0
    },
  }
}

/** Makes ordered places in a part of one gap more than there are tasks. */
function spread(column: Float64Array, { tasks, from, to }: Part): void {
  let sum = 0
  for (let i = 0; i < tasks; i++) {
    sum += column[i] as number
    column[i] = sum
  }
  const scale = (to - from) / (sum + (column[tasks] as number))
  for (let i = 0; i < tasks; i++) column[i] = from + (column[i] as number) * scale
}

/** How many of so many fair coins show heads: the bits of as many random words. */
function heads(coins: number, random: Sfc32): number {
  const rest = coins % 32
  let count = rest === 0 ? 0 : ones(random.nextUint32() >>> (32 - rest))
  const words = (coins - rest) / 32
  for (let word = 0; word < words; word++) count += ones(random.nextUint32())
  return count
}

function ones(word: number): number {
  let pairs = word - ((word >>> 1) & 0x55555555)
  pairs = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((pairs + (pairs >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
