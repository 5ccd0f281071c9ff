/**
 * Time as the simulator's own code sees it. Instants and durations are whole
 * microseconds in plain numbers (exact up to 285 years); names end in `Us`.
 */

/** Takes back something scheduled; harmless when it already happened. */
export type Cancel = () => void

/** The only way any part of the simulator may ask what time it is, or wait. */
export interface Clock {
  /** Microseconds since the run began. */
  nowUs(): number
  /**
   * Calls `act` once the clock reads `atUs`. Events at one instant happen in
   * the order they were scheduled.
   *
   * @throws RangeError if `atUs` lies in the past or is not a whole number
   */
  at(atUs: number, act: () => void): Cancel
  /** Resolves after `durationUs`; rejects with the signal's reason as soon as it aborts. */
  sleep(durationUs: number, signal?: AbortSignal): Promise<void>
  /**
   * Says that somebody is waiting, for the message of a deadlock and of a run
   * that reached its horizon. Call the result when the waiting is over.
   */
  waiting(who: string): Cancel
  /** The wall-clock reading that belongs to an instant, for timestamps in messages. */
  dateOf(atUs: number): Date
}
