import type { Policy } from '../../policies/policy.ts'
import type { Checker } from '../run.ts'

/**
 * Updates of one topic are learned in their order, each once. Posts may overtake
 * each other where one is answered and worked on later, so mechanisms with a
 * webhook are asked for the second half only.
 */
export const orderKept: Checker = {
  name: 'order-kept',
  check({ records, entry }) {
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
        if (update < before && keepsOrder(entry.policy))
          wrong.push(`update ${update} of ${topic} was learned after update ${before}`)
        newest.set(topic, Math.max(before, update))
      }
    }
    return wrong
  },
}

function keepsOrder(policy: Policy): boolean {
  switch (policy.kind) {
    case 'push':
      return false
    case 'chain':
      return policy.links.every(keepsOrder)
    case 'together':
      return policy.parts.every(keepsOrder)
    default:
      return true
  }
}
