import type { StreamPolicy } from '../../policies/policy.ts'
import type { Model, QuietWorld } from '../model.ts'
import { type HopRun, streamThroughHops } from './hop-model.ts'

/**
 * A stream in a quiet world: one request, unless the client's own watchdog
 * breaks off what is merely silent. The agent sends no comments but those the
 * policy asks for.
 *
 * @param followsFromUs when the client subscribes to a task that another has begun
 */
export const quietStream = (policy: StreamPolicy, world: QuietWorld, followsFromUs?: number): HopRun =>
  streamThroughHops(policy, {
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
    random: (purpose) => world.random(purpose),
    ...(followsFromUs !== undefined && { followsFromUs }),
  })

export const streamingModel: Model<StreamPolicy> = (policy, world) => {
  const { exchanges, learnedUs, gaveUp } = quietStream(policy, world)
  const requests = exchanges.map(({ operation, startUs }) => ({ operation, startUs }))
  return { requests, learnedUs, gaveUpUs: gaveUp?.atUs }
}
