/** What lies between two parties, as data. */
import { fixed, type Distribution } from '../kernel/distribution.ts'
import type { ClientLimits, Hop } from '../policies/middlebox.ts'

/**
 * What lies between one party and a host, seen from the one that asks. A
 * request passes the asker's own limits, then the way up, then the hops, which
 * stand at the host's end: a hop hears of a request `latency.up` after it left,
 * and its cut is felt `latency.down` after it fell.
 */
export interface Path {
  /** One way, drawn for each message; what was sent later never arrives earlier. `up` is towards the host. */
  latency: { up: Distribution; down: Distribution }
  /** Share of messages that never arrive, nor anything after them in that direction of the exchange. */
  loss: number
  dribble: Dribbling | undefined
  /** From the asker. */
  hops: readonly Hop[]
  /** What the asker allows each exchange. */
  limits: ClientLimits | undefined
}

/**
 * The writes of answers, and the agent's posts, arrive in pieces of so many
 * octets, one each `everyUs` and the first at once.
 */
export interface Dribbling {
  octets: number
  everyUs: number
}

/** Nothing in between. */
export const DIRECT_PATH: Path = {
  latency: { up: fixed(0), down: fixed(0) },
  loss: 0,
  dribble: undefined,
  hops: [],
  limits: undefined,
}
