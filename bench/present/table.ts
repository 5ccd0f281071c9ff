import { styleText } from 'node:util'
import Table from 'cli-table3'
import { isFleet, type Experiment } from '../experiment/experiment.ts'
import { fleetViewOf } from './fleet-view.ts'
import { viewOf, type ScenarioView } from './view.ts'
import { textWidth, wrapped } from './wrap.ts'

export interface TableStyle {
  /** Width of a line. A table that does not fit goes on below, its first column repeated. */
  columns: number
  colour: boolean
}

/** A narrower first column than this is not worth keeping. */
const FIRST_COLUMN_MIN = 14

/** The comparison as aligned text, one section for each scenario. */
export const asTable = (experiment: Experiment, style: TableStyle): string =>
  experiment.scenarios
    .map((result) => section(isFleet(result) ? fleetViewOf(result) : viewOf(result), style))
    .join('\n')

function section(view: ScenarioView, { columns, colour }: TableStyle): string {
  const emphasis = (format: 'bold' | 'dim', text: string) =>
    colour ? styleText(format, text, { validateStream: false }) : text
  const title = view.question === undefined ? view.name : `${view.name}: ${view.question}`
  const labelWidth = Math.max(...view.facts.map(({ label }) => label.length)) + 2
  return [
    ...wrapped(title, columns).map((line) => emphasis('bold', line)),
    ...(view.description === undefined ? [] : wrapped(view.description, columns)),
    ...view.facts.flatMap(({ label, text }) =>
      wrapped(text, columns - labelWidth).map((line, i) =>
        emphasis('dim', `${(i === 0 ? label : '').padEnd(labelWidth)}${line}`),
      ),
    ),
    '',
    ...blocks(view, columns).flatMap((block) => [...draw(view, block, columns), '']),
    ...view.notes.flatMap((note) => wrapped(note, columns)),
    ...wrapped(view.sentence, columns),
    ...view.policies.flatMap((line) => wrapped(line, columns)).map((line) => emphasis('dim', line)),
    '',
  ].join('\n')
}

/** The columns by number, in blocks that fit the width; groups stay together, the first column leads each. */
function blocks(view: ScenarioView, width: number): number[][] {
  const [first = [], ...groups] = groupsOf(view.columns)
  const fitting: number[][] = []
  for (const group of groups) {
    const last = fitting.at(-1)
    if (last !== undefined && FIRST_COLUMN_MIN + widthOf(view, [...last, ...group]) <= width)
      last.push(...group)
    else fitting.push([...group])
  }
  return fitting.map((block) => [...first, ...block])
}

type Column = ScenarioView['columns'][number]

function groupsOf(columns: readonly Column[]): number[][] {
  const groups: number[][] = []
  columns.forEach(({ group }, i) => {
    if (group === columns[i - 1]?.group) groups.at(-1)?.push(i)
    else groups.push([i])
  })
  return groups
}

/** Head over two lines: `webhook posts` is as wide as `webhook`. */
const headOf = ({ title }: Column): string => title.replace(/ (?=\S+$)/, '\n')

/** The column's own width, and the blanks to its left: groups stand further apart than their members. */
function measure(view: ScenarioView, i: number): { content: number; gap: number } {
  const column = view.columns[i] as Column
  const texts = [...headOf(column).split('\n'), ...view.rows.map((row) => row[i] as string)]
  const gap = i === 0 ? 0 : column.group === view.columns[i - 1]?.group ? 1 : 2
  return { content: Math.max(...texts.map(textWidth)), gap }
}

const widthOf = (view: ScenarioView, columns: readonly number[]): number =>
  columns.reduce((sum, i) => sum + measure(view, i).content + measure(view, i).gap, 0)

function draw(view: ScenarioView, block: readonly number[], width: number): string[] {
  const left = Math.max(FIRST_COLUMN_MIN, width - widthOf(view, block.slice(1)))
  const widths = block.map((i) => {
    const { content, gap } = measure(view, i)
    return i === 0 ? Math.min(content, left) : content + gap
  })
  const cell = (i: number, content: string, vAlign: 'top' | 'bottom') => ({
    content,
    hAlign: (view.columns[i] as Column).align,
    vAlign,
    style: { 'padding-left': measure(view, i).gap, 'padding-right': 0 },
  })
  const table = new Table({
    chars: BARE,
    style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 },
    colWidths: widths,
    wordWrap: true,
    head: block.map((i) => cell(i, headOf(view.columns[i] as Column), 'bottom')) as unknown as string[],
  })
  for (const row of view.rows) table.push(block.map((i) => cell(i, row[i] as string, 'top')))
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
}

/** One rule below the head, no other lines. */
const BARE = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  right: '',
  'right-mid': '',
  middle: '',
  mid: '─',
  'mid-mid': '',
}
