/**
 * Waste: what was spent on being told nothing new. Polls, webhook posts and
 * streams opened again can be waste; the send is the price of the job.
 */
import type { ExchangeRecord, RunRecord } from '../records/record.ts'
import { isPoll } from './polls.ts'

/**
 * The numbers of the exchanges by which something was learned. A receiver does
 * not always know which exchange brought it a post; then it was the first post
 * under way, else, where the sender had gone away by then, the last before.
 */
export function newsBearers(records: readonly RunRecord[]): ReadonlySet<number> {
  const bearers = new Set<number>()
  const postAt = postsInTurn(records)
  for (const record of records) {
    if (record.kind !== 'learned') continue
    const number = record.exchange ?? (record.by === 'push' ? postAt(record.atUs) : undefined)
    if (number !== undefined) bearers.add(number)
  }
  return bearers
}

/** Gives the number of the post that brought something at an instant, each post once; ask in the order of time. */
function postsInTurn(records: readonly RunRecord[]): (atUs: number) => number | undefined {
  const coming = records
    .filter((record): record is ExchangeRecord => record.kind === 'exchange' && record.to === 'receiver')
    .toSorted((a, b) => a.startUs - b.startUs)
    .values()
  let next = coming.next()
  /** Begun, and not known to have brought anything. */
  let begun: ExchangeRecord[] = []
  return (atUs) => {
    for (; next.done !== true && next.value.startUs <= atUs; next = coming.next()) begun.push(next.value)
    const isUnderWay = ({ endUs = Infinity }: ExchangeRecord) => endUs >= atUs
    const found = begun.find(isUnderWay) ?? begun.at(-1)
    // Of those that are over only the last can still be meant.
    const last = begun.findLast((post) => post !== found && !isUnderWay(post))
    begun = begun.filter((post) => post !== found && (post === last || isUnderWay(post)))
    return found?.number
  }
}

/** Whether an exchange asked or told of updates and brought none that was new. */
export function isWaste(exchange: ExchangeRecord, bearers: ReadonlySet<number>): boolean {
  if (isPoll(exchange)) return exchange.news !== true
  const tells = exchange.to === 'receiver' || exchange.operation === 'SubscribeToTask'
  return tells && !bearers.has(exchange.number)
}
