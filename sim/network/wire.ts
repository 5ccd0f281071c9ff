/** The network of a run: hosts in memory, real `fetch` semantics, every HTTP/1.1 octet counted. */
import type { Clock } from '../kernel/clock.ts'
import type { Journal } from '../records/journal.ts'
import type { Party } from '../records/record.ts'
import { createConnections } from './connections.ts'
import { beginExchange, type Describe, type Exchange, type Host, type Surroundings } from './exchange.ts'
import { unknownHost } from './failures.ts'
import type { Latency, Network } from './network.ts'
import { createNames } from './names.ts'
import { redirectOf } from './redirect.ts'
import { sendingOf, sendingOfWritten, type Sending, type WrittenRequest } from './sending.ts'

export interface NetworkOptions {
  clock: Clock
  /** Takes an `ExchangeRecord` as each exchange ends, and the connections at `close()`. */
  journal: Journal
  latency(from: Party, to: Party): Latency
  describe: Describe
}

/** A network that also carries what other clients than `fetch` wrote. */
export interface Wire extends Network {
  /** Carries a request as it was written. Follows no redirects. Rejects as `fetch` does. */
  carry(from: Party, written: WrittenRequest): Promise<Response>
}

/**
 * Makes a network without hosts. Its time is the clock's: without latency an
 * exchange takes promises and no event on the clock.
 */
export function createNetwork(options: NetworkOptions): Wire {
  const { clock, journal } = options
  const hosts = new Map<string, Host>()
  const names = createNames()
  const connections = createConnections()
  const open = new Set<Exchange>()
  const waitingForQuiet: (() => void)[] = []
  let closed = false

  const surroundings: Surroundings = {
    ...options,
    connections,
    began: (exchange) => open.add(exchange),
    over(exchange) {
      open.delete(exchange)
      if (open.size === 0) for (const tell of waitingForQuiet.splice(0)) tell()
    },
  }

  function exchange(from: Party, sending: Sending): Promise<Response> {
    sending.signal?.throwIfAborted()
    if (closed) throw new Error(`the run is over: ${from} cannot send ${sending.method} ${sending.url.href}`)
    const host = hosts.get(sending.url.origin)
    if (host === undefined) throw unknownHost(sending.url.hostname)
    return beginExchange(surroundings, from, host, sending)
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
    settled: () =>
      new Promise((resolve) => {
        if (open.size === 0) resolve()
        else waitingForQuiet.push(resolve)
      }),
    close() {
      if (closed) return
      closed = true
      for (const exchangeUnderWay of open) exchangeUnderWay.close()
      for (const record of connections.close(clock.nowUs())) journal.append(record)
    },
  }
}
