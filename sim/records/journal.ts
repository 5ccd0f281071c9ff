import type { ExchangeRecord, RunRecord } from './record.ts'

/** Where every part of a run leaves its facts. */
export interface Journal {
  append(record: RunRecord): void
  /** A finished exchange by its number, for whoever learns only afterwards what it was worth; `undefined` once it was folded. */
  exchange(number: number): ExchangeRecord | undefined
  /** Everything appended so far, repeats folded. */
  records(): readonly RunRecord[]
}

/**
 * A journal that folds: an exchange that equals the one before it in all but
 * its instants, and keeps its rhythm, adds to that record's `repeats` instead of
 * taking room. It looks one exchange back only when the next record comes,
 * because the client decides after the answer whether a poll was news.
 */
export function createJournal(): Journal {
  const records: RunRecord[] = []

  function foldLast(): void {
    const last = records.at(-1)
    const before = records.at(-2)
    if (last?.kind !== 'exchange' || before?.kind !== 'exchange' || !sameButForTime(before, last)) return
    const { count, everyUs } = before.repeats ?? { count: 1, everyUs: last.startUs - before.startUs }
    if (last.startUs !== before.startUs + count * everyUs || !lastsAsLong(before, last)) return
    before.repeats = { count: count + 1, everyUs }
    records.pop()
  }

  return {
    append(record) {
      foldLast()
      records.push(record)
    },
    exchange(number) {
      return records.findLast(
        (record): record is ExchangeRecord => record.kind === 'exchange' && record.number === number,
      )
    },
    records() {
      foldLast()
      return records
    },
  }
}

const lastsAsLong = (a: ExchangeRecord, b: ExchangeRecord): boolean =>
  a.endUs !== undefined && b.endUs !== undefined && a.endUs - a.startUs === b.endUs - b.startUs

/** Only finished exchanges without stream arrivals fold: what a stream carried is told event by event. */
function sameButForTime(a: ExchangeRecord, b: ExchangeRecord): boolean {
  return (
    a.outcome === 'complete' &&
    b.outcome === 'complete' &&
    b.repeats === undefined &&
    a.arrivals === undefined &&
    b.arrivals === undefined &&
    a.silentSinceUs === undefined &&
    b.silentSinceUs === undefined &&
    a.from === b.from &&
    a.to === b.to &&
    a.operation === b.operation &&
    a.status === b.status &&
    a.news === b.news &&
    a.cutBy === b.cutBy &&
    a.octets.requestHead === b.octets.requestHead &&
    a.octets.requestBody === b.octets.requestBody &&
    a.octets.responseHead === b.octets.responseHead &&
    a.octets.responseBody === b.octets.responseBody
  )
}
