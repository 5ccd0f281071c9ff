/** What an agent writes to one stream: the model of sim/agent/streams.ts, without a clock. */
import { drawUs, type Distribution } from '../../kernel/distribution.ts'
import type { RandomStream } from '../../kernel/random.ts'
import type { Heartbeat } from '../../policies/policy.ts'
import type { Written } from './passage.ts'

/** A change of the task. */
export interface ModelUpdate {
  atUs: number
  /** A status holds all that earlier ones said but their messages; an artifact's chunk only itself. */
  of: 'status' | 'artifact'
  /** Of its event on the wire, as far as known; matters to hops that keep small writes back. */
  octets: number
}

/** What the agent does about streams; the words are those of a scenario's `agent.streaming`. */
export interface AgentStreaming {
  /** The policy's where it has one. */
  heartbeat: Heartbeat | 'none'
  flush: 'at-once' | 'first-update'
  lifetime: Distribution | undefined
  /** How long events are kept for a client that resumes with a cursor. */
  replayUs: number
  retryHintUs: number | undefined
}

/** What is written tells of the task as it is, of one update, or of nothing. `upTo` counts updates. */
export type Said = { of: 'snapshot'; upTo: number } | { of: 'update'; update: number } | { of: 'heartbeat' }

export interface Subscription {
  /** When the agent receives it. */
  atUs: number
  /** Updates the client says it has. */
  cursor: number | undefined
}

/** Of an event that shows the whole task, roughly. */
const SNAPSHOT_OCTETS = 400

/** How many updates there were at an instant, those of the instant included. */
export function countAt(updates: readonly ModelUpdate[], atUs: number): number {
  const later = updates.findIndex((update) => update.atUs > atUs)
  return later === -1 ? updates.length : later
}

/** Whether the agent tells a client that resumes what it missed, instead of how the task stands. */
export const replays = (
  updates: readonly ModelUpdate[],
  { replayUs }: Pick<AgentStreaming, 'replayUs'>,
  { atUs, cursor }: Subscription,
): boolean => replayUs > 0 && cursor !== undefined && (updates[cursor]?.atUs ?? atUs) >= atUs - replayUs

/** @param last the number of the update that ends the task, if any does */
export function* agentStream(
  updates: readonly ModelUpdate[],
  last: number | undefined,
  agent: AgentStreaming,
  subscription: Subscription,
  lifetimes: RandomStream,
): Generator<Written<Said>, void, undefined> {
  const { heartbeat, flush, lifetime } = agent
  const { atUs, cursor } = subscription
  const count = countAt(updates, atUs)
  const missed = replays(updates, agent, subscription) ? updates.slice(cursor, count) : undefined
  const closesUs = lifetime === undefined ? Infinity : atUs + drawUs(lifetime, lifetimes)
  const waits = flush === 'first-update' && (missed === undefined || missed.length === 0)
  const firstUs = Math.min(waits ? (updates[count]?.atUs ?? Infinity) : atUs, closesUs)
  if (firstUs === Infinity) return

  yield { of: 'head', atUs: firstUs }
  if (missed === undefined)
    yield { of: 'body', atUs: firstUs, octets: SNAPSHOT_OCTETS, item: { of: 'snapshot', upTo: count } }
  for (const [index, { octets }] of (missed ?? []).entries()) {
    const update = count - (missed?.length ?? 0) + index
    yield { of: 'body', atUs: firstUs, octets, item: { of: 'update', update } }
  }
  if (last !== undefined && last < count) return yield { of: 'end', atUs: firstUs }

  // Heartbeats count from when the head leaves; an update at the instant of one goes first.
  let next = count
  let beatUs = heartbeat === 'none' ? Infinity : firstUs + heartbeat.everyUs
  for (;;) {
    const update = updates[next]
    const updateUs = update?.atUs ?? Infinity
    const nowUs = Math.min(updateUs, beatUs, closesUs)
    if (nowUs === Infinity) return
    if (update !== undefined && nowUs === updateUs) {
      yield { of: 'body', atUs: nowUs, octets: update.octets, item: { of: 'update', update: next } }
      if (next === last) return yield { of: 'end', atUs: nowUs }
      next++
      if (heartbeat !== 'none' && heartbeat.when === 'silent') beatUs = nowUs + heartbeat.everyUs
    } else if (nowUs === closesUs) return yield { of: 'end', atUs: nowUs }
    else if (heartbeat !== 'none') {
      yield { of: 'body', atUs: nowUs, octets: heartbeat.octets, item: { of: 'heartbeat' } }
      beatUs += heartbeat.everyUs
    }
  }
}
