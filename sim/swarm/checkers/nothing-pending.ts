import type { Checker } from '../run.ts'

/**
 * A run that ended before its horizon leaves nothing open, scheduled or waiting;
 * and one whose end was learned ends, unless posts go on being tried.
 */
export const nothingPending: Checker = {
  name: 'nothing-pending',
  check({ scenario, records, row, endUs, leftovers }) {
    if (endUs >= scenario.horizonUs)
      return row.outcome === 'learned' && row.webhookPosts === 0
        ? ['the end was learned, and the run went on to its horizon']
        : []
    const wrong: string[] = []
    if (leftovers.events > 0) wrong.push(`${leftovers.events} events were still scheduled`)
    if (leftovers.timers > 0) wrong.push(`${leftovers.timers} timers were still set`)
    if (leftovers.waiting.length > 0) wrong.push(`somebody still waited: ${leftovers.waiting.join('; ')}`)
    for (const record of records)
      if (record.kind === 'exchange' && record.outcome === 'open')
        wrong.push(`${record.operation} (exchange ${record.number}) never ended`)
    return wrong
  },
}
