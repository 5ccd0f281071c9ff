/** What was run and what came out; nothing about how it is shown. */
import type { FleetRow, LoadedScenario, Miss, Row, Scenario } from '../../sim/index.ts'

/** One scenario with all its mechanisms: one task replayed, or many. */
export interface ScenarioResult<R extends Row | FleetRow = Row> {
  scenario: Scenario
  /** What was left at its default and matters for reading the numbers. */
  assumptions: readonly string[]
  /** What the command line changed in the file, as given: `--set job.duration=30s`. */
  changes: readonly string[]
  /** The policies of the library that were used, with their sources. */
  policies: LoadedScenario['policies']
  /** In the order of the scenario's mechanisms. */
  rows: readonly R[]
  /** The same scenario with other values, of which something is expected too. */
  variants: readonly VariantResult<R>[]
  /** Thresholds and expected values that were missed, also those of variants. */
  misses: readonly GivenMiss[]
}

/** One scenario with many tasks. */
export type FleetResult = ScenarioResult<FleetRow> & { engine: 'fleet' }

export const isFleet = (result: ScenarioResult | FleetResult): result is FleetResult => 'engine' in result

export interface VariantResult<R extends Row | FleetRow = Row> {
  /** What differs: `faults.0.for=10m`. */
  given: string
  /** Of those mechanisms that something is expected of. */
  rows: readonly R[]
}

/** `given` names the variant, `undefined` for the scenario itself. */
export type GivenMiss = Miss & { given?: string }

export interface Experiment {
  /** Version of delivery-bench. */
  version: string
  /** The words that repeat it, without those that only say how to run and show it. */
  command: readonly string[]
  scenarios: readonly (ScenarioResult | FleetResult)[]
}
