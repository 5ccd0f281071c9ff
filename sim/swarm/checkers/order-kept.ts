import type { Policy, PushPolicy } from '../../policies/policy.ts'
import { singlesOf } from '../../policies/singles.ts'
import type { Scenario } from '../../scenario/scenario.ts'
import type { Checker } from '../run.ts'
import { looksAway } from './looks-away.ts'

/**
 * Updates of one topic are learned in their order, each once. Posts may overtake
 * each other where they are not sent one after the other, or where one may be
 * answered long before it is worked on: mechanisms with such a webhook are asked
 * for the second half only.
 */
export const orderKept: Checker = {
  name: 'order-kept',
  check({ records, entry, scenario }) {
    const topics = new Map<number, string>()
    const newest = new Map<string, number>()
    const learned = new Set<number>()
    const wrong: string[] = []
    for (const record of records) {
      if (record.kind === 'happened') topics.set(record.update, record.topic)
      if (record.kind !== 'learned') continue
      for (const update of record.updates) {
        const topic = topics.get(update) ?? ''
        const before = newest.get(topic) ?? -1
        if (learned.has(update)) wrong.push(`update ${update} was learned twice`)
        learned.add(update)
        if (update < before && keepsOrder(entry.policy, scenario))
          wrong.push(`update ${update} of ${topic} was learned after update ${before}`)
        newest.set(topic, Math.max(before, update))
      }
    }
    return wrong
  },
}

/** A single webhook may; where posts come beside other channels, they may be late in any case. Who looks away learns late what it passed over. */
function keepsOrder(policy: Policy, scenario: Scenario): boolean {
  if (looksAway(policy)) return false
  if (policy.kind === 'push') return postsKeepOrder(policy, scenario)
  return singlesOf(policy).every((single) => single.kind !== 'push')
}

/** How much a drawn latency can be late without any fault. */
const LATE_US = 1_500_000

function postsKeepOrder(
  { sending, get, register }: PushPolicy,
  { agent, receiver, faults }: Scenario,
): boolean {
  if (agent.push === false || receiver === 'none' || get !== 'never' || register !== 'with-send') return false
  const { ordered, timeoutUs } = { ...agent.push, ...sending }
  const isQuiet = faults.length === 0 && receiver.duplicate === 0 && receiver.reorder === 0
  return ordered && isQuiet && receiver.service.of === 'fixed' && receiver.service.us + LATE_US < timeoutUs
}
