import type { Leftovers } from '../kernel/virtual-time.ts'
import type { Row } from '../metrics/row.ts'
import type { RunRecord } from '../records/record.ts'
import type { MechanismEntry, Scenario } from '../scenario/scenario.ts'

/** What one run of the swarm left to be judged. */
export interface SwarmRun {
  /** As declared: what the run was supposed to be. */
  scenario: Scenario
  entry: MechanismEntry
  records: readonly RunRecord[]
  row: Row
  endUs: number
  leftovers: Leftovers
  /** Sizes the client itself could read off its answers. */
  seen: readonly SeenAnswer[]
}

/** An answer whose length its own header declares. */
export interface SeenAnswer {
  exchange: number
  requestBodyOctets: number
  responseBodyOctets: number
}

/** One property of every run. */
export interface Checker {
  name: string
  /** What is wrong, one sentence each; empty if nothing is. */
  check(run: SwarmRun): string[]
}
