import { assessExpectations, assessThresholds } from '../../sim/index.ts'
import type { FleetRow, LoadedScenario, Row, RowWithEvents } from '../../sim/index.ts'
import { casesOf, cellsOf, playedCases, type PlayedCase } from './cases.ts'
import { playCells } from './cells.ts'
import type { GivenMiss, ScenarioResult } from './experiment.ts'

export interface RunOptions {
  /** What the command line changed in the scenarios, in its own words. */
  changes: readonly string[]
  /** Threads that share the runs; 1 is this one; `undefined` for as many as are worth their start. */
  workers: number | undefined
}

/** Replays every scenario with each of its mechanisms, and its variants with those that something is expected of. */
export async function runScenarios(
  loaded: readonly LoadedScenario[],
  { changes, workers }: RunOptions,
): Promise<ScenarioResult[]> {
  const cases = loaded.map(casesOf)
  const played = await playCells(cases.flat().flatMap(cellsOf), workers)
  let next = 0
  return loaded.map((one, i) => {
    const { length } = (cases[i] ?? []).flatMap(cellsOf)
    return resultOf(one, played.slice(next, (next += length)), changes)
  })
}

/** @param played what came out of the cells of all cases of the scenario, in their order */
export function resultOf(
  loaded: LoadedScenario,
  played: readonly RowWithEvents[],
  changes: readonly string[],
): ScenarioResult {
  const { scenario, assumptions, policies } = loaded
  const [own, ...variants] = playedCases(casesOf(loaded), played)
  const rows = own === undefined ? [] : rowsOf(own)
  return {
    scenario,
    assumptions,
    changes,
    policies,
    rows,
    variants: variants.map((variant) => ({ given: variant.given ?? '', rows: rowsOf(variant) })),
    misses: [
      ...rows.flatMap((row, i) => assessThresholds(demandsOn(scenario, i), row)),
      ...[own, ...variants].flatMap((one) => (one === undefined ? [] : missesOf(one))),
    ],
  }
}

/** What a row must meet: what all must, and what its own entry says. */
export const demandsOn = ({ thresholds, mechanisms }: LoadedScenario['scenario'], index: number) => [
  ...thresholds,
  ...(mechanisms[index]?.thresholds ?? []),
]

export const rowsOf = <R extends Row | FleetRow>({ results }: PlayedCase<R>): R[] =>
  results.flatMap((result) => (result === undefined ? [] : [result.row]))

/** The expected values of a case that did not come out. */
export const missesOf = ({ given, expectations, results }: PlayedCase): GivenMiss[] =>
  assessExpectations(expectations, results).map((miss) => ({
    ...miss,
    ...(given !== undefined && { given }),
  }))
