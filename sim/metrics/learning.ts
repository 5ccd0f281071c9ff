/** What became of each update: when it happened, when it was learned, and how. */
import type { HappenedRecord, RunRecord } from '../records/record.ts'

export interface UpdateFate {
  update: number
  happenedUs: number
  terminal: boolean
  /** When the client first knew it, itself or through a successor; `undefined` if it never did. */
  learnedUs: number | undefined
  /** Known only through the status that replaced it. */
  coalesced: boolean
  /** It carried a message, which died with it: neither read nor repeated by a later status. */
  messageLost: boolean
}

/** The fate of every update that happened, in the order they happened. */
export function fatesOf(records: readonly RunRecord[]): UpdateFate[] {
  const happened = new Map<number, HappenedRecord>()
  for (const record of records) if (record.kind === 'happened') happened.set(record.update, record)

  const learned = new Map<number, { atUs: number; coalesced: boolean }>()
  for (const record of records) {
    if (record.kind !== 'learned') continue
    const newestStatus = record.updates.findLast((update) => happened.get(update)?.of === 'status')
    for (const update of record.updates) {
      const coalesced = happened.get(update)?.of === 'status' && update !== newestStatus
      learned.set(update, { atUs: record.atUs, coalesced })
    }
  }

  return [...happened.values()].map(({ update, atUs, terminal, message }) => {
    const known = learned.get(update)
    const coalesced = known?.coalesced ?? false
    return {
      update,
      happenedUs: atUs,
      terminal,
      learnedUs: known?.atUs,
      coalesced,
      messageLost: message && (known === undefined || coalesced),
    }
  })
}
