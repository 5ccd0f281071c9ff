import { formatDuration } from '../../kernel/units.ts'
import type { Checker } from '../run.ts'

/** A task ends once, nothing happens to it afterwards, and nobody learns of an end that was none. */
export const endIsFinal: Checker = {
  name: 'end-is-final',
  check({ records, row }) {
    const wrong: string[] = []
    let endedUs: number | undefined
    let learnedEnds = 0
    for (const record of records) {
      if (record.kind === 'happened') {
        if (endedUs !== undefined)
          wrong.push(`${record.change} happened after the task had ended at ${formatDuration(endedUs)}`)
        if (record.terminal) endedUs = record.atUs
      }
      if (record.kind === 'learned' && record.terminal) {
        learnedEnds += 1
        if (endedUs === undefined) wrong.push('an end was learned that had not come')
      }
    }
    if (learnedEnds > 1) wrong.push(`the end was learned ${learnedEnds} times`)
    if ((row.outcome === 'learned') !== (learnedEnds === 1))
      wrong.push(`the outcome is ${row.outcome}, and the end was learned ${learnedEnds} times`)
    return wrong
  },
}
