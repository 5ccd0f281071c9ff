import { isFleet, type Experiment, type FleetResult, type ScenarioResult } from '../experiment/experiment.ts'
import { COLUMNS } from './columns.ts'
import { csvLine, titleWithUnit } from './csv-line.ts'
import { fleetsAsCsv, seriesAsCsv } from './fleet-csv.ts'
import { toldOf } from './view.ts'

/**
 * The comparison by RFC 4180: raw numbers, units in the header. All scenarios of
 * one task are one list, all fleets another, and what is told over time a third;
 * an empty line parts them.
 */
export function asCsv({ scenarios }: Experiment, series = false): string {
  const fleets = scenarios.filter(isFleet)
  const replays = scenarios.filter((result): result is ScenarioResult => !isFleet(result))
  return [
    ...(replays.length > 0 || fleets.length === 0 ? [replaysAsCsv(replays)] : []),
    ...(fleets.length > 0 ? sectionsOf(fleets, series) : []),
  ].join('\r\n')
}

const sectionsOf = (fleets: readonly FleetResult[], series: boolean): string[] =>
  series ? [fleetsAsCsv(fleets), seriesAsCsv(fleets)] : [fleetsAsCsv(fleets)]

const replaysAsCsv = (results: readonly ScenarioResult[]): string =>
  [
    csvLine(['scenario', 'policy', 'outcome', ...COLUMNS.map(titleWithUnit)]),
    ...results.flatMap((result) =>
      toldOf(result).map((told) => {
        const { policy, outcome } = told.row
        return csvLine([result.scenario.name, policy, outcome, ...COLUMNS.map((column) => column.raw(told))])
      }),
    ),
  ].join('')
