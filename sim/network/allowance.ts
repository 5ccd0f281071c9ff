/** How many connections to one origin a party allows itself at once; a browser has six. */
import type { Cancel, Clock } from '../kernel/clock.ts'
import type { Party } from '../records/record.ts'
import { createPlaces, type Places } from '../path/places.ts'
import type { Sending } from './sending.ts'

export interface Allowance {
  /**
   * Begins an exchange as soon as fewer than `most` of this party with this
   * origin are under way, first come, first served. Its record and its limits
   * begin then as well: nothing tells of the waiting.
   *
   * @param begin given what must be called when the exchange is over; throws or rejects as `fetch` does
   */
  begin(
    from: Party,
    sending: Sending,
    most: number,
    begin: (over: () => void) => Promise<Response>,
  ): Promise<Response>
  /** The run is over: whoever waits now waits for ever, or until it aborts. */
  close(): void
}

export function createAllowance(clock: Clock): Allowance {
  const byOrigin = new Map<string, Places>()
  const labels = new Set<Cancel>()

  function placesOf(from: Party, origin: string, most: number): Places {
    const key = `${from} ${origin}`
    let places = byOrigin.get(key)
    if (places === undefined) byOrigin.set(key, (places = createPlaces(most)))
    return places
  }

  /** Resolves with a place taken. */
  function turn(from: Party, { signal, url }: Sending, places: Places): Promise<void> {
    return new Promise((resolve, reject) => {
      const unlabel = clock.waiting(`${from} waits for a connection to ${url.origin}`)
      const leaveQueue = places.wait(() => {
        stop()
        resolve()
      })
      function stop(): void {
        unlabel()
        labels.delete(unlabel)
        signal?.removeEventListener('abort', giveUp)
      }
      function giveUp(): void {
        leaveQueue()
        stop()
        reject(signal?.reason)
      }
      labels.add(unlabel)
      signal?.addEventListener('abort', giveUp, { once: true })
    })
  }

  return {
    async begin(from, sending, most, begin) {
      const places = placesOf(from, sending.url.origin, most)
      if (!places.take()) await turn(from, sending, places)
      let over: (() => void) | undefined = () => places.free()
      const overOnce = (): void => {
        over?.()
        over = undefined
      }
      try {
        sending.signal?.throwIfAborted()
        return await begin(overOnce)
      } catch (error) {
        overOnce()
        throw error
      }
    },
    close() {
      for (const unlabel of labels) unlabel()
    },
  }
}
