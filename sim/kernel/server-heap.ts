/**
 * When each of a number of equal handlers is free again. With a line in order
 * of arrival that is all there is to know about them (Kiefer and Wolfowitz, "On
 * the theory of queues with many servers", 1955): the next in line begins when
 * the first of them is free.
 */
export interface ServerHeap {
  /** When the first handler is free; 0 while one has never worked. */
  least(): number
  /** That handler is busy until `untilUs`, which is not before `least()`. */
  replaceLeast(untilUs: number): void
}

/** Up to so many, times in order are quicker than a heap. */
const FEW = 16

/** @throws RangeError unless `handlers` is a whole number from 1 on */
export function createServerHeap(handlers: number): ServerHeap {
  if (!Number.isSafeInteger(handlers) || handlers < 1)
    throw new RangeError(`handlers are counted in whole numbers from 1 on, not ${handlers}`)
  return new FreeTimes(handlers)
}

class FreeTimes implements ServerHeap {
  /** Ascending if they are few, otherwise a binary heap: the least is first in both. */
  private readonly times: Float64Array
  private readonly isFew: boolean

  constructor(handlers: number) {
    this.times = new Float64Array(handlers)
    this.isFew = handlers <= FEW
  }

  least(): number {
    return this.times[0] as number
  }

  replaceLeast(untilUs: number): void {
    const { times } = this
    let hole = 0
    if (this.isFew) {
      const last = times.length - 1
      while (hole < last && (times[hole + 1] as number) < untilUs) {
        times[hole] = times[hole + 1] as number
        hole++
      }
    } else {
      const { length } = times
      for (let child = 1; child < length; child = 2 * hole + 1) {
        if (child + 1 < length && (times[child + 1] as number) < (times[child] as number)) child++
        if ((times[child] as number) >= untilUs) break
        times[hole] = times[child] as number
        hole = child
      }
    }
    times[hole] = untilUs
  }
}
