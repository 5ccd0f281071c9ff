/**
 * What each mechanism does in a quiet world, computed without a wire: pure, no
 * SDK, no promises. The engine for fleets looks up here; the contract suite
 * holds each model against the replay.
 */
import type { RandomStream } from '../kernel/random.ts'

/** Latencies are fixed, nothing fails, the agent answers at once. Instants count from the send. */
export interface QuietWorld {
  /** When the agent changes its task, counted from the instant it receives the send; the last is the end, if there is one. */
  updatesUs: readonly number[]
  endUs: number | undefined
  upUs: number
  downUs: number
  /** Where the run stops. */
  horizonUs: number
  /** The wait the agent suggests, by the age of its task; `undefined` for none. */
  hintUsAt(ageUs: number): number | undefined
  random(purpose: string): RandomStream
}

export interface ModelRun {
  /** Every request of the client, in order: operation and the instant it leaves. */
  requests: readonly { operation: string; startUs: number }[]
  /** When the end was learned. */
  learnedUs: number | undefined
  /** When it lost the thread, so that a chain goes on; absent from who never does. */
  gaveUpUs?: number | undefined
}

export type Model<P> = (policy: P, world: QuietWorld) => ModelRun
