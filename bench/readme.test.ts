/**
 * The README's numbers come from commands. `npm run reproduce` makes the golden
 * tables; this test holds the page against them. `UPDATE_README=1` rewrites the page.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadScenario } from '../sim/index.ts'
import { COLUMNS } from './present/columns.ts'

const ROOT = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** The lines of the table in a golden page. */
const tableOf = (scenario: string) =>
  read(`results/golden/${scenario}/table.md`)
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .join('\n')

const columnsTable = () =>
  ['| column | unit | what it says |', '|---|---|---|']
    .concat(COLUMNS.map(({ title, unit, meaning }) => `| ${title} | ${unit ?? ''} | ${meaning} |`))
    .join('\n')

const between = (page: string, mark: string, text: string) =>
  page.replace(
    new RegExp(`(<!-- ${mark} -->\n)[^]*?(<!-- /${mark.split(':')[0]} -->)`),
    (_, open: string, close: string) => `${open}\n${text}\n\n${close}`,
  )

function rebuilt(page: string): string {
  const withTables = ['seed-table', 'thorough-search'].reduce(
    (text, scenario) => between(text, `golden: ${scenario}`, tableOf(scenario)),
    page,
  )
  return between(withTables, 'columns', columnsTable())
}

test('the tables on the page are the golden ones, and each column is explained', () => {
  const page = read('README.md')
  if (process.env['UPDATE_README'] !== undefined) writeFileSync(join(ROOT, 'README.md'), rebuilt(page))
  expect(read('README.md')).toBe(rebuilt(page))
  expect(page).toContain('| poll every 7 s | 17 |')
})

test('the scenario of four lines is one', () => {
  const [, yaml = ''] = /```yaml\n([^]*?)```/.exec(read('README.md')) ?? []
  const folder = mkdtempSync(join(tmpdir(), 'readme-'))
  try {
    writeFileSync(join(folder, 'mine.yaml'), yaml)
    expect(loadScenario(join(folder, 'mine.yaml')).scenario.job.durationUs).toBe(180_000_000)
    expect(yaml.trim().split('\n')).toHaveLength(4)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
