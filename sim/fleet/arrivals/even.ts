import { BATCH, firstOf } from '../blocks.ts'
import type { ArrivalBlocks } from './block-arrivals.ts'

/** Task i of n at i/n of the time, rounded down. Exact: the remainder is carried along instead of multiplied out. */
export function even(tasks: number, withinUs: number): ArrivalBlocks {
  const countOf = (block: number): number => firstOf(block + 1, tasks) - firstOf(block, tasks)
  const stepUs = Math.floor(withinUs / tasks)
  const stepRest = withinUs - stepUs * tasks
  return {
    countOf,
    of(block) {
      const total = BigInt(firstOf(block, tasks)) * BigInt(withinUs)
      let atUs = Number(total / BigInt(tasks || 1))
      let rest = Number(total % BigInt(tasks || 1))
      let left = countOf(block)
      return {
        next(columnUs) {
          const count = Math.min(left, BATCH)
          for (let i = 0; i < count; i++) {
            columnUs[i] = atUs
            atUs += stepUs
            rest += stepRest
            if (rest >= tasks) {
              rest -= tasks
              atUs += 1
            }
          }
          left -= count
          return count
        },
      }
    },
  }
}
