/** The network of a run: hosts in memory, real `fetch` semantics, every HTTP/1.1 octet counted. */
import type { Clock } from '../kernel/clock.ts'
import type { Journal } from '../records/journal.ts'
import type { Party } from '../records/record.ts'
import { createAllowance } from './allowance.ts'
import { createConnections } from '../path/connections.ts'
import { beginExchange, type Describe, type Exchange, type Surroundings } from './exchange.ts'
import { unknownHost } from './failures.ts'
import type { Host } from './host-side.ts'
import type { Network } from './network.ts'
import { createNames } from './names.ts'
import { ReceivedRequest } from './received-request.ts'
import { exchangeOf } from './received-response.ts'
import { redirectOf } from './redirect.ts'
import { createRoutes, type RouteOptions } from '../path/route.ts'
import { sendingOf, sendingOfWritten, type Sending, type WrittenRequest } from './sending.ts'

export interface NetworkOptions extends RouteOptions {
  clock: Clock
  /** Takes an `ExchangeRecord` as each exchange ends, and the connections at `close()`. */
  journal: Journal
  describe: Describe
}

/** A network that also carries what other clients than `fetch` wrote. */
export interface Wire extends Network {
  /** Carries a request as it was written. Follows no redirects. Rejects as `fetch` does. */
  carry(from: Party, written: WrittenRequest): Promise<Response>
}

const nothing = (): void => {}

/**
 * Makes a network without hosts. Its time is the clock's: on a direct path an
 * exchange takes promises and no event on the clock.
 */
export function createNetwork(options: NetworkOptions): Wire {
  const { clock, journal, describe, conditions } = options
  const hosts = new Map<string, Host>()
  const names = createNames()
  const connections = createConnections()
  const routeOf = createRoutes(options)
  const allowance = createAllowance(clock)
  const open = new Set<Exchange>()
  const unheard = new Set<Exchange>()
  const waitingForQuiet: (() => void)[] = []
  let exchanges = 0
  let closed = false

  const surroundings: Surroundings = {
    clock,
    journal,
    describe,
    conditions,
    connections,
    began: (exchange) => open.add(exchange),
    over(exchange) {
      unheard.delete(exchange)
      leave(exchange)
    },
    unheard(exchange) {
      if (!closed) unheard.add(exchange)
      leave(exchange)
    },
  }

  function leave(exchange: Exchange): void {
    open.delete(exchange)
    if (open.size === 0) for (const tell of waitingForQuiet.splice(0)) tell()
  }

  function exchange(from: Party, sending: Sending): Promise<Response> {
    sending.signal?.throwIfAborted()
    const host = hosts.get(sending.url.origin)
    if (host === undefined) throw unknownHost(sending.url.hostname)
    const route = routeOf(from, host.party)
    const begin = (over: () => void): Promise<Response> => {
      if (closed)
        throw new Error(`the run is over: ${from} cannot send ${sending.method} ${sending.url.href}`)
      return beginExchange(surroundings, { number: ++exchanges, from, host, route, sending }, over)
    }
    const most = route.limits?.connections
    return most === undefined ? begin(nothing) : allowance.begin(from, sending, most, begin)
  }

  async function follow(from: Party, first: Sending): Promise<Response> {
    for (let sending = first; ;) {
      const response = await exchange(from, sending)
      const next = await redirectOf(sending, response)
      if (next === undefined) return response
      await response.body?.cancel()
      sending = next
    }
  }

  return {
    host(origin, party, handle) {
      const url = new URL(origin)
      names.add(url.hostname)
      hosts.set(url.origin, { party, handle })
    },
    resolve: (hostname) => names.resolve(hostname),
    fetchFrom: (from) => async (input, init) => follow(from, await sendingOf(input, init)),
    carry: async (from, written) => exchange(from, sendingOfWritten(written)),
    exchangeOf: (message) =>
      message instanceof ReceivedRequest ? message.exchange : exchangeOf(message as Response),
    cutStreams(how) {
      for (const each of open) each.cutStream(how, 'fault')
    },
    disconnect(party) {
      for (const each of open) if (each.from === party || each.to === party) each.reset('restart')
      connections.closeIdle(party, clock.nowUs())
    },
    settled: () =>
      new Promise((resolve) => {
        if (open.size === 0) resolve()
        else waitingForQuiet.push(resolve)
      }),
    close() {
      if (closed) return
      closed = true
      allowance.close()
      for (const each of [...open, ...unheard]) each.close()
      for (const record of connections.close(clock.nowUs())) journal.append(record)
    },
  }
}
