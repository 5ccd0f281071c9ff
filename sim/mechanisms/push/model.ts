import type { PushPolicy } from '../../policies/policy.ts'
import type { Model, ModelRun } from '../model.ts'

/**
 * Webhooks in a quiet world: one request, and the end is learned one way after
 * it happened on the agent's side; posts reach the receiver in no time. The
 * updates of the world are those the agent posts about. The last of those at
 * one instant is the end.
 */
export const pushModel: Model<PushPolicy> = (policy, { updatesUs, endUs, upUs, downUs, horizonUs }) => {
  const roundTripUs = upUs + downUs
  const requests: { operation: string; startUs: number }[] = [{ operation: 'SendMessage', startUs: 0 }]
  /** From what age of the task on changes are posted: those before are over when the webhook is registered. */
  let postedAfterUs = -1
  /** When the end is learned that was posted to nobody. */
  let lookedUs: number | undefined
  if (policy.register === 'after-reply') {
    requests.push({ operation: 'CreateTaskPushNotificationConfig', startUs: roundTripUs })
    requests.push({ operation: 'GetTask', startUs: 2 * roundTripUs })
    postedAfterUs = roundTripUs
    lookedUs = 3 * roundTripUs
  }
  const posted = endUs !== undefined && endUs > postedAfterUs
  const learnedUs = posted ? upUs + endUs : endUs === undefined ? undefined : lookedUs
  for (const ageUs of wantedOf(policy, updatesUs, endUs))
    if (ageUs > postedAfterUs) requests.push({ operation: 'GetTask', startUs: upUs + ageUs })
  return {
    requests: requests.filter(({ startUs }) => startUs < horizonUs),
    learnedUs: learnedUs !== undefined && learnedUs < horizonUs ? learnedUs : undefined,
  } satisfies ModelRun
}

/** The changes whose posts give rise to a GetTask. */
function wantedOf({ get }: PushPolicy, updatesUs: readonly number[], endUs: number | undefined) {
  switch (get) {
    case 'never':
      return []
    case 'final':
      return endUs === undefined ? [] : [endUs]
    case 'each':
      return updatesUs
  }
}
