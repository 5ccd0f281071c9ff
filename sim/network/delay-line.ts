import type { Cancel, Clock } from '../kernel/clock.ts'

/** One direction of one exchange: what goes in comes out later, in the order it went in. */
export interface DelayLine {
  send(act: () => void): void
  /** Forgets what is under way and delays nothing any more. */
  open(): void
}

/** @param delayUs with 0 everything comes out at once, without any event on the clock */
export function createDelayLine(clock: Clock, delayUs: number): DelayLine {
  if (delayUs === 0) return { send: (act) => act(), open() {} }
  const underWay = new Set<Cancel>()
  let isOpen = false
  return {
    send(act) {
      if (isOpen) {
        act()
        return
      }
      const cancel = clock.at(clock.nowUs() + delayUs, () => {
        underWay.delete(cancel)
        act()
      })
      underWay.add(cancel)
    },
    open() {
      isOpen = true
      for (const cancel of underWay) cancel()
      underWay.clear()
    },
  }
}
