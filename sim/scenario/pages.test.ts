/** The pages beside the shipped cases, studies and policies: that they list what is there, and say of it what the files say. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadScenario } from './load.ts'
import { plain } from './node.ts'
import { listPolicies } from './policies/index.ts'
import { ScenarioError } from './problem.ts'
import { readYaml } from './yaml.ts'

const SCENARIOS = join(import.meta.dirname, '../../scenarios')
const pageOf = (folder: string) => readFileSync(join(SCENARIOS, folder, 'README.md'), 'utf8')
const namesIn = (folder: string) =>
  readdirSync(join(SCENARIOS, folder))
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => name.slice(0, -'.yaml'.length))

/** Cells of every row of every table. */
const rowsOf = (page: string): string[][] =>
  page
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.slice(2, -2).split(' | '))

interface Told {
  question: string
  source?: string | string[]
  extends?: string
}

function told(name: string): Told {
  const text = readFileSync(join(SCENARIOS, 'cases', `${name}.yaml`), 'utf8')
  const read = readYaml({ origin: 'file', name, text })
  if ('problems' in read) throw new Error(read.problems[0]?.message)
  return plain(read.node) as Told
}

/** Whether it asks for the engine that plays many tasks. */
function waits(name: string): boolean {
  try {
    return loadScenario(join(SCENARIOS, 'cases', `${name}.yaml`)).scenario.fleet !== undefined
  } catch (error) {
    if (error instanceof ScenarioError && error.message.includes('not of this release')) return true
    throw error
  }
}

describe('cases', () => {
  const rows = rowsOf(pageOf('cases')).slice(1)

  test('every one is listed, once', () => {
    expect(rows.map(([name = '']) => /^\[`(.*)`\]\(\1\.yaml\)/.exec(name)?.[1])).toEqual(namesIn('cases'))
  })

  test.each(namesIn('cases').map((name, index) => [name, rows[index] ?? []] as const))(
    '%s: with its question, an answer, its source, and whether it waits',
    (name, [title = '', question, answer = '', source]) => {
      const its = told(name)
      expect(question).toBe(its.question)
      expect(answer.length).toBeGreaterThan(3)
      expect(source).toBe(
        its.source === undefined
          ? `as \`${its.extends}\``
          : [its.source]
              .flat()
              .join('; ')
              .replaceAll('|', String.raw`\|`),
      )
      expect(title.endsWith('*fleet*')).toBe(waits(name))
    },
  )
})

test('every study is on its page, with the tests among them', () => {
  const page = pageOf('studies')
  for (const name of namesIn('studies')) expect(page).toContain(`\`${name}\``)
  const { studies } = JSON.parse(readFileSync(join(SCENARIOS, 'studies/tests.json'), 'utf8')) as {
    studies: { test: string }[]
  }
  for (const { test: file } of studies) expect(page).toContain(`\`${file}\``)
})

describe('policies', () => {
  const page = pageOf('policies')
  const policies = listPolicies([])

  test('are counted, and every file is named', () => {
    expect(page).toContain(`${policies.length} entries`)
    expect(page).toContain(`the ${policies.filter(({ id }) => id.startsWith('aws/')).length} waiters`)
    for (const name of namesIn('policies')) expect(page).toContain(`\`${name}.yaml\``)
  })

  test('whose behaviour is not determined are listed with what is missing', () => {
    const [, list = ''] = page.split('<!-- undetermined -->')
    const listed = rowsOf(list).slice(1)
    expect(listed.map(([entry = '', missing]) => [/^`(.*)`/.exec(entry)?.[1], missing])).toEqual(
      policies.flatMap(({ id, undetermined }) => (undetermined === undefined ? [] : [[id, undetermined]])),
    )
  })
})
