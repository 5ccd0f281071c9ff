import type { ExchangeRecord } from '../../records/record.ts'
import type { Checker } from '../run.ts'

/**
 * Head and body, up and down add up; and what the client read off its answers is
 * what was counted. Octets count when they are written: where something cut, an
 * answer that vanished counts beside the one that was read.
 */
export const octetsBalance: Checker = {
  name: 'octets-balance',
  check({ records, row, seen }) {
    const wrong: string[] = []
    const { total, up, down, head, body } = row.octets
    if (up + down !== total || head + body !== total)
      wrong.push(`up ${up} + down ${down}, head ${head} + body ${body} and total ${total} do not agree`)
    const exchanges = records.filter((record) => record.kind === 'exchange')
    const counted = exchanges.reduce((sum, exchange) => sum + octetsOf(exchange) * timesOf(exchange), 0)
    if (counted !== total) wrong.push(`the exchanges have ${counted} octets, the row ${total}`)
    const byNumber = new Map(exchanges.map((exchange) => [exchange.number, exchange]))
    for (const { exchange, requestBodyOctets, responseBodyOctets } of seen) {
      const record = byNumber.get(exchange)
      // Folded into an equal one before it.
      if (record === undefined || record.outcome !== 'complete') continue
      const { requestBody, responseBody } = record.octets
      const vanished = record.cutBy === undefined ? 0 : Math.max(0, responseBody - responseBodyOctets)
      if (requestBody !== requestBodyOctets || responseBody - vanished !== responseBodyOctets)
        wrong.push(
          `exchange ${exchange} carried ${requestBodyOctets} and ${responseBodyOctets} octets of bodies, counted are ${requestBody} and ${responseBody}`,
        )
    }
    return wrong
  },
}

const octetsOf = ({ octets }: ExchangeRecord): number =>
  octets.requestHead + octets.requestBody + octets.responseHead + octets.responseBody

const timesOf = ({ repeats }: ExchangeRecord): number => repeats?.count ?? 1
