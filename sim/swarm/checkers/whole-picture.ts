import type { Checker, SwarmRun } from '../run.ts'
import { looksAway } from './looks-away.ts'

/**
 * A snapshot tells everything that came before it, a stream everything that
 * comes after its snapshot: who learned of the end by one of these has lost
 * nothing. A client that does not look at snapshots (`resume=live`) may have.
 */
export const wholePicture: Checker = {
  name: 'whole-picture',
  check({ records, row, entry }: SwarmRun) {
    if (looksAway(entry.policy)) return []
    const end = records.find((record) => record.kind === 'learned' && record.terminal)
    if (end?.kind !== 'learned' || end.by === 'push' || row.updates.lost === 0) return []
    return [
      `the end was learned by ${end.by}, which shows the whole task, and ${row.updates.lost} updates are lost`,
    ]
  },
}
