/** An experiment as text in its parts, for every format that people read. */
import type { ScenarioResult } from '../experiment/experiment.ts'
import type { Row } from '../../sim/index.ts'
import { cellOf, columnsFor, type Column, type Told } from './columns.ts'
import { withThousands } from './numbers.ts'
import { type Fact, pedigreeOf } from './pedigree.ts'
import { sentenceOf } from './sentence.ts'

export interface ScenarioView {
  name: string
  question: string | undefined
  description: string | undefined
  facts: readonly Fact[]
  columns: readonly (Pick<Column, 'title' | 'align'> & { group: string })[]
  /** One text for each column, in the order of the columns. */
  rows: readonly (readonly string[])[]
  /** Why a row has no time to learn. */
  notes: readonly string[]
  /** The policies of the library that were used, with their sources. */
  policies: readonly string[]
  sentence: string
}

export function viewOf(result: ScenarioResult): ScenarioView {
  const told = toldOf(result)
  const columns = columnsFor(told, askedOf(result))
  return {
    name: result.scenario.name,
    question: result.scenario.question,
    description: result.scenario.description,
    facts: pedigreeOf(result),
    columns,
    rows: told.map((one) => columns.map((column) => cellOf(column, one))),
    notes: result.rows.flatMap(reasonsOf),
    policies: result.policies.map(sourceLine),
    sentence: sentenceOf(result.rows),
  }
}

/** The rows with the policies they are of. */
export const toldOf = ({ rows, scenario }: ScenarioResult): Told[] =>
  rows.map((row, i) => ({ row, policy: scenario.mechanisms[i]?.policy }))

/** The metrics that the scenario demands or expects something of. */
function askedOf({ scenario }: ScenarioResult): Set<string> {
  const expected = scenario.expectations.flatMap(({ of }) => (typeof of === 'string' ? [] : [of.metric]))
  return new Set([...scenario.thresholds.map(({ metric }) => metric), ...expected])
}

function reasonsOf({ mechanism, reason, runs }: Row): string[] {
  if (runs === undefined) return reason === undefined ? [] : [`${mechanism}: ${reason}`]
  return runs.reasons.map(
    ({ reason: why, runs: times }) =>
      `${mechanism}, ${withThousands(times)} of ${withThousands(runs.count)} runs: ${why}`,
  )
}

/** `@chromium (reconnect): Chromium, its source, as of 2026-10, confidence A` */
export function sourceLine({
  id,
  kind,
  name,
  source,
  asOf,
  confidence,
}: ScenarioResult['policies'][number]): string {
  const told = [
    name,
    source,
    asOf === undefined ? undefined : `as of ${asOf}`,
    confidence === undefined ? undefined : `confidence ${confidence}`,
  ].filter((part) => part !== undefined)
  return `@${id} (${kind}): ${told.length === 0 ? 'no source given' : told.join(', ')}`
}
