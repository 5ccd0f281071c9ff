import type { Trace } from '../../scenario/fleet.ts'
import { BATCH, firstOf } from '../blocks.ts'
import type { ArrivalBlocks } from './block-arrivals.ts'

/** Those of a trace that lie before `withinUs`. */
export function recorded({ atUs }: Pick<Trace, 'atUs'>, withinUs: number): ArrivalBlocks {
  let tasks = atUs.length
  while (tasks > 0 && (atUs[tasks - 1] as number) >= withinUs) tasks--
  return {
    countOf: (block) => firstOf(block + 1, tasks) - firstOf(block, tasks),
    of(block) {
      let place = firstOf(block, tasks)
      const end = firstOf(block + 1, tasks)
      return {
        next(columnUs) {
          const count = Math.min(end - place, BATCH)
          columnUs.set(atUs.subarray(place, place + count))
          place += count
          return count
        },
      }
    },
  }
}
