import { msOf } from '../../sim/index.ts'
import type { Row } from '../../sim/index.ts'
import { nameInResults } from '../assets.ts'
import type { Experiment, ScenarioResult } from '../experiment/experiment.ts'
import { CONNECTION_RULE, COUNTED } from './pedigree.ts'

/** The stable result format `delivery-bench/1`. Keys come in this order, so that equal results are equal bytes. */
export function asJson({ version, command, scenarios }: Experiment): string {
  return `${JSON.stringify({ format: 'delivery-bench/1', version, command, scenarios: scenarios.map(inJson) }, null, 2)}\n`
}

function inJson({ scenario, assumptions, changes, rows, misses }: ScenarioResult): object {
  const [own, ...bases] = scenario.files
  const { agent, horizonUs, job, network } = scenario
  return {
    name: scenario.name,
    file: nameInResults(own.file),
    sha256: own.sha256,
    ...(bases.length > 0 && {
      extends: bases.map(({ file, sha256 }) => ({ file: nameInResults(file), sha256 })),
    }),
    seed: scenario.seed,
    engine: 'replay',
    // What the numbers rest on, so that a file still explains itself when defaults have changed.
    pedigree: {
      binding: agent.binding,
      job: { durationMs: msOf(job.durationUs), updates: job.updates.length },
      latencyMs: { up: msOf(network.latencyUs.up), down: msOf(network.latencyUs.down) },
      horizonMs: msOf(horizonUs),
      changes,
      assumptions,
      connections: CONNECTION_RULE,
      counted: COUNTED,
    },
    rows: rows.map(rowInJson),
    misses: misses.map(({ policy, metric, wanted, got }) => ({ policy, metric, wanted, got })),
  }
}

/** A row with its keys in the order of the format, however it was built. */
const rowInJson = (row: Row): Row => ({
  mechanism: row.mechanism,
  policy: row.policy,
  outcome: row.outcome,
  ...(row.reason !== undefined && { reason: row.reason }),
  requests: row.requests,
  polls: row.polls,
  emptyPolls: row.emptyPolls,
  webhookPosts: row.webhookPosts,
  streamEvents: row.streamEvents,
  heartbeats: row.heartbeats,
  retries: row.retries,
  reconnects: row.reconnects,
  cuts: row.cuts,
  updates: pick(row.updates, ['happened', 'learned', 'coalesced', 'lost', 'messagesLost', 'duplicate']),
  octets: pick(row.octets, ['total', 'up', 'down', 'head', 'body']),
  timeToLearnMs: row.timeToLearnMs,
  learnedAtMs: row.learnedAtMs,
  blindTimeMs: row.blindTimeMs,
  latenessMs: row.latenessMs === null ? null : pick(row.latenessMs, ['mean', 'p50', 'p95', 'max']),
  connections: pick(row.connections, ['opened', 'peak', 'seconds']),
})

const pick = <T extends object>(from: T, keys: readonly (keyof T)[]): T =>
  Object.fromEntries(keys.map((key) => [key, from[key]])) as T
