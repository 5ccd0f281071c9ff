import type { Cancel } from '../kernel/clock.ts'

/** A limited number of places, and those who wait for one, first come, first served. */
export interface Places {
  /** Takes a place if one is free. */
  take(): boolean
  /** Calls `begin` with a place taken, once one is free. */
  wait(begin: () => void): Cancel
  /** Gives a place back, or on to whoever waits. */
  free(): void
}

export function createPlaces(count: number): Places {
  let left = count
  const waiting = new Set<{ begin: () => void }>()
  return {
    take() {
      if (left === 0) return false
      left -= 1
      return true
    },
    wait(begin) {
      const entry = { begin }
      waiting.add(entry)
      return () => void waiting.delete(entry)
    },
    free() {
      const [next] = waiting
      if (next === undefined) {
        left += 1
        return
      }
      waiting.delete(next)
      next.begin()
    },
  }
}
