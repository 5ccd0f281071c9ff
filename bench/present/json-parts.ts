/** What results of one task and of many say alike. */
import { msOf, type Distribution } from '../../sim/index.ts'
import type { GivenMiss } from '../experiment/experiment.ts'
import { spellDistribution } from './distribution.ts'

export const missesInJson = (misses: readonly GivenMiss[]): object[] =>
  misses.map(({ given, policy, metric, wanted, got }) => ({
    ...(given !== undefined && { given }),
    policy,
    metric,
    wanted,
    got,
  }))

/** A number where nothing is left to chance, else in words. */
export const latencyMs = (latency: Distribution): number | string =>
  latency.of === 'fixed' ? msOf(latency.us) : spellDistribution(latency)
