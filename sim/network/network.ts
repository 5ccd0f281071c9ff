import type { Party } from '../records/record.ts'

/** Anything that answers requests: the imitation agent, a webhook receiver. */
export type Handler = (request: Request) => Promise<Response>

/** One-way latencies in µs, fixed for a run. `up` is towards the host, `down` back to the caller. */
export interface Latency {
  upUs: number
  downUs: number
}

/** The network one run plays on: hosts by origin, a metered `fetch` for each party, exact octets. */
export interface Network {
  /** Makes `handle` answer for an origin such as `https://agent.example`. */
  host(origin: string, party: Party, handle: Handler): void
  /** The addresses behind a name, as DNS would tell: public ones. `undefined` for a name nobody has. */
  resolve(hostname: string): readonly string[] | undefined
  /** A `fetch` whose exchanges are counted as sent by `party`. */
  fetchFrom(party: Party): typeof fetch
  /** Resolves once no exchange is open any more. */
  settled(): Promise<void>
  /** Ends the run: exchanges still open and connections still open are recorded as they stand. */
  close(): void
}
