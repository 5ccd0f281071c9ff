import type { TaskBatch } from '../batch.ts'
import { BATCH } from '../blocks.ts'

/** Polls that left, and those of them that saw the end of their task. */
export interface DrainedPolls {
  polled: number
  pollUs: Float64Array
  ended: number
  endedUs: Float64Array
  doneUs: Float64Array
  poll: Int32Array
  block: Uint8Array
  kind: Uint8Array
}

export const createDrained = (): DrainedPolls => ({
  polled: 0,
  pollUs: new Float64Array(BATCH),
  ended: 0,
  endedUs: new Float64Array(BATCH),
  doneUs: new Float64Array(BATCH),
  poll: new Int32Array(BATCH),
  block: new Uint8Array(BATCH),
  kind: new Uint8Array(BATCH),
})

/**
 * Polls that are all due the same time after they were filed: who comes first
 * leaves first, so a ring is all the order they need.
 */
export class Lane {
  readonly delayUs: number
  /** When the earliest is due; Infinity if there is none. */
  dueUs = Infinity
  count = 0
  /** For each place when its poll is due, and the instant from which on a poll sees the end. */
  private times = new Float64Array(2 * 1024)
  private polls = new Int32Array(1024)
  private blocks = new Uint8Array(1024)
  private kinds = new Uint8Array(1024)
  private first = 0

  constructor(delayUs: number) {
    this.delayUs = delayUs
  }

  /** Files the task's poll number `poll`. */
  push(nowUs: number, doneUs: number, poll: number, block: number, kind: number): void {
    if (this.count === this.polls.length) this.grow()
    const place = (this.first + this.count++) & (this.polls.length - 1)
    const dueUs = nowUs + this.delayUs
    this.times[2 * place] = dueUs
    this.times[2 * place + 1] = doneUs
    this.polls[place] = poll
    this.blocks[place] = block
    this.kinds[place] = kind
    if (this.count === 1) this.dueUs = dueUs
  }

  // Of the earliest.
  get doneUs(): number {
    return this.times[2 * this.first + 1] as number
  }
  get poll(): number {
    return this.polls[this.first] as number
  }
  get block(): number {
    return this.blocks[this.first] as number
  }
  get kind(): number {
    return this.kinds[this.first] as number
  }

  /** Takes the earliest out. */
  shift(): void {
    this.first = (this.first + 1) & (this.polls.length - 1)
    this.count--
    this.dueUs = this.count > 0 ? (this.times[2 * this.first] as number) : Infinity
  }

  /**
   * Takes out what is due up to, and at, this instant, and files again whose
   * poll does not see the end: for a lane that all further polls of its tasks
   * wait in. Stops when a column of `out` is full.
   */
  drain(untilUs: number, out: DrainedPolls): void {
    const { times, polls, blocks, kinds, delayUs } = this
    const { pollUs, endedUs, doneUs, poll, block, kind } = out
    const mask = polls.length - 1
    let { polled, ended } = out
    let { first, count } = this
    while (count > 0) {
      const dueUs = times[2 * first] as number
      if (dueUs > untilUs || polled === BATCH || ended === BATCH) break
      const done = times[2 * first + 1] as number
      pollUs[polled++] = dueUs
      if (dueUs >= done) {
        endedUs[ended] = dueUs
        doneUs[ended] = done
        poll[ended] = polls[first] as number
        block[ended] = blocks[first] as number
        kind[ended++] = kinds[first] as number
        count--
      } else {
        const last = (first + count) & mask
        times[2 * last] = dueUs + delayUs
        times[2 * last + 1] = done
        polls[last] = (polls[first] as number) + 1
        blocks[last] = blocks[first] as number
        kinds[last] = kinds[first] as number
      }
      first = (first + 1) & mask
    }
    this.first = first
    this.count = count
    this.dueUs = count > 0 ? (times[2 * first] as number) : Infinity
    out.polled = polled
    out.ended = ended
  }

  /**
   * Files the tasks of a batch from row `from` on, each when it arrives, and
   * drains in between. Gives the row it stopped at: behind the last, or where a
   * column of `out` is full or the ring.
   */
  take(
    { arrivalUs, lengthUs, kind: kindOf, block: blockOf }: TaskBatch,
    from: number,
    to: number,
    out: DrainedPolls,
  ): number {
    if (to - from + this.count > this.polls.length) this.grow(to - from + this.count)
    const { times, polls, blocks, kinds, delayUs } = this
    const { pollUs, endedUs, doneUs, poll, block, kind } = out
    const mask = polls.length - 1
    let { polled, ended } = out
    let { first, count } = this
    let row = from
    for (; row < to; row++) {
      const atUs = arrivalUs[row] as number
      let isFull = false
      while (count > 0) {
        const dueUs = times[2 * first] as number
        if (dueUs > atUs) break
        isFull = polled === BATCH || ended === BATCH
        if (isFull) break
        const done = times[2 * first + 1] as number
        pollUs[polled++] = dueUs
        if (dueUs >= done) {
          endedUs[ended] = dueUs
          doneUs[ended] = done
          poll[ended] = polls[first] as number
          block[ended] = blocks[first] as number
          kind[ended++] = kinds[first] as number
          count--
        } else {
          const last = (first + count) & mask
          times[2 * last] = dueUs + delayUs
          times[2 * last + 1] = done
          polls[last] = (polls[first] as number) + 1
          blocks[last] = blocks[first] as number
          kinds[last] = kinds[first] as number
        }
        first = (first + 1) & mask
      }
      if (isFull) break
      const place = (first + count++) & mask
      times[2 * place] = atUs + delayUs
      times[2 * place + 1] = atUs + (lengthUs[row] as number)
      polls[place] = 0
      blocks[place] = blockOf
      kinds[place] = kindOf[row] as number
    }
    this.first = first
    this.count = count
    this.dueUs = count > 0 ? (times[2 * first] as number) : Infinity
    out.polled = polled
    out.ended = ended
    return row
  }

  private grow(atLeast = this.count + 1): void {
    const { times, polls, blocks, kinds, first } = this
    let places = 2 * polls.length
    while (places < atLeast) places *= 2
    this.times = rotated(times, new Float64Array(2 * places), 2 * first)
    this.polls = rotated(polls, new Int32Array(places), first)
    this.blocks = rotated(blocks, new Uint8Array(places), first)
    this.kinds = rotated(kinds, new Uint8Array(places), first)
    this.first = 0
  }
}

/** A ring, from its first on, into a longer one. */
function rotated<C extends Float64Array | Int32Array | Uint8Array>(ring: C, into: C, first: number): C {
  into.set(ring.subarray(first))
  into.set(ring.subarray(0, first), ring.length - first)
  return into
}
