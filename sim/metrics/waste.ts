/**
 * Waste: what was spent on being told nothing new. Polls, webhook posts and
 * streams opened again can be waste; the send is the price of the job.
 */
import type { ExchangeRecord, RunRecord } from '../records/record.ts'
import { isPoll } from './polls.ts'

/** The numbers of the exchanges by which something was learned. */
export const newsBearers = (records: readonly RunRecord[]): ReadonlySet<number> =>
  new Set(
    records.flatMap((record) =>
      record.kind === 'learned' && record.exchange !== undefined ? [record.exchange] : [],
    ),
  )

/** Whether an exchange asked or told of updates and brought none that was new. */
export function isWaste(exchange: ExchangeRecord, bearers: ReadonlySet<number>): boolean {
  if (isPoll(exchange)) return exchange.news !== true
  const tells = exchange.to === 'receiver' || exchange.operation === 'SubscribeToTask'
  return tells && !bearers.has(exchange.number)
}
