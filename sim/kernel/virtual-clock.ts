/** The clock of the simulator's own code: whole microseconds, over its own event queue. */
import type { Clock } from './clock.ts'
import { createEventQueue } from './event-queue.ts'
import { sleepOn } from './sleep.ts'
import { US_PER_MS } from './units.ts'

/** A clock together with what moves it. Only `virtual-time.ts` holds one; everybody else holds the `clock`. */
export interface VirtualClock {
  clock: Clock
  /** The instant of the next event; `undefined` if there is none. */
  nextUs(): number | undefined
  /** Moves the clock to the next event and lets it happen. */
  happen(): void
  /** Moves the clock to an instant not before now. */
  moveTo(atUs: number): void
  /** How many events are pending. */
  pending(): number
  /** Who waits now, in the order they began to. */
  waiting(): string[]
}

// Taken at load: within a run the global `Date` is a stand-in.
const RealDate = Date

/** @param foreignNowMs the clock of foreign timers, which moves this one when it is ahead */
export function createVirtualClock(epochMs: number, foreignNowMs: () => number): VirtualClock {
  const events = createEventQueue<() => void>()
  const waiters = new Set<{ who: string }>()
  let ownNowUs = 0

  const nowUs = (): number => Math.max(ownNowUs, foreignNowMs() * US_PER_MS)

  const at: Clock['at'] = (atUs, act) => {
    if (!Number.isSafeInteger(atUs))
      throw new RangeError(
        `cannot schedule at ${atUs} µs: instants are whole microseconds (now: ${nowUs()} µs)`,
      )
    if (atUs < nowUs())
      throw new RangeError(`cannot schedule at ${atUs} µs: the clock already reads ${nowUs()} µs`)
    const entry = events.push(atUs, act)
    return () => events.remove(entry)
  }

  const clock: Clock = {
    nowUs,
    at,
    sleep: sleepOn({ nowUs, at }),
    waiting(who) {
      const waiter = { who }
      waiters.add(waiter)
      return () => void waiters.delete(waiter)
    },
    dateOf: (atUs) => new RealDate(epochMs + Math.floor(atUs / US_PER_MS)),
  }

  return {
    clock,
    nextUs: () => events.peekTimeUs(),
    happen() {
      ownNowUs = events.peekTimeUs() ?? ownNowUs
      events.pop()?.()
    },
    moveTo(atUs) {
      ownNowUs = atUs
    },
    pending: () => events.size(),
    waiting: () => [...waiters].map(({ who }) => who),
  }
}
