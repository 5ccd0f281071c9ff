/** One direction of one exchange. */
import type { PathClock } from './clock.ts'
import { createLine } from './line.ts'
import type { Way } from './way.ts'

export interface Link {
  /**
   * Messages arrive in the order they were sent, or never.
   *
   * @param twice told when this one will arrive a second time
   */
  send(arrives: () => void, twice?: (atUs: number) => void): void
  /** Forgets what is under way; from now on everything arrives at once. */
  open(): void
}

const SHORTEST: Link = { send: (arrives) => arrives(), open() {} }

/**
 * Once a message is lost no later one arrives, as on a real connection.
 *
 * @param lost told how many messages will never arrive, each once
 */
export function createLink(clock: PathClock, way: Way, lost: (messages: number) => void): Link {
  const { fixedUs } = way
  // Without latency there is no event on the clock.
  if (fixedUs === 0) return SHORTEST
  let state: 'alive' | 'dead' | 'open' = 'alive'

  function hold(): number | undefined {
    const met = way.arrive(clock.nowUs())
    if (met === 'lost') {
      state = 'dead'
      lost(line.clear())
    }
    return typeof met === 'number' ? met : undefined
  }

  const line = createLine(clock, fixedUs === undefined ? hold : undefined)

  return {
    send(arrives, twice) {
      if (state === 'open') arrives()
      else if (state === 'dead') lost(1)
      else setOut(arrives, twice)
    },
    open() {
      state = 'open'
      line.clear()
    },
  }

  function setOut(arrives: () => void, twice?: (atUs: number) => void): void {
    const nowUs = clock.nowUs()
    if (fixedUs !== undefined) {
      line.put(nowUs + fixedUs, arrives)
      return
    }
    const verdict = way.setOut(nowUs)
    if (verdict === 'lost') {
      state = 'dead'
      lost(1)
      return
    }
    if (verdict.againUs !== undefined) twice?.(verdict.againUs)
    line.put(verdict.atUs, arrives)
  }
}
