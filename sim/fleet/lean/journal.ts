import type { RunRecord } from '../../records/record.ts'

/** Where the lean world leaves its facts: the records of a replay, but for octets, which it does not count. */
export interface LeanJournal {
  append(record: RunRecord): void
  /** A poll that has ended told something new or did not: `news` of the exchange's record. */
  tellNews(exchange: number, news: boolean): void
}
