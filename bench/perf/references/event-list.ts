/** The future of a reference. */
export interface EventList {
  push(atUs: number, payload: number): void
  /** Infinity if it is empty. */
  peekUs(): number
  /** The payload of the earliest event, which there is. */
  shift(): number
}
