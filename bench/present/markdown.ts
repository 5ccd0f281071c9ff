import { isFleet, type Experiment } from '../experiment/experiment.ts'
import { fleetViewOf } from './fleet-view.ts'
import { type ScenarioView, viewOf } from './view.ts'

/** The comparison as GitHub-flavoured markdown, one section for each scenario. */
export const asMarkdown = (experiment: Experiment): string =>
  experiment.scenarios
    .map((result) => section(isFleet(result) ? fleetViewOf(result) : viewOf(result)))
    .join('\n')

/** A bar would end the cell, a line break the row. */
const cell = (text: string): string => text.replaceAll('|', String.raw`\|`).replaceAll('\n', ' ')

const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`

function section(view: ScenarioView): string {
  return [
    `## ${view.name}`,
    '',
    ...(view.question === undefined ? [] : [view.question, '']),
    ...(view.description === undefined ? [] : [view.description.trim(), '']),
    ...view.facts.map(({ label, text }) => `- ${label}: ${text}`),
    '',
    line(view.columns.map(({ title }) => title)),
    `|${view.columns.map(({ align }) => (align === 'right' ? ' ---: ' : ' --- ')).join('|')}|`,
    ...view.rows.map(line),
    '',
    ...view.notes.map((note) => `- ${note}`),
    ...(view.notes.length > 0 ? [''] : []),
    view.sentence,
    '',
    ...view.policies.map((line) => `- ${line}`),
    ...(view.policies.length > 0 ? [''] : []),
  ].join('\n')
}
