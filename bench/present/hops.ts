/** The matrix of hops and heartbeats in the formats of results. */
import { styleText } from 'node:util'
import {
  formatDuration,
  type Heartbeat,
  type HopCell,
  type HopMatrix,
  type Scenario,
  spellDuration,
} from '../../sim/index.ts'
import type { Format } from './index.ts'
import { counted, lateness } from './numbers.ts'
import type { TableStyle } from './table.ts'
import { textWidth, wrapped } from './wrap.ts'

export interface HopsResult {
  scenario: Scenario
  matrices: readonly {
    title: string
    policy: string
    matrix: HopMatrix
    advice: readonly string[]
  }[]
  /** What of the scenario the model does not know. */
  leftOut: readonly string[]
}

export function presentHops(result: HopsResult, format: Format, style: TableStyle): string {
  switch (format) {
    case 'table':
      return asTable(result, style)
    case 'markdown':
      return asMarkdown(result)
    case 'csv':
      return asCsv(result)
    case 'json':
      return asJson(result)
  }
}

const levelOf = (heartbeat: Heartbeat | 'none'): string =>
  heartbeat === 'none' ? 'no heartbeat' : `every ${spellDuration(heartbeat.everyUs)}`

const WHY = { idle: 'idle', firstByte: 'first byte', lifetime: 'lifetime' } as const

/** What happens and what it costs, a line each; `whole` names who cut. */
function linesOf({ cuts, streams, row }: HopCell, whole: boolean): string[] {
  const cut = cuts.map(({ by, why, firstUs, count }) => {
    const limit = whole || by === 'agent' ? `${by}'s ${WHY[why]} limit` : `${WHY[why]} limit`
    const at = spellDuration(firstUs)
    return count === 1 ? `cut at ${at} by ${limit}` : `cut ${count} times by ${limit}, first at ${at}`
  })
  const { outcome, timeToLearnMs, blindTimeMs, updates } = row
  const opened = streams === 1 ? '' : counted(streams, 'connection')
  const blind = blindTimeMs === 0 || outcome !== 'learned' ? '' : `${spellDuration(blindTimeMs * 1000)} blind`
  const lost = updates.lost === 0 || outcome !== 'learned' ? '' : `${counted(updates.lost, 'update')} lost`
  const messages = updates.messagesLost === 0 ? '' : `${counted(updates.messagesLost, 'message')} lost`
  return [
    ...(cut.length > 0 ? cut : ['no cut']),
    timeToLearnMs === null ? 'never learned' : `learned ${lateness(timeToLearnMs)}`,
    ...[[opened, blind].filter(Boolean).join(', '), [lost, messages].filter(Boolean).join(', ')].filter(
      Boolean,
    ),
  ]
}

const GAP = 2

function asTable({ scenario, matrices, leftOut }: HopsResult, { columns, colour }: TableStyle): string {
  const emphasis = (format: 'bold' | 'dim', text: string) =>
    colour ? styleText(format, text, { validateStream: false }) : text
  const { question, name } = scenario
  return [
    ...wrapped(question === undefined ? name : `${name}: ${question}`, columns).map((line) =>
      emphasis('bold', line),
    ),
    ...(leftOut.length > 0 ? wrapped(`not taken into account: ${leftOut.join('; ')}`, columns) : []).map(
      (line) => emphasis('dim', line),
    ),
    '',
    ...matrices.flatMap(({ title, matrix, advice }) => [
      ...wrapped(title, columns).map((line) => emphasis('bold', line)),
      ...grid(matrix, columns),
      '',
      ...advice.flatMap((sentence) => wrapped(`- ${sentence}`, columns)),
      ...(advice.length > 0 ? [''] : []),
    ]),
  ].join('\n')
}

/** A block of lines for each row; columns that do not fit go on below. */
function grid({ heartbeats, rows }: HopMatrix, columns: number): string[] {
  const names = Math.max(...rows.map(({ name }) => textWidth(name)))
  const cells = rows.map(({ cells: ofRow }, i) => ofRow.map((cell) => linesOf(cell, isWhole(rows, i))))
  const heads = heartbeats.map(levelOf)
  const widths = heads.map((head, column) =>
    Math.min(
      Math.max(textWidth(head), ...cells.map((row) => Math.max(...(row[column] ?? []).map(textWidth)))),
      Math.max(16, Math.floor((columns - names) / heads.length) - GAP),
    ),
  )
  const perBlock = Math.max(1, fitting(widths, columns - names))
  const blocks: string[][] = []
  for (let from = 0; from < heads.length; from += perBlock) {
    const shown = heads.map((_, column) => column).slice(from, from + perBlock)
    const line = (name: string, texts: readonly string[]) =>
      [
        name.padEnd(names),
        ...texts.map(
          (text, i) =>
            text + ' '.repeat(Math.max(0, (widths[shown[i] as number] as number) - textWidth(text))),
        ),
      ]
        .join(' '.repeat(GAP))
        .trimEnd()
    const rule = '─'.repeat(names + shown.reduce((sum, column) => sum + (widths[column] as number) + GAP, 0))
    blocks.push([
      line(
        '',
        shown.map((column) => heads[column] as string),
      ),
      rule,
      ...rows.flatMap(({ name }, i) => {
        const texts = shown.map((column) =>
          (cells[i]?.[column] ?? []).flatMap((text) => wrapped(text, widths[column] as number)),
        )
        const height = Math.max(...texts.map(({ length }) => length))
        return Array.from({ length: height }, (_, at) =>
          line(
            at === 0 ? name : '',
            texts.map((lines) => lines[at] ?? ''),
          ),
        )
      }),
    ])
  }
  return blocks.flatMap((block, i) => (i === 0 ? block : ['', ...block]))
}

