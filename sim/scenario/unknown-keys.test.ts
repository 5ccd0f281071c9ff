/** Every key of every scenario of the project, renamed one at a time: all are refused at their place. */
import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createFiles } from './files.suite.ts'
import type { Node, Path } from './node.ts'
import { lineAndColumn, type Place } from './place.ts'
import { readYaml } from './yaml.ts'

const files = createFiles()

const SCENARIOS = join(dirname(fileURLToPath(import.meta.url)), '../../scenarios')

const examples = [
  ...readFileSync(join(SCENARIOS, 'README.md'), 'utf8').matchAll(/^```yaml\n(.*?)^```$/gms),
].map(([, text], index) => [`example ${index + 1}`, text as string] as const)
const cases = readdirSync(join(SCENARIOS, 'cases'))
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => [name, readFileSync(join(SCENARIOS, 'cases', name), 'utf8')] as const)

/** Names that are the author's own: rows, the metrics of rows have a message of their own, JSON, notes. */
const isOwn = (path: Path): boolean =>
  String(path[0]).startsWith('x-') ||
  path.slice(0, -1).includes('data') ||
  (['expect', 'claims'].includes(String(path[0])) &&
    (path.at(-2) === 'rows' || (path.length === 2 && typeof path[1] === 'string')))

function* keysOf(node: Node, path: Path = []): Iterable<{ path: Path; keyAt: Place }> {
  if (node.of === 'list')
    for (const [index, item] of node.items.entries()) yield* keysOf(item, [...path, index])
  if (node.of !== 'map') return
  for (const [key, { keyAt, node: inner }] of node.entries) {
    const here = [...path, key]
    if (!isOwn(here)) yield { path: here, keyAt }
    yield* keysOf(inner, here)
  }
}

test.each([...examples, ...cases])('%s', (_name, text) => {
  // What other files bring is not looked at here.
  if (/^extends:/m.test(text) || files.complaint(text) !== 'fine') return
  const read = readYaml({ origin: 'file', name: 'mine.yaml', text })
  if ('problems' in read) throw new Error('not YAML')
  for (const { path, keyAt } of keysOf(read.node)) {
    const renamed = `${text.slice(0, keyAt.start)}q${text.slice(keyAt.start)}`
    const { line, column } = lineAndColumn(keyAt)
    const said = files
      .complaint(renamed)
      .split('\n')
      .filter((one) => one.startsWith('mine.yaml'))
    // An address is marked at the step that leads nowhere.
    const place = path.at(-2) === 'given' ? `${line}:\\d+` : `${line}:${column}`
    const refusal = '(?:unknown key|there is no|"q\\w+" is no aggregate|.* belongs inside)'
    expect(said.join('\n'), path.join('.')).toMatch(new RegExp(`^mine\\.yaml:${place}: ${refusal}`, 'm'))
  }
})
