import type { ChainPolicy, Policy, SinglePolicy } from './policy.ts'

/** The single policies a policy is made of, in order. */
export function singlesOf(policy: Policy): readonly SinglePolicy[] {
  if (policy.kind === 'chain') return policy.links
  return policy.kind === 'together' ? policy.parts.flatMap(singlesOf) : [policy]
}

/** The same policy with each single one in it changed. */
export function withSingles(policy: Policy, change: (single: SinglePolicy) => SinglePolicy): Policy {
  const changed = <P extends SinglePolicy | ChainPolicy>(part: P): SinglePolicy | ChainPolicy =>
    part.kind === 'chain' ? { ...part, links: part.links.map(change) } : change(part)
  return policy.kind === 'together' ? { ...policy, parts: policy.parts.map(changed) } : changed(policy)
}
