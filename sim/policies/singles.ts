import type { ChainPolicy, Policy, SinglePolicy } from './policy.ts'

/** The single policies a policy is made of, in order. */
export function singlesOf(policy: Policy): readonly SinglePolicy[] {
  switch (policy.kind) {
    case 'chain':
      return policy.links
    case 'together':
      return policy.parts.flatMap(singlesOf)
    default:
      return [policy]
  }
}

/** The same policy with each single one in it changed. */
export function withSingles(policy: Policy, change: (single: SinglePolicy) => SinglePolicy): Policy {
  const inChain = (chain: ChainPolicy): ChainPolicy => ({ ...chain, links: chain.links.map(change) })
  switch (policy.kind) {
    case 'chain':
      return inChain(policy)
    case 'together':
      return {
        ...policy,
        parts: policy.parts.map((part) => (part.kind === 'chain' ? inChain(part) : change(part))),
      }
    default:
      return change(policy)
  }
}
