/** What the network asks about faults. The rules themselves are no business of the wire's. */
import type { Distribution } from '../kernel/distribution.ts'
import type { Party } from '../records/record.ts'

/** What a message meets on a link. */
export interface LinkConditions {
  /** Shares of messages. A reordered one is held back a second. */
  loss: number
  duplicate: number
  reorder: number
  /** Added to the latency. */
  delay: Distribution | undefined
  /** Nothing passes. */
  blocked: boolean
  /** Nothing arrives before this instant. */
  heldUntilUs: number | undefined
}

export type HostConditions =
  | { of: 'up' }
  /** Connections are refused. */
  | { of: 'down' }
  /** The name is not found; connections that are open go on. */
  | { of: 'no name' }
  /** Somebody in front of it answers instead. */
  | { of: 'answers'; status: number; retryAfterUs: number | undefined }

export interface Conditions {
  /** Asked when a message sets out and when it arrives. */
  link(from: Party, to: Party, atUs: number): LinkConditions
  /** Asked when a request sets out, for the name of its host, and when it arrives, for all else. `operation` as in the records. */
  host(party: Party, operation: string, atUs: number): HostConditions
}
