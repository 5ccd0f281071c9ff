/** What the README shows runs. Its tables are compared with the goldens, by golden.test.ts. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadScenario } from '../sim/index.ts'
import { rebuiltReadme } from './commands/readme.ts'
import { main } from './main.ts'
import { COLUMNS } from './present/columns.ts'

const README = readFileSync(join(import.meta.dirname, '..', 'README.md'), 'utf8')

test('both tables and every column are on the page', () => {
  expect(README.match(/^\| poll every 7 s \|/gm)).toHaveLength(2)
  for (const { title, meaning } of COLUMNS) {
    expect(README).toContain(`| ${title} |`)
    expect(README).toContain(meaning)
  }
})

test('a changed table changes the page, and the rest stays', () => {
  const changed = rebuiltReadme(README, (scenario) => `before\n| ${scenario} |\nafter`)
  expect(changed).toContain('<!-- table: seed-table -->\n\n| seed-table |\n\n<!-- end -->')
  expect(changed).not.toContain('| poll every 7 s |')
  expect(changed.replaceAll(/^\|.*\n/gm, '')).toBe(README.replaceAll(/^\|.*\n/gm, ''))
})

test('the two lines for a fresh machine are there', () => {
  expect(README).toContain('\nnpm ci && npm run bench\n')
  expect(README).toContain('\nnpm ci && npm test\n')
})

test('the scenario of four lines is one', () => {
  const [, yaml = ''] = /```yaml\n([^]*?)```/.exec(README) ?? []
  const folder = mkdtempSync(join(tmpdir(), 'readme-'))
  try {
    writeFileSync(join(folder, 'mine.yaml'), yaml)
    expect(loadScenario(join(folder, 'mine.yaml')).scenario.job.durationUs).toBe(180_000_000)
    expect(yaml.trim().split('\n')).toHaveLength(4)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

describe('what commands print', () => {
  const shown = [...README.matchAll(/^```console\n\$ npm run bench -- (.*)\n([^]*?)^```$/gm)]

  test('is shown of several', () => {
    expect(shown.map(([, line = '']) => line.replace(/ .*/, ''))).toEqual([
      'scenarios/seed-table.yaml',
      'hops',
      'scenarios/cases/receiver-down-at-completion.yaml',
      'policies',
      'swarm',
    ])
  })

  /** A line of a single `…` stands for what was left out; all else is to the letter, in this order. */
  test.each(shown.map(([, line = '', output = '']) => [line, output] as const))(
    '%s',
    async (line, output) => {
      const printed: string[] = []
      const terminal = {
        stdout: { write: (text: string) => printed.push(text) },
        stderr: { write: () => {} },
      }
      expect(await main(line.split(' '), terminal)).toBe(0)
      let rest = printed.join('')
      const pieces = output.split(/^…\n/m)
      expect(pieces.filter((piece) => piece !== '').length).toBeGreaterThan(0)
      for (const piece of pieces) {
        expect(rest).toContain(piece)
        rest = rest.slice(rest.indexOf(piece) + piece.length)
      }
      if (pieces.at(-1) !== '') expect(rest).toBe('')
    },
  )
})
