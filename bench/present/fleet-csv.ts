import type { FleetResult } from '../experiment/experiment.ts'
import { csvLine, titleWithUnit } from './csv-line.ts'
import { FLEET_COLUMNS } from './fleet-columns.ts'
import { fleetToldOf } from './fleet-view.ts'

/** Fleets by RFC 4180: a line for each row, raw numbers, units in the header. */
export const fleetsAsCsv = (results: readonly FleetResult[]): string =>
  [
    csvLine(['scenario', 'policy', ...FLEET_COLUMNS.map(titleWithUnit)]),
    ...results.flatMap((result) =>
      fleetToldOf(result).map((told) =>
        csvLine([result.scenario.name, told.row.policy, ...FLEET_COLUMNS.map((column) => column.raw(told))]),
      ),
    ),
  ].join('')

/** What is told over time: a line for each row and bin, from the beginning of the window on. */
export const seriesAsCsv = (results: readonly FleetResult[]): string =>
  [
    csvLine([
      'scenario',
      'policy',
      'mechanism',
      'from (s)',
      'requests per second (1/s)',
      'requests in flight',
      'connections open',
    ]),
    ...results.flatMap(({ scenario, rows }) =>
      rows.flatMap(({ mechanism, policy, binMs, load, requestsInFlight, connectionsOpen }) =>
        load.series.map((rate, bin) =>
          csvLine([
            scenario.name,
            policy,
            mechanism,
            (bin * binMs) / 1000,
            rate,
            requestsInFlight.series[bin] ?? null,
            connectionsOpen.series[bin] ?? null,
          ]),
        ),
      ),
    ),
  ].join('')
