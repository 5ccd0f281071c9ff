/** The connections of clients whose polls are known beforehand, by the rule of path/connections.ts. */
import { IDLE_LIMIT_US } from '../../path/connections.ts'
import { BATCH } from '../blocks.ts'
import { type FixedSchedule, pollAtUs } from '../schedule.ts'
import type { Tally } from '../tally/tally.ts'
import type { BatchCounter } from './batch-counter.ts'

/** Requests that share a connection: all of a client's, those up to the head of the schedule, or none. */
export type ConnectionUse = 'one' | 'head' | 'each'

/** `undefined` for schedules whose gaps are now shorter and now longer than a connection idles. */
export function connectionUse(
  { headUs, tail, lastUs }: FixedSchedule,
  roundTripUs: number,
): ConnectionUse | undefined {
  if (lastUs !== undefined) return undefined
  const isShort = (gapUs: number): boolean => gapUs < IDLE_LIMIT_US
  let beforeUs = 0
  const heads: boolean[] = []
  for (const atUs of headUs) {
    heads.push(isShort(atUs - beforeUs - roundTripUs))
    beforeUs = atUs
  }
  const joinsTail = tail.polls === 0 || isShort(tail.everyUs - roundTripUs)
  if (heads.every(Boolean)) return joinsTail ? 'one' : 'head'
  return heads.some(Boolean) || (joinsTail && tail.polls > 0) ? undefined : 'each'
}

export interface ConnectionSweep extends BatchCounter {
  /** How many have opened in the window so far. */
  opened(): number
}

export function createConnectionSweep(
  schedule: FixedSchedule,
  { use, roundTripUs, horizonUs }: { use: ConnectionUse; roundTripUs: number; horizonUs: number },
  tally: Tally,
): ConnectionSweep {
  const { fromUs, toUs } = tally.shape.frame
  const heads = schedule.headUs.length
  const starts = new Float64Array(BATCH)
  const ends = new Float64Array(BATCH)
  let filled = 0
  let opened = 0

  function flush(): void {
    tally.connections.addColumns(starts, ends, filled)
    filled = 0
  }

  /** From its first request up to the last one, which leaves then. */
  function hold(beginUs: number, lastUs: number): void {
    const answeredUs = lastUs + roundTripUs
    starts[filled] = beginUs
    // At the horizon one that waits for its answer is closed; an idle one has its time.
    ends[filled++] = answeredUs >= horizonUs ? horizonUs : answeredUs + IDLE_LIMIT_US
    if (beginUs >= fromUs && beginUs < toUs) opened += 1
    if (filled === BATCH) flush()
  }

  /** How many of a client's polls go by its first connection. */
  const sharing = use === 'one' ? Infinity : use === 'head' ? heads : 0

  return {
    add({ arrivalUs }, { polls }, count) {
      for (let i = 0; i < count; i++) {
        const arrival = arrivalUs[i] as number
        const made = polls[i] as number
        const shared = Math.min(made, sharing)
        hold(arrival, shared === 0 ? arrival : arrival + pollAtUs(schedule, shared - 1))
        for (let poll = shared; poll < made; poll++) {
          const us = arrival + pollAtUs(schedule, poll)
          if (us >= toUs) break
          hold(us, us)
        }
      }
      flush()
    },
    opened: () => opened,
  }
}
