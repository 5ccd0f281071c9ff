import { leastUs } from '../../kernel/distribution.ts'
import { formatDuration } from '../../kernel/units.ts'
import type { Checker } from '../run.ts'

/** Nothing is learned before it happened and had the least time to arrive. */
export const neverEarly: Checker = {
  name: 'never-early',
  check({ scenario, records }) {
    const happenedUs = new Map<number, number>()
    const wrong: string[] = []
    const wayUs = {
      network: leastUs(scenario.network.latency.down),
      receiver: scenario.receiver === 'none' ? 0 : leastUs(scenario.receiver.latency.up),
    }
    for (const record of records) {
      if (record.kind === 'happened') happenedUs.set(record.update, record.atUs)
      if (record.kind !== 'learned') continue
      const least = record.by === 'push' ? wayUs.receiver : wayUs.network
      for (const update of record.updates) {
        const atUs = happenedUs.get(update)
        if (atUs === undefined) wrong.push(`update ${update} was learned and had not happened`)
        else if (record.atUs < atUs + least)
          wrong.push(
            `update ${update} happened at ${formatDuration(atUs)} and was learned at ${formatDuration(record.atUs)}, less than ${formatDuration(least)} later`,
          )
      }
    }
    return wrong
  },
}
