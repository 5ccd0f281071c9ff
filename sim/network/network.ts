import { fixed, type Distribution } from '../kernel/distribution.ts'
import type { ClientLimits, CutHow, Hop } from '../policies/middlebox.ts'
import type { Party } from '../records/record.ts'

/** Anything that answers requests: the imitation agent, a webhook receiver. */
export type Handler = (request: Request) => Promise<Response>

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

/** The network one run plays on: hosts by origin, a metered `fetch` for each party, exact octets. */
export interface Network {
  /** Makes `handle` answer for an origin such as `https://agent.example`. */
  host(origin: string, party: Party, handle: Handler): void
  /** The addresses behind a name, as DNS would tell: public ones. `undefined` for a name nobody has. */
  resolve(hostname: string): readonly string[] | undefined
  /** A `fetch` whose exchanges are counted as sent by `party`. */
  fetchFrom(party: Party): typeof fetch
  /**
   * The number, in the records, of the exchange that brought a response of
   * `fetchFrom`, or to a handler this request; copies by `clone()` included.
   */
  exchangeOf(message: Request | Response): number | undefined
  /** A fault between hops and hosts cuts every event stream that is under way. */
  cutStreams(how: CutHow): void
  /** A party restarts: every exchange with it or of its own is reset, and its idle connections close. */
  disconnect(party: Party): void
  /** Resolves once no exchange is open any more. */
  settled(): Promise<void>
  /** Ends the run: exchanges still open and connections still open are recorded as they stand. */
  close(): void
}
