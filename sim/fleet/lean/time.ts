/** Time of the lean world: an event list, and no promises. */
import { createEventQueue } from '../../kernel/event-queue.ts'
import { SortedWheel } from '../../kernel/sorted-wheel.ts'
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

/** What happens when, by time and order of entry. */
interface EventList {
  push(atUs: number, act: () => void): () => void
  /** Infinity if there is none. */
  peekUs(): number
  /** Lets the earliest happen. */
  happen(): void
}

/** @param events how many there are at once: few, as of one client, or many, as of a fleet. What happens is the same. */
export function createLeanTime(horizonUs: number, events: 'few' | 'many' = 'few'): LeanTime {
  const list = events === 'few' ? createHeap() : createWheel()
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
        return list.push(atUs, act)
      },
      soon: (act) => void turn.push(act),
      pending: () => turn.length - taken,
    },
    run(isOver) {
      settle()
      while (!isOver()) {
        const atUs = list.peekUs()
        if (atUs >= horizonUs) {
          nowUs = horizonUs
          return
        }
        nowUs = atUs
        list.happen()
        settle()
      }
    },
  }
}

function createHeap(): EventList {
  const queue = createEventQueue<() => void>()
  return {
    push(atUs, act) {
      const entry = queue.push(atUs, act)
      return () => queue.remove(entry)
    },
    peekUs: () => queue.peekTimeUs() ?? Infinity,
    happen: () => queue.pop()?.(),
  }
}

const NOTHING = (): void => {}

/** Events in a wheel of slots; what is taken back stays there until its time and does nothing then. */
function createWheel(): EventList {
  const wheel = new SortedWheel()
  const acts: (() => void)[] = []
  const free: number[] = []
  return {
    push(atUs, act) {
      const slot = free.pop() ?? acts.length
      acts[slot] = act
      wheel.push(atUs, slot)
      return () => {
        if (acts[slot] === act) acts[slot] = NOTHING
      }
    },
    peekUs: () => wheel.peekUs(),
    happen() {
      const slot = wheel.shift()
      const act = acts[slot] as () => void
      acts[slot] = NOTHING
      free.push(slot)
      act()
    },
  }
}
