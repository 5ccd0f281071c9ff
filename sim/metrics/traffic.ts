/** What went over the wire: exchanges, octets, connections. Folded repeats count in full. */
import type { ConnectionRecord, ExchangeRecord, Party, RunRecord } from '../records/record.ts'
import type { Row } from './row.ts'

/** How many exchanges a record stands for. */
export const timesOf = (exchange: ExchangeRecord): number => exchange.repeats?.count ?? 1

export const exchangesOf = (records: readonly RunRecord[]): ExchangeRecord[] =>
  records.filter((record) => record.kind === 'exchange')

/** Number of exchanges that meet a condition. */
export const countExchanges = (
  exchanges: readonly ExchangeRecord[],
  counts: (exchange: ExchangeRecord) => boolean,
): number => exchanges.reduce((sum, exchange) => sum + (counts(exchange) ? timesOf(exchange) : 0), 0)

/** The client and its webhook receiver stand on one side, the agent on the other. */
const isClientSide = (party: Party): boolean => party !== 'agent'

/**
 * Octets of all exchanges. The client's side sends the requests to the agent
 * and the answers to webhook posts; everything else comes down to it.
 *
 * @param wasted whether an exchange was in vain
 */
export function octetsOf(
  exchanges: readonly ExchangeRecord[],
  wasted: (exchange: ExchangeRecord) => boolean,
): Row['octets'] {
  const sum = { total: 0, up: 0, down: 0, head: 0, body: 0, waste: 0 }
  for (const exchange of exchanges) {
    const times = timesOf(exchange)
    const { requestHead, requestBody, responseHead, responseBody } = exchange.octets
    const request = (requestHead + requestBody) * times
    const response = (responseHead + responseBody) * times
    const begunByClient = isClientSide(exchange.from)
    sum.up += begunByClient ? request : response
    sum.down += begunByClient ? response : request
    sum.head += (requestHead + responseHead) * times
    sum.body += (requestBody + responseBody) * times
    sum.total += request + response
    if (wasted(exchange)) sum.waste += request + response
  }
  return sum
}

/** Connections opened, the most open at one instant, and the seconds they were open, summed. */
export function connectionsOf(records: readonly RunRecord[]): Row['connections'] {
  const connections = records.filter((record): record is ConnectionRecord => record.kind === 'connection')
  // At one instant a connection closes before another opens.
  const steps = connections
    .flatMap(({ openedUs, closedUs }) => [
      { atUs: openedUs, by: 1 },
      { atUs: closedUs, by: -1 },
    ])
    .toSorted((a, b) => a.atUs - b.atUs || a.by - b.by)
  let open = 0
  let peak = 0
  for (const { by } of steps) {
    open += by
    peak = Math.max(peak, open)
  }
  const openUs = connections.reduce((sum, { openedUs, closedUs }) => sum + closedUs - openedUs, 0)
  return { opened: connections.length, peak, seconds: openUs / 1e6 }
}
