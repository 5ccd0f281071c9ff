import type { Experiment } from '../experiment/experiment.ts'
import { COLUMNS } from './columns.ts'

/** A field by RFC 4180: quoted where it must be, quotes doubled; an empty field is "not applicable". */
function field(value: string | number | null): string {
  const text = value === null ? '' : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const line = (values: readonly (string | number | null)[]): string => `${values.map(field).join(',')}\r\n`

/** The comparison by RFC 4180: raw numbers, units in the header, all scenarios in one list. */
export function asCsv(experiment: Experiment): string {
  const titles = COLUMNS.map(({ title, unit }) =>
    unit === 'ms' || unit === 's' ? `${title} (${unit})` : title,
  )
  const lines = experiment.scenarios.flatMap(({ scenario, rows }) =>
    rows.map((row) =>
      line([scenario.name, row.policy, row.outcome, ...COLUMNS.map((column) => column.raw(row))]),
    ),
  )
  return [line(['scenario', 'policy', 'outcome', ...titles]), ...lines].join('')
}
