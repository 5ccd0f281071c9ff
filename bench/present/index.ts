import type { Experiment } from '../experiment/experiment.ts'
import { asCsv } from './csv.ts'
import { asJson } from './json.ts'
import { asMarkdown } from './markdown.ts'
import { asTable, type TableStyle } from './table.ts'

export type Format = 'table' | 'markdown' | 'csv' | 'json'

/**
 * The experiment in one of the formats; the style matters to the table alone.
 *
 * @param series whether what is told over time is there bin by bin, in the formats for programs
 */
export function present(experiment: Experiment, format: Format, style: TableStyle, series = false): string {
  switch (format) {
    case 'table':
      return asTable(experiment, style)
    case 'markdown':
      return asMarkdown(experiment)
    case 'csv':
      return asCsv(experiment, series)
    case 'json':
      return asJson(experiment, series)
  }
}
