import { BATCH, firstOf } from '../blocks.ts'
import type { ArrivalBlocks } from './block-arrivals.ts'

/** All at 0. */
export function together(tasks: number): ArrivalBlocks {
  const countOf = (block: number): number => firstOf(block + 1, tasks) - firstOf(block, tasks)
  return {
    countOf,
    of(block) {
      let left = countOf(block)
      return {
        next(columnUs) {
          const count = Math.min(left, BATCH)
          columnUs.fill(0, 0, count)
          left -= count
          return count
        },
      }
    },
  }
}
