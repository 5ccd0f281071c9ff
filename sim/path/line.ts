import type { Cancel } from '../kernel/clock.ts'
import type { PathClock } from './clock.ts'

/** Things that come about one after the other, in the order they were put in. */
export interface Line {
  /** At `atUs`, or as soon as the ones before it have come about. */
  put(atUs: number, act: () => void): void
  /** Forgets all that has not come about, and tells how many things that were. */
  clear(): number
}

/**
 * What is due now and waits for nothing comes about at once, without any event
 * on the clock.
 *
 * @param hold asked when something is due: a later instant, to look again, or `undefined` to let it be. It may clear the line.
 */
export function createLine(clock: PathClock, hold?: () => number | undefined): Line {
  const waiting: (() => void)[] = []
  const events = new Set<Cancel>()
  let lastUs = 0

  /** One event for each thing that waits; whichever comes first takes the first of the line. */
  function comeBack(atUs: number): void {
    const cancel = clock.at(atUs, () => {
      events.delete(cancel)
      const heldUntilUs = hold?.()
      if (heldUntilUs === undefined) waiting.shift()?.()
      else comeBack(heldUntilUs)
    })
    events.add(cancel)
  }

  return {
    put(atUs, act) {
      const nowUs = clock.nowUs()
      lastUs = Math.max(atUs, lastUs, nowUs)
      if (lastUs === nowUs && waiting.length === 0) {
        act()
        return
      }
      waiting.push(act)
      comeBack(lastUs)
    },
    clear() {
      for (const cancel of events) cancel()
      events.clear()
      return waiting.splice(0).length
    },
  }
}