/** How many columns fit beside the names. */
function fitting(widths: readonly number[], room: number): number {
  let used = 0
  const over = widths.findIndex((width) => (used += width + GAP) > room)
  return over === -1 ? widths.length : over
}

/** Several stand behind the last row. */
const isWhole = (rows: HopMatrix['rows'], index: number): boolean =>
  rows.length > 1 && index === rows.length - 1

function asMarkdown({ scenario, matrices, leftOut }: HopsResult): string {
  const cell = (text: string) => text.replaceAll('|', String.raw`\|`)
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`
  return [
    `## ${scenario.name}`,
    '',
    ...(scenario.question === undefined ? [] : [scenario.question, '']),
    ...(leftOut.length > 0 ? [`Not taken into account: ${leftOut.join('; ')}`, ''] : []),
    ...matrices.flatMap(({ title, matrix: { heartbeats, rows }, advice }) => [
      `### ${title}`,
      '',
      line(['', ...heartbeats.map(levelOf)]),
      `|${' --- |'.repeat(heartbeats.length + 1)}`,
      ...rows.map(({ name, cells }, i) =>
        line([name, ...cells.map((one) => linesOf(one, isWhole(rows, i)).join('; '))]),
      ),
      '',
      ...advice.map((sentence) => `- ${sentence}`),
      ...(advice.length > 0 ? [''] : []),
    ]),
  ].join('\n')
}

/** A row for each cell, the numbers raw. */
interface FlatCell {
  scenario: string
  policy: string
  path: string
  heartbeatMs: number | null
  outcome: string
  cuts: number
  firstCutMs: number | null
  cutBy: string | null
  limit: string | null
  streams: number
  blindTimeMs: number
  learnedAtMs: number | null
  timeToLearnMs: number | null
  updatesLost: number
  messagesLost: number
  heartbeats: number
}

const flat = ({ scenario, matrices }: HopsResult): FlatCell[] =>
  matrices.flatMap(({ policy, matrix: { heartbeats, rows } }) =>
    rows.flatMap(({ name, cells }) =>
      cells.map(({ cuts, streams, row }, i): FlatCell => {
        const heartbeat = heartbeats[i] ?? 'none'
        const first = cuts.toSorted((a, b) => a.firstUs - b.firstUs)[0]
        return {
          scenario: scenario.name,
          policy,
          path: name,
          heartbeatMs: heartbeat === 'none' ? null : heartbeat.everyUs / 1000,
          outcome: row.outcome,
          cuts: cuts.reduce((sum, { count }) => sum + count, 0),
          firstCutMs: first === undefined ? null : first.firstUs / 1000,
          cutBy: first?.by ?? null,
          limit: first?.why ?? null,
          streams,
          blindTimeMs: row.blindTimeMs,
          learnedAtMs: row.learnedAtMs,
          timeToLearnMs: row.timeToLearnMs,
          updatesLost: row.updates.lost,
          messagesLost: row.updates.messagesLost,
          heartbeats: row.heartbeats,
        }
      }),
    ),
  )

function asCsv(result: HopsResult): string {
  const field = (value: string | number | null) => {
    const text = value === null ? '' : String(value)
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  }
  const cells = flat(result)
  const keys = Object.keys(cells[0] ?? {}) as (keyof FlatCell)[]
  return [keys, ...cells.map((cell) => keys.map((key) => cell[key]))]
    .map((values) => `${values.map(field).join(',')}\r\n`)
    .join('')
}

/** Stable: fields may be added, none is renamed. */
const asJson = (result: HopsResult): string =>
  `${JSON.stringify(
    {
      format: 'delivery-bench-hops/1',
      scenario: result.scenario.name,
      files: result.scenario.files,
      leftOut: result.leftOut,
      matrices: result.matrices.map(({ title, policy, matrix: { heartbeats, rows }, advice }) => ({
        title,
        policy,
        heartbeats: heartbeats.map((heartbeat) =>
          heartbeat === 'none' ? 'none' : formatDuration(heartbeat.everyUs),
        ),
        rows: rows.map(({ name, cells }) => ({
          path: name,
          cells: cells.map(({ cuts, streams, row }) => ({
            cuts: cuts.map(({ by, why, firstUs, count }) => ({
              by,
              limit: why,
              firstMs: firstUs / 1000,
              count,
            })),
            streams,
            ...row,
          })),
        })),
        advice,
      })),
    },
    undefined,
    2,
  )}\n`
