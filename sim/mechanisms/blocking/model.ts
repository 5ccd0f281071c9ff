import type { BlockingPolicy } from '../../policies/policy.ts'
import type { Model } from '../model.ts'
import { patienceUs } from './patience.ts'

/**
 * A send that an agent holds which holds as long as it is asked to: one request,
 * and the end is learned if the task is over before the hold is, and the answer
 * there before the client's patience ends. Nothing is sent again after that.
 */
export const blockingModel: Model<BlockingPolicy> = (
  policy,
  { endUs = Infinity, upUs, downUs, horizonUs },
) => {
  const { holdUs = Infinity } = policy
  const answeredUs = upUs + Math.min(endUs, holdUs) + downUs
  const isAnswered = answeredUs <= (patienceUs(policy) ?? Infinity) && answeredUs < horizonUs
  return {
    requests: [{ operation: 'SendMessage', startUs: 0 }],
    learnedUs: isAnswered && endUs <= holdUs ? answeredUs : undefined,
    gaveUpUs: isAnswered && endUs > holdUs ? answeredUs : undefined,
  }
}
