/** What the rest of the program sees of the fleet engine: it divides a row into parts, plays them, and joins what they counted. */
import type { FleetRow } from '../metrics/fleet-row.ts'
import type { MechanismEntry, Scenario } from '../scenario/scenario.ts'

/**
 * Some of the 64 blocks of one replication of a row, the last one not included.
 * A row whose tasks share something cannot be divided: its replications are one
 * part each, with all blocks.
 */
export interface FleetPart {
  replication: number
  fromBlock: number
  toBlock: number
}

declare const counted: unique symbol

/** What some parts counted: plain data, which JSON and copies from thread to thread keep whole. Only the engine looks inside. */
export interface FleetTally {
  readonly [counted]?: never
}

export interface FleetEngine {
  /** The finest useful division of a row, in order. */
  readonly partsOf: (scenario: Scenario, entry: MechanismEntry) => readonly FleetPart[]
  /** Pure, so that any thread of any machine can play any part. */
  readonly runPart: (scenario: Scenario, entry: MechanismEntry, part: FleetPart) => FleetTally
  /**
   * Neither order nor grouping changes the result.
   *
   * @param tallies of different parts of one row; at least one
   * @throws RangeError if a block is counted twice
   */
  readonly mergeTallies: (tallies: readonly FleetTally[]) => FleetTally
  /** @param tally of all parts of the row */
  readonly fleetRow: (scenario: Scenario, entry: MechanismEntry, tally: FleetTally) => FleetRow
}
