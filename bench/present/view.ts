/** An experiment as text in its parts, for every format that people read. */
import type { ScenarioResult } from '../experiment/experiment.ts'
import { cellOf, COLUMNS, type Column } from './columns.ts'
import { type Fact, pedigreeOf } from './pedigree.ts'
import { sentenceOf } from './sentence.ts'

export interface ScenarioView {
  name: string
  question: string | undefined
  description: string | undefined
  facts: readonly Fact[]
  columns: readonly Column[]
  /** One text for each column, in the order of the columns. */
  rows: readonly (readonly string[])[]
  /** Why a row has no time to learn. */
  notes: readonly string[]
  sentence: string
}

export const viewOf = (result: ScenarioResult): ScenarioView => ({
  name: result.scenario.name,
  question: result.scenario.question,
  description: result.scenario.description,
  facts: pedigreeOf(result),
  columns: COLUMNS,
  rows: result.rows.map((row) => COLUMNS.map((column) => cellOf(column, row))),
  notes: result.rows.flatMap(({ mechanism, reason }) =>
    reason === undefined ? [] : [`${mechanism}: ${reason}`],
  ),
  sentence: sentenceOf(result.rows),
})
