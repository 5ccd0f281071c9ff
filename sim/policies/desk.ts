/** What an agent can do at once: its connections, its handlers and the line for them. Pure but for the clock it is given. */
import type { Cancel, Clock } from '../kernel/clock.ts'
import { type Distribution, drawUs } from '../kernel/distribution.ts'
import type { RandomStream } from '../kernel/random.ts'
import type { Refusal } from './middlebox.ts'

/** Who asks takes the next free handler, or waits in line for one, first come, first served. */
export interface Capacity {
  handlers: number | undefined
  /** How long a handler takes for a request. The first entry whose operations name it counts; `undefined` names all. In the words of a fault's `operations`. */
  service: readonly { operations: readonly string[] | undefined; time: Distribution }[]
  /** How many may wait; any number where `undefined`. */
  queue: number | undefined
  /** Requests under way at once, open streams included. */
  connections: number | undefined
  /** What becomes of who finds no room. */
  full: Refusal
}

export interface Visit {
  /** In the words of a fault's `operations`. */
  operation: string
  /** A handler is done with it: what is so now is the answer. `waitedUs`: in line, from its arrival on. */
  serve: (waitedUs: number) => void
  /** There is no room for it. */
  turnAway: () => void
}

export interface Desk {
  /**
   * A request arrives. It holds a connection, and its place in line, until the
   * result is called: when its answer is over, or nobody waits for it any more.
   * What a handler has begun it finishes.
   */
  enter(visit: Visit): Cancel
  /** Forgets who is in line and in service, and what is held: the process ends. */
  forget(): void
}

/** @param random how long each service takes, drawn when it begins */
export function createDesk(
  { handlers = Infinity, service, queue = Infinity, connections = Infinity, full }: Capacity,
  clock: Pick<Clock, 'nowUs' | 'at'>,
  random: RandomStream,
): Desk {
  /** In line for a connection, where who finds none waits; then in line for a handler. */
  const outside = new Set<() => void>()
  const line = new Set<() => void>()
  let held = 0
  let busy = 0
  let life = 0

  const timeOf = (operation: string): Distribution | undefined =>
    service.find(({ operations }) => operations === undefined || operations.includes(operation))?.time

  function begin({ operation, serve }: Visit, waitedUs: number): void {
    busy += 1
    const time = timeOf(operation)
    const serviceUs = time === undefined ? 0 : drawUs(time, random)
    const itsLife = life
    const done = (): void => {
      if (itsLife !== life) return
      serve(waitedUs)
      busy -= 1
      callNext()
    }
    if (serviceUs === 0) done()
    else clock.at(clock.nowUs() + serviceUs, done)
  }

  function callNext(): void {
    const [next] = line
    if (next === undefined || busy >= handlers) return
    line.delete(next)
    next()
  }

  /** Has a connection: takes a handler or stands in line. False if the line is full. */
  function standInLine(visit: Visit, arrivedUs: number, entry: () => void): boolean {
    if (busy < handlers && line.size === 0) begin(visit, clock.nowUs() - arrivedUs)
    else if (line.size < queue || full.answer === 'wait') line.add(entry)
    else return false
    return true
  }

  return {
    enter(visit) {
      const arrivedUs = clock.nowUs()
      let holds = false
      const itsLife = life
      const atHandler = () => begin(visit, clock.nowUs() - arrivedUs)
      const comeIn = (): void => {
        holds = true
        held += 1
        if (standInLine(visit, arrivedUs, atHandler)) return
        leave()
        visit.turnAway()
      }
      if (held < connections) comeIn()
      else if (full.answer === 'wait') outside.add(comeIn)
      else visit.turnAway()

      function leave(): void {
        outside.delete(comeIn)
        line.delete(atHandler)
        if (!holds || itsLife !== life) return
        holds = false
        held -= 1
        const [next] = outside
        if (next === undefined) return
        outside.delete(next)
        next()
      }
      return leave
    },
    forget() {
      life += 1
      held = 0
      busy = 0
      outside.clear()
      line.clear()
    },
  }
}
