/** Time of the lean world: an event queue, and no promises. */
import { createEventQueue } from '../../kernel/event-queue.ts'
import type { PathClock } from '../../path/clock.ts'

export interface LeanClock extends PathClock {
  /**
   * Acts once what happens now is done, before anything else the clock holds: in
   * the replay that is where promises move. In the order given.
   */
  soon(act: () => void): void
  /** How much waits for that. */
  pending(): number
}

export interface LeanTime {
  clock: LeanClock
  /**
   * Lets things happen until `isOver`, which is asked after each, nothing is left to happen, or the horizon comes.
   * What is due at the horizon does not happen.
   */
  run: (isOver: () => boolean) => void
}

export function createLeanTime(horizonUs: number): LeanTime {
  const events = createEventQueue<() => void>()
  let nowUs = 0
  let turn: (() => void)[] = []
  let taken = 0

  function settle(): void {
    if (turn.length === 0) return
    while (taken < turn.length) (turn[taken++] as () => void)()
    turn = []
    taken = 0
  }

  return {
    clock: {
      nowUs: () => nowUs,
      at(atUs, act) {
        if (!(atUs >= nowUs)) throw new RangeError(`cannot schedule at ${atUs} µs: it is ${nowUs} µs already`)
        const entry = events.push(atUs, act)
        return () => events.remove(entry)
      },
      soon: (act) => void turn.push(act),
      pending: () => turn.length - taken,
    },
    run(isOver) {
      settle()
      while (!isOver()) {
        const atUs = events.peekTimeUs() ?? Infinity
        if (atUs >= horizonUs) {
          nowUs = horizonUs
          return
        }
        nowUs = atUs
        events.pop()?.()
        settle()
      }
    },
  }
}
