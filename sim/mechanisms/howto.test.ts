/**
 * Does what HOWTO.md says, block by block, in a copy of the sources. The copy's
 * own contract suite runs here, as part of this file.
 */
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import type * as Light from '../index.ts'
import type * as Heavy from '../replay/index.ts'
import { loadScenario } from '../scenario/index.ts'

const ROOT = join(import.meta.dirname, '../..')
const page = readFileSync(join(import.meta.dirname, 'HOWTO.md'), 'utf8')
const [aPolicy = '', aMechanism = ''] = page.split('\n## A mechanism\n')

/** Fenced blocks: what stands behind the language, and the text. */
const blocksOf = (text: string, language: string) =>
  [...text.matchAll(/^```(\w+) ?(.*)\n([^]*?)^```$/gm)]
    .filter(([, its]) => its === language)
    .map(([, , file = '', content = '']) => ({ file, content }))

const copy = mkdtempSync(join(tmpdir(), 'howto-'))
afterAll(() => rmSync(copy, { recursive: true }))

const isNeeded = (path: string) => !path.endsWith('.test.ts')
cpSync(join(ROOT, 'sim'), join(copy, 'sim'), { recursive: true, filter: isNeeded })
cpSync(join(ROOT, 'scenarios/policies'), join(copy, 'scenarios/policies'), { recursive: true })
for (const name of ['package.json', 'tsconfig.json']) cpSync(join(ROOT, name), join(copy, name))
symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))

function write(file: string, text: string): string {
  const path = join(copy, file)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

/** Lines that begin with a space or `-` must stand in the file, together and once; those with ` ` or `+` take their place. */
function apply({ file, content }: { file: string; content: string }): void {
  let text = readFileSync(join(copy, file), 'utf8')
  for (const hunk of content.split(/^@@\n/m)) {
    const linesWith = (marks: string) =>
      (hunk.match(/^.+\n/gm) ?? []).filter(([mark = '']) => marks.includes(mark)).map((line) => line.slice(1))
    const before = `\n${linesWith(' -').join('')}`
    if (text.split(before).length !== 2)
      throw new Error(`HOWTO.md changes lines that ${file} has not:${before}`)
    text = text.replace(before, () => `\n${linesWith(' +').join('')}`)
  }
  write(file, text)
}

for (const { file, content } of blocksOf(aMechanism, 'ts')) write(file, content)
blocksOf(aMechanism, 'diff').forEach(apply)

test('a policy is a YAML file: the scenario beside it finds it', async () => {
  const [policies, scenario] = blocksOf(aPolicy, 'yaml')
  write('own/policies/ours.yaml', policies?.content ?? '')
  const loaded = loadScenario(write('own/mine.yaml', scenario?.content ?? ''))
  expect(loaded.policies).toMatchObject([{ id: 'our-client', source: 'orders/src/wait.ts:31' }])
  await expectAsWritten(loaded, await import('../replay/index.ts'), await import('../index.ts'))
})

test('a mechanism is a folder and a line in each registry: the scenario that shows it holds', async () => {
  const [scenario] = blocksOf(aMechanism, 'yaml')
  const light = (await import(join(copy, 'sim/index.ts'))) as typeof Light
  const heavy = (await import(join(copy, 'sim/replay/index.ts'))) as typeof Heavy
  const loaded = light.loadScenario(write('own/look.yaml', scenario?.content ?? ''))
  expect(loaded.scenario.mechanisms.map(({ policy }) => light.titleOf(policy))).toEqual([
    'look after 1 min 30 s',
    'look after 1 min 30 s then poll every 7 s',
  ])
  await expectAsWritten(loaded, heavy, light)
})

async function expectAsWritten(
  { scenario }: ReturnType<typeof loadScenario>,
  { replay }: typeof Heavy,
  { assessExpectations, eventsOf }: typeof Light,
): Promise<void> {
  const results = []
  for (const entry of scenario.mechanisms) {
    const { row, records } = await replay(scenario, entry)
    results.push({ row, events: eventsOf(records) })
  }
  expect(scenario.expectations.length).toBeGreaterThan(1)
  expect(assessExpectations(scenario.expectations, results)).toEqual([])
}

test('the compiler agrees, and asks for nothing that the page leaves out', async () => {
  const include = ['sim/index.ts', 'sim/replay/index.ts', 'sim/swarm/index.ts', 'sim/mechanisms/look']
  write('tsconfig.howto.json', JSON.stringify({ extends: './tsconfig.json', include }))
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  const run = promisify(execFile)(process.execPath, [tsc, '-p', 'tsconfig.howto.json'], { cwd: copy })
  expect(await run.catch(({ stdout }: { stdout: string }) => ({ stdout }))).toMatchObject({ stdout: '' })
})

// The contract suite of the copy, called by the test file that the page writes.
await import(join(copy, 'sim/mechanisms/look/look.test.ts'))
