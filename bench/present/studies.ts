/** What became of the shipped cases and studies. */
import { nameInResults } from '../assets.ts'
import type { Study, StudyValue } from '../experiment/studies.ts'
import { counted } from './numbers.ts'
import { textWidth } from './wrap.ts'

/** A study that is no scenario but a test of its own. */
export interface TestedStudy {
  id: string
  question: string
  source: string
  /** The file of the test. */
  test: string
}

/** A scenario that asks for what a later release brings. */
export interface Deferred {
  file: string
  reason: string
}

export interface StudyReport {
  studies: readonly Study[]
  tested: readonly TestedStudy[]
  deferred: readonly Deferred[]
}

const INDENT = '  '

/** One block for each study: its verdict, and every value claimed or expected, and obtained. */
export function studiesAsText({ studies, tested, deferred }: StudyReport): string {
  const rows = studies.flatMap(({ values }) => values.map(cellsOf))
  const widths = [0, 1, 2].map((i) => Math.max(0, ...rows.map((cells) => textWidth(cells[i] ?? ''))))
  const line = (cells: readonly string[]): string =>
    `${INDENT}${cells.map((text, i) => text.padEnd(widths[i] ?? 0)).join(INDENT)}`.trimEnd()
  const count = (verdict: Study['verdict']) => studies.filter((study) => study.verdict === verdict).length
  return [
    ...studies.flatMap(({ loaded, verdict, values }) => [
      `${loaded.scenario.name}: ${verdict}`,
      ...values.map((value) => line(cellsOf(value))),
      '',
    ]),
    ...tested.map(({ id, test }) => `${id}: a test of its own, ${test}`),
    ...(tested.length > 0 ? [''] : []),
    ...deferred.map(({ file, reason }) => `${idOf(file)}: not run, ${reason}`),
    ...(deferred.length > 0 ? [''] : []),
    [
      `${counted(count('reproduced'), 'scenario')} reproduced`,
      `${count('contradicts its own inputs')} whose claim contradicts its own inputs`,
      `${count('missed')} missed`,
      `${tested.length} held by tests`,
      `${deferred.length} for a later release`,
    ].join(', '),
    '',
  ].join('\n')
}

/** Row, metric, what is claimed or expected, what was obtained. */
const cellsOf = ({ given, row, metric, said, wanted, obtained, holds }: StudyValue): string[] => [
  given === undefined ? row : `${row}, given ${given}`,
  metric,
  `${said} ${wanted}`,
  `obtained ${obtained ?? 'nothing'}${holds ? '' : '  ✗'}`,
]

const idOf = (file: string): string => file.replace(/^.*\//, '').replace(/\.yaml$/, '')

/** What we expect ourselves is not called claimed: it is there only where no study claims anything. */
export function studiesAsJson({ studies, tested, deferred }: StudyReport): string {
  const all = [
    ...studies.map(({ loaded, verdict, values }) => ({
      id: loaded.scenario.name,
      file: nameInResults(loaded.scenario.files[0].file),
      ...(loaded.scenario.sources.length > 0 && { source: loaded.scenario.sources.join('; ') }),
      claimed: byRow(valuesSaid(values, 'claimed'), ({ wanted }) => wanted),
      ...(valuesSaid(values, 'expected').length > 0 && {
        expected: byRow(valuesSaid(values, 'expected'), ({ wanted }) => wanted),
      }),
      obtained: byRow(values, ({ obtained }) => obtained ?? null),
      verdict,
    })),
    ...tested.map(({ id, source, test }) => ({
      id,
      file: test,
      source,
      claimed: {},
      obtained: {},
      verdict: 'test',
    })),
    ...deferred.map(({ file, reason }) => ({
      id: idOf(file),
      file,
      claimed: {},
      obtained: {},
      verdict: 'later',
      reason,
    })),
  ]
  return `${JSON.stringify({ format: 'delivery-bench-studies/1', studies: all }, null, 2)}\n`
}

const valuesSaid = (values: readonly StudyValue[], as: StudyValue['said']): StudyValue[] =>
  values.filter(({ said }) => said === as)

/** `{ "poll:7s": { "requests": "17" } }`; rows of a variant are named with what is given. */
function byRow(
  values: readonly StudyValue[],
  valueOf: (value: StudyValue) => string | null,
): Record<string, Record<string, string | null>> {
  const rows: Record<string, Record<string, string | null>> = {}
  for (const value of values) {
    const row = value.given === undefined ? value.row : `${value.row} given ${value.given}`
    rows[row] = { ...rows[row], [value.metric]: valueOf(value) }
  }
  return rows
}
