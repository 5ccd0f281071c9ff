import { formatDuration } from '../../kernel/units.ts'
import { healedUs, promiseOf } from '../promise.ts'
import type { Checker, SwarmRun } from '../run.ts'

/**
 * Once faults are healed, whoever promises it learns of the end within the bound
 * of its promise (promise.ts). A send that got no answer begins nothing: A2A
 * 1.0 gives the client no way to find a task whose id it never read.
 */
export const endIsLearned: Checker = {
  name: 'end-is-learned',
  check(run) {
    const { scenario, entry, row, endUs } = run
    const promised = promiseOf(entry.policy, scenario)
    const fromUs = healedUs(scenario)
    if (promised.of === 'none' || fromUs === undefined || !taskIsKnown(run)) return []
    const byUs = fromUs + promised.withinUs
    if (row.learnedAtMs !== null && row.learnedAtMs * 1000 <= byUs) return []
    // The run stopped before the bound: nothing can be said.
    if (
      row.learnedAtMs === null &&
      row.outcome === 'not-learned' &&
      endUs >= scenario.horizonUs &&
      byUs >= endUs
    )
      return []
    const instead =
      row.learnedAtMs === null
        ? `it never was (${row.outcome}: ${row.reason ?? ''})`
        : `it was at ${formatDuration(row.learnedAtMs * 1000)}`
    return [`the end was to be learned by ${formatDuration(Math.ceil(byUs))}, and ${instead}`]
  },
}

const taskIsKnown = ({ records }: SwarmRun): boolean =>
  records.some(
    (record) =>
      record.kind === 'exchange' &&
      ((record.operation === 'SendMessage' && record.status === 200 && record.outcome === 'complete') ||
        (record.operation === 'SendStreamingMessage' && (record.arrivals?.length ?? 0) > 0)),
  )
