import type { BlockingPolicy } from '../../policies/policy.ts'

/** How long one call may take, whether the policy says it of the call or of each attempt. */
export const patienceUs = ({ timeoutUs, onError }: BlockingPolicy): number | undefined =>
  timeoutUs ?? (typeof onError === 'object' ? onError.timeoutUs : undefined)
