import type { CutHow } from '../policies/middlebox.ts'
import type { Party } from '../records/record.ts'

/** Anything that answers requests: the imitation agent, a webhook receiver. */
export type Handler = (request: Request) => Promise<Response>

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
