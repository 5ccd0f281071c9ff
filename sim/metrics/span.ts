/** The stretch of a run over which time averages are taken. */
import type { ExchangeRecord, RunRecord } from '../records/record.ts'
import type { UpdateFate } from './learning.ts'

export interface Span {
  /** The job's send leaves the client. */
  fromUs: number
  /** The end of the task is learned; the end of the run if it never was. */
  untilUs: number
}

/** Operations that send a message: the first of a run begins its job. */
const SENDS: readonly string[] = ['SendMessage', 'SendStreamingMessage']

export const isSend = ({ from, operation }: ExchangeRecord): boolean =>
  from === 'client' && SENDS.includes(operation)

/** @param endUs when the run ended */
export function spanOf(records: readonly RunRecord[], fates: readonly UpdateFate[], endUs: number): Span {
  const sends = records.filter(
    (record): record is ExchangeRecord => record.kind === 'exchange' && isSend(record),
  )
  // Streams are recorded when they end, so the first record need not be the first send.
  const fromUs = sends.reduce((first, { startUs }) => Math.min(first, startUs), Infinity)
  return {
    fromUs: sends.length === 0 ? 0 : fromUs,
    untilUs: fates.find(({ terminal }) => terminal)?.learnedUs ?? endUs,
  }
}
