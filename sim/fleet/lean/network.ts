/** The lean network: who may begin an exchange, which are under way, and what faults do to all of them. */
import type { Conditions } from '../../path/conditions.ts'
import type { Connections } from '../../path/connections.ts'
import type { Places } from '../../path/places.ts'
import type { Route } from '../../path/route.ts'
import type { CutHow } from '../../policies/middlebox.ts'
import type { Party } from '../../records/record.ts'
import { type Asker, LeanExchange, type LeanHost, type Reply } from './exchange.ts'
import type { LeanHead, LeanRequest } from './messages.ts'
import type { LeanSizes } from './sizes.ts'
import type { LeanClock } from './time.ts'

/** What exchanges need of the network they happen on. */
export interface LeanSurroundings {
  clock: LeanClock
  conditions: Conditions | undefined
  sizes: LeanSizes
  /** Nothing of this exchange is under way any more. */
  over(exchange: LeanExchange): void
  /** Its request arrives a second time. */
  twin(exchange: LeanExchange, request: LeanRequest, atUs: number): void
}

/** Somebody who asks one host: by which way, and over which connections. */
export interface Asking {
  party: Party
  host: LeanHost
  route: Route
  connections: Connections
  /** The exchanges it allows itself at once; `undefined` for any number. */
  places: Places | undefined
}

/** An exchange, or the wait for one. Lets go of it; harmless when it is over. */
export interface Begun {
  letGo(): void
}

export interface LeanNetwork {
  begin(asking: Asking, request: LeanRequest, asker: Asker): Begun
  /** A fault between hops and hosts cuts every event stream that is under way. */
  cutStreams(how: CutHow): void
  /** A party restarts: every exchange with it or of its own is reset, and its idle connections close. */
  disconnect(party: Party, connections: Iterable<Connections>): void
  isSettled(): boolean
  /** The run is over: exchanges still open are recorded as they stand. */
  close(): void
}

export interface LeanNetworkOptions {
  clock: LeanClock
  conditions: Conditions | undefined
  sizes: LeanSizes
}

/** A name all hosts are known by: an asker has connections to one host only. */
const ORIGIN = ''

export function createLeanNetwork({ clock, conditions, sizes }: LeanNetworkOptions): LeanNetwork {
  const open = new Set<LeanExchange | Twin>()
  let exchanges = 0
  let closed = false

  const surroundings: LeanSurroundings = {
    clock,
    conditions,
    sizes,
    over: (exchange) => void open.delete(exchange),
    twin: (exchange, request, atUs) => startTwin(exchange, request, atUs),
  }

  function start(
    asking: Asking,
    request: LeanRequest,
    asker: Asker,
    over: (() => void) | undefined,
  ): LeanExchange {
    const { party, host, connections } = asking
    const nowUs = clock.nowUs()
    const isNameless =
      conditions?.host(host.party, request.operation, nowUs).of === 'no name' &&
      !connections.isIdle(party, ORIGIN, nowUs)
    const connection = isNameless ? undefined : connections.take(party, host.party, ORIGIN, nowUs)
    const exchange = new LeanExchange(
      surroundings,
      ++exchanges,
      party,
      connection,
      { request, host, route: asking.route },
      asker,
      over,
    )
    if (isNameless) exchange.nameNotFound()
    else {
      open.add(exchange)
      exchange.begin()
    }
    return exchange
  }

  function startTwin(exchange: LeanExchange, request: LeanRequest, atUs: number): void {
    const { host, record } = exchange
    const twin = new Twin(() => open.delete(twin))
    open.add(twin)
    clock.at(atUs, () => {
      if (closed) return
      const met = conditions?.host(host.party, record.operation, clock.nowUs())
      if (met?.of === 'down' || met?.of === 'answers') twin.whole()
      else host.serve(request, twin, record.number)
      exchange.whenAskerLeft(() => twin.leave())
    })
  }

  return {
    begin(asking, request, asker) {
      const { places } = asking
      if (places === undefined) return start(asking, request, asker, undefined)
      let isOver = false
      const over = (): void => {
        if (isOver) return
        isOver = true
        places.free()
      }
      if (places.take()) return start(asking, request, asker, over)
      let exchange: LeanExchange | undefined
      let isUnwanted = false
      const leaveQueue = places.wait(() =>
        clock.soon(() => {
          if (isUnwanted) over()
          else if (!closed) exchange = start(asking, request, asker, over)
        }),
      )
      return {
        letGo() {
          isUnwanted = true
          leaveQueue()
          exchange?.letGo()
        },
      }
    },
    cutStreams(how) {
      for (const each of open) each.cutStream(how, 'fault')
    },
    disconnect(party, connections) {
      for (const each of open)
        if (each instanceof LeanExchange && (each.from === party || each.host.party === party))
          each.reset('restart')
      for (const each of connections) each.closeIdle(party, clock.nowUs())
    },
    isSettled: () => open.size === 0,
    close() {
      closed = true
      for (const each of open) each.close()
    },
  }
}

/**
 * A request that the network delivers a second time: nobody waits for its
 * answer, and no run ends before it was dealt with.
 */
class Twin implements Reply {
  gone: (() => void) | undefined = undefined
  readonly #over: () => void

  constructor(over: () => void) {
    this.#over = over
  }

  leave(): void {
    this.gone?.()
    this.#over()
  }

  refuse(): void {
    this.#over()
  }

  whole(): void {
    this.#over()
  }

  open(_head: LeanHead): void {
    this.gone?.()
    this.#over()
  }

  write(): void {}
  end(): void {}
  breakOff(): void {}
  cutStream(): void {}
  close(): void {}
}
