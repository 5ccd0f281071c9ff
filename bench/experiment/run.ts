import { extname } from 'node:path'
import { assessExpectations, assessThresholds } from '../../sim/index.ts'
import type { LoadedScenario, Miss, Row, Scenario } from '../../sim/index.ts'
import type { ScenarioResult } from './experiment.ts'
import type { RowInput } from './replay-row.ts'
import { runInWorkers } from './workers.ts'

export interface RunOptions {
  /** What the command line changed in the scenarios, in its own words. */
  changes: readonly string[]
  /** Threads that share the cells; 1 is this one. */
  workers: number
}

/** Replays every scenario with each of its mechanisms, in order. The number of workers changes nothing in the result. */
export async function runScenarios(
  loaded: readonly LoadedScenario[],
  { changes, workers }: RunOptions,
): Promise<ScenarioResult[]> {
  const cells = loaded.flatMap(({ scenario }) => scenario.mechanisms.map((entry) => ({ scenario, entry })))
  const all = await rowsOf(cells, workers)
  let next = 0
  return loaded.map(({ scenario, assumptions }) => {
    const rows = all.slice(next, (next += scenario.mechanisms.length))
    return { scenario, assumptions, changes, rows, misses: missesOf(scenario, rows) }
  })
}

/** The thresholds and expected values of a scenario that its rows miss. */
export const missesOf = (scenario: Scenario, rows: readonly Row[]): Miss[] => [
  ...rows.flatMap((row) => assessThresholds(scenario.thresholds, row)),
  ...assessExpectations(scenario.expectations, rows),
]

async function rowsOf(cells: readonly RowInput[], workers: number): Promise<Row[]> {
  if (workers > 1) {
    const ending = extname(new URL(import.meta.url).pathname)
    return runInWorkers<RowInput, Row>(new URL(`./replay-row${ending}`, import.meta.url), cells, workers)
  }
  const { default: replayRow } = await import('./replay-row.ts')
  const rows: Row[] = []
  for (const cell of cells) rows.push(await replayRow(cell))
  return rows
}
