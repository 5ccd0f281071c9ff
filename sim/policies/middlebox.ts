/** What stands between two parties and cuts: proxies, gateways, and the limits clients set themselves. */

/** `close`: a clean end; `reset`: an error at once; `silent`: nothing passes any more and nobody is told. */
export type CutHow = 'close' | 'reset' | 'silent'

/** What somebody meets for whom there is no room. */
export interface Refusal {
  answer: 503 | 429 | 'refuse' | 'wait'
  retryAfterUs: number | undefined
}

/** One middlebox. What is `undefined` it does not do. Before the first octet of an answer a cut is a 504, unless it is silent. */
export interface Hop {
  /** For people: `nginx`. */
  name: string
  /** Between two reads of an open exchange. */
  idleUs: number | undefined
  /** From the request to the first octet of its answer. */
  firstByteUs: number | undefined
  /** From the request to the end of its answer, whatever passes. */
  lifetimeUs: number | undefined
  cut: CutHow
  /** Exchanges it carries at once. */
  connections: number | undefined
  full: Refusal
  /** Small writes wait until so many octets are together, or the answer ends. */
  bufferOctets: number | undefined
}

/** What a client allows one exchange; no limit where `undefined`. Errors are those of Node's `fetch`. */
export interface ClientLimits {
  /** A library name, for people: `httpx`. */
  name: string | undefined
  /** One attempt in all. */
  timeoutUs: number | undefined
  firstByteUs: number | undefined
  idleUs: number | undefined
  /** Connections per origin; further exchanges wait. */
  connections: number | undefined
}
