import type { Experiment } from '../experiment/experiment.ts'
import { COLUMNS } from './columns.ts'
import { toldOf } from './view.ts'

/** A field by RFC 4180: quoted where it must be, quotes doubled; an empty field is "not applicable". */
function field(value: string | number | null): string {
  const text = value === null ? '' : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const line = (values: readonly (string | number | null)[]): string => `${values.map(field).join(',')}\r\n`

/** The comparison by RFC 4180: raw numbers, units in the header, all scenarios in one list. */
export function asCsv(experiment: Experiment): string {
  const titles = COLUMNS.map(({ title, unit }) =>
    unit !== undefined && unit !== 'count' && unit !== 'octets' ? `${title} (${unit})` : title,
  )
  const lines = experiment.scenarios.flatMap((result) =>
    toldOf(result).map((told) => {
      const { policy, outcome } = told.row
      return line([result.scenario.name, policy, outcome, ...COLUMNS.map((column) => column.raw(told))])
    }),
  )
  return [line(['scenario', 'policy', 'outcome', ...titles]), ...lines].join('')
}
