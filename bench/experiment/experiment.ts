/** What was run and what came out; nothing about how it is shown. */
import type { Miss, Row, Scenario } from '../../sim/index.ts'

/** One scenario with all its mechanisms. */
export interface ScenarioResult {
  scenario: Scenario
  /** What was left at its default and matters for reading the numbers. */
  assumptions: readonly string[]
  /** What the command line changed in the file, as given: `--set job.duration=30s`. */
  changes: readonly string[]
  /** In the order of the scenario's mechanisms. */
  rows: readonly Row[]
  /** Thresholds and expected values that were missed. */
  misses: readonly Miss[]
}

export interface Experiment {
  /** Version of delivery-bench. */
  version: string
  /** The words that repeat it, without those that only say how to run and show it. */
  command: readonly string[]
  scenarios: readonly ScenarioResult[]
}
