/** What became of each update: when it happened, when it was learned, and how. */
import type { HappenedRecord, RunRecord } from '../records/record.ts'

export interface UpdateFate {
  update: number
  happenedUs: number
  terminal: boolean
  /** When the client first knew it, itself or through a successor; `undefined` if it never did. */
  learnedUs: number | undefined
  /** Known only through a successor that replaced it, or not before that. */
  coalesced: boolean
  /** It carried a message, which died with it: neither read nor repeated by a later status. */
  messageLost: boolean
}

/** When something was learned, and in which order: what is told one by one at one instant is not told at once. */
interface Learned {
  atUs: number
  order: number
}

/** The fate of every update that happened, in the order they happened. */
export function fatesOf(records: readonly RunRecord[]): UpdateFate[] {
  const learned = new Map<number, Learned>()
  records.forEach((record, order) => {
    if (record.kind !== 'learned') return
    for (const update of record.updates) learned.set(update, { atUs: record.atUs, order })
  })
  /** By topic, when the first of the successors that replace what came before was known. */
  const successors = new Map<string, Learned>()

  const fateOf = ({ update, atUs, topic, replaces, terminal, message }: HappenedRecord): UpdateFate => {
    const itself = learned.get(update)
    const successor = successors.get(topic)
    const coalesced = successor !== undefined && (itself === undefined || successor.order <= itself.order)
    const known = coalesced ? successor : itself
    if (replaces && known !== undefined) successors.set(topic, known)
    return {
      update,
      happenedUs: atUs,
      terminal,
      learnedUs: known?.atUs,
      coalesced,
      messageLost: message && (known === undefined || coalesced),
    }
  }
  // From the newest back: whoever replaces is met before whom it replaces.
  return records
    .filter((record) => record.kind === 'happened')
    .toReversed()
    .map(fateOf)
    .toReversed()
}
