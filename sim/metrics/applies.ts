import type { Policy, SinglePolicy } from '../policies/policy.ts'
import type { Metric } from './metrics.ts'

/** The kinds that a policy is made of. */
function kindsOf(policy: Policy): readonly SinglePolicy['kind'][] {
  if ('links' in policy) return policy.links.flatMap(kindsOf)
  if ('parts' in policy) return policy.parts.flatMap(kindsOf)
  return [policy.kind]
}

/** Whether a metric's question applies to a policy: webhook posts are no matter of one that only polls. */
export const appliesTo = ({ of }: Metric, policy: Policy): boolean =>
  of === undefined || kindsOf(policy).includes(of)
