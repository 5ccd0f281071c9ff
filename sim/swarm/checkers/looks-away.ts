import type { Policy } from '../../policies/policy.ts'
import { singlesOf } from '../../policies/singles.ts'

/** Whether a client passes over snapshots (`resume=live`): what they hold it may learn later, or never. */
export const looksAway = (policy: Policy): boolean =>
  singlesOf(policy).some((single) => single.kind === 'stream' && single.resume === 'live')
