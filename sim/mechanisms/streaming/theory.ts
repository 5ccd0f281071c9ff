/** Streams in closed form: what limits, reconnects and heartbeats come to. */

export interface LifetimeFacts {
  /** From the opening of the first stream to the end of the task. */
  jobUs: number
  /** How long a stream may live, from its opening on, whatever passes. */
  lifetimeUs: number
  /** From a cut to the next opening. */
  reconnectUs: number
}

export interface LifetimeCost {
  connections: number
  /** Cuts that were followed by another stream. */
  gaps: number
  /** Time without a stream until the end is learned. */
  blindUs: number
  /** How long after the end the client learns it. */
  lateUs: number
}

/**
 * Streams are opened at 0, L + R, 2(L + R), … and live L each, until the task
 * ends. With r the rest of T by L + R: an end at r <= L finds a stream (what
 * comes at the instant of a cut is in time), one at r > L is learned at the next
 * opening, which the agent answers by a refusal and a look. Exact without
 * latency; heartbeats appear nowhere.
 */
export function underLifetime({ jobUs, lifetimeUs, reconnectUs }: LifetimeFacts): LifetimeCost {
  const roundUs = lifetimeUs + reconnectUs
  const rounds = Math.floor(jobUs / roundUs)
  const restUs = jobUs - rounds * roundUs
  // At the very instant of an opening the task is over already.
  const streams = restUs === 0 && rounds > 0 ? rounds : rounds + 1
  const lateUs = restUs > lifetimeUs ? roundUs - restUs : 0
  const gaps = restUs > lifetimeUs ? rounds + 1 : rounds
  return { connections: streams, gaps, blindUs: gaps * reconnectUs, lateUs }
}

/** Comments sent during a silence, one each `everyUs`; none together with what ends the silence. */
export const heartbeatsDuring = (silenceUs: number, everyUs: number): number =>
  Math.max(0, Math.ceil(silenceUs / everyUs) - 1)

/**
 * Whether comments that often save a silent stream from a limit on idleness.
 * They do at the limit itself, for what passes at its instant is in time; where
 * latency varies the comments need to be that much more frequent.
 */
export const heartbeatSaves = (everyUs: number, idleUs: number, variationUs = 0): boolean =>
  everyUs + variationUs <= idleUs
