import type { StreamPolicy } from '../../policies/policy.ts'
import type { Model } from '../model.ts'
import { streamThroughHops } from './hop-model.ts'

/**
 * The requests of a stream in a quiet world: one, unless the client's own
 * watchdog breaks off what is merely silent. The agent sends no comments but
 * those the policy asks for.
 */
export const streamingModel: Model<StreamPolicy> = (policy, world) => {
  const { exchanges, learnedUs } = streamThroughHops(policy, {
    updates: world.updatesUs.map((atUs) => ({ atUs, of: 'status', octets: 0 })),
    ends: world.endUs !== undefined,
    upUs: world.upUs,
    downUs: world.downUs,
    horizonUs: world.horizonUs,
    agent: {
      // Nobody but a watchdog is the wiser for comments.
      heartbeat: policy.watchdogUs === undefined ? 'none' : (policy.heartbeat ?? 'none'),
      flush: 'at-once',
      lifetime: undefined,
      replayUs: 0,
      retryHintUs: undefined,
    },
    hops: [],
    limits: undefined,
    random: world.random,
  })
  return { requests: exchanges.map(({ operation, startUs }) => ({ operation, startUs })), learnedUs }
}
