/**
 * Which hop cuts a scenario's stream, when, and what the user loses: each hop
 * alone and all of them together, with one heartbeat after another. By the model
 * of streaming, which is held to the replay.
 */
import { streamThroughHops } from '../mechanisms/streaming/hop-model.ts'
import { rowOf } from '../metrics/row-of.ts'
import type { Row } from '../metrics/row.ts'
import type { CutReason } from '../policies/hop-watch.ts'
import type { ClientLimits, Hop } from '../policies/middlebox.ts'
import type { Heartbeat, StreamPolicy } from '../policies/policy.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { hopWorldOf, updatesOf } from './hop-world.ts'
import { endUsOf, recordsOf } from './records.ts'

/** Somebody on the way who may cut, or all of them. */
export interface Stretch {
  /** A hop's name, the client's library, or `the whole path`. */
  name: string
  hops: readonly Hop[]
  limits: ClientLimits | undefined
}

/** The cuts of one hop by one of its limits. */
export interface Cuts {
  by: string
  why: CutReason
  /** The first, counted from the send. */
  firstUs: number
  count: number
}

export interface HopCell {
  cuts: readonly Cuts[]
  /** Streams the client opened. */
  streams: number
  row: Pick<
    Row,
    'outcome' | 'reason' | 'learnedAtMs' | 'timeToLearnMs' | 'blindTimeMs' | 'heartbeats' | 'updates'
  >
}

export interface HopMatrix {
  heartbeats: readonly (Heartbeat | 'none')[]
  /** In the order of the path, all together last. A cell for each heartbeat. */
  rows: readonly { name: string; cells: readonly HopCell[] }[]
}

/** What a scenario's streams pass, one by one, and all together if they are several; empty if nothing may cut. */
export function stretchesOf({ client, network: { hops } }: Scenario): readonly Stretch[] {
  const { timeoutUs, firstByteUs, idleUs } = client
  const limited = [timeoutUs, firstByteUs, idleUs].some((limit) => limit !== undefined)
  const limits = limited ? client : undefined
  const each: Stretch[] = [
    ...(limited ? [{ name: client.name ?? 'client limits', hops: [], limits }] : []),
    ...hops.map((hop) => ({ name: hop.name, hops: [hop], limits: undefined })),
  ]
  return each.length > 1 ? [...each, { name: 'the whole path', hops, limits }] : each
}

/** @throws RangeError if the scenario's agent does not stream */
export const matrixOf = (
  scenario: Scenario,
  policy: StreamPolicy,
  heartbeats: HopMatrix['heartbeats'],
): HopMatrix => ({
  heartbeats,
  rows: stretchesOf(scenario).map((stretch) => ({
    name: stretch.name,
    cells: heartbeats.map((heartbeat) => cellOf(scenario, { ...policy, heartbeat }, stretch)),
  })),
})

function cellOf(scenario: Scenario, policy: StreamPolicy, { hops, limits }: Stretch): HopCell {
  const world = { ...hopWorldOf(scenario, policy), hops, limits }
  const updates = updatesOf(scenario.job)
  const run = streamThroughHops(policy, world)
  const {
    outcome,
    reason,
    learnedAtMs,
    timeToLearnMs,
    blindTimeMs,
    heartbeats,
    updates: fates,
  } = rowOf({
    mechanism: '',
    policy: '',
    records: recordsOf(run, updates, world),
    endUs: endUsOf(run, updates, world),
  })
  const cuts = new Map<string, Cuts>()
  for (const { cut } of run.exchanges) {
    if (cut === undefined) continue
    const key = `${cut.why} ${cut.by}`
    const known = cuts.get(key)
    if (known === undefined) cuts.set(key, { by: cut.by, why: cut.why, firstUs: cut.atUs, count: 1 })
    else known.count += 1
  }
  return {
    cuts: [...cuts.values()],
    streams: run.exchanges.filter(({ operation, status }) => operation !== 'GetTask' && status !== REFUSED)
      .length,
    row: {
      outcome,
      ...(reason !== undefined && { reason }),
      learnedAtMs,
      timeToLearnMs,
      blindTimeMs,
      heartbeats,
      updates: fates,
    },
  }
}

/** The agent's answer to a subscription that comes too late. */
const REFUSED = 400
