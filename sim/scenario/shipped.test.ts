/** The scenarios the project ships, their documentation and their JSON Schema. */
import { copyFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { scenarioSchemaText, SCHEMA_FILE } from './json-schema.ts'
import { LATER_PLACES, laterKeys } from './later.ts'
import { loadScenario } from './load.ts'
import { LATER_METRICS } from './metric.ts'
import { plain } from './node.ts'
import type { Content } from './scenario.ts'
import { KNOWN_KEYS } from './known-keys.ts'
import { readYaml } from './yaml.ts'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..')
const SCENARIOS = join(ROOT, 'scenarios')
const shipped = readdirSync(SCENARIOS).filter((name) => name.endsWith('.yaml'))
const readme = readFileSync(join(SCENARIOS, 'README.md'), 'utf8')
const examples = [...readme.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text]) => text as string)

const folder = mkdtempSync(join(tmpdir(), 'examples-'))
afterAll(() => rmSync(folder, { recursive: true }))

function yaml(text: string): unknown {
  const read = readYaml({ origin: 'file', name: 'example.yaml', text })
  if ('problems' in read) throw new Error(read.problems[0]?.message)
  return plain(read.node)
}

/** Many tasks have no timeline to draw. */
const ofOneTask = shipped.filter((name) => loadScenario(join(SCENARIOS, name)).scenario.fleet === undefined)

test.each(shipped)('%s loads without a warning, names its schema and draws its timeline', (name) => {
  const text = readFileSync(join(SCENARIOS, name), 'utf8')
  const [schema, timeline] = text.split('\n')
  expect(loadScenario(join(SCENARIOS, name)).warnings).toEqual([])
  expect(schema).toBe('# yaml-language-server: $schema=./scenario.schema.json')
  if (ofOneTask.includes(name)) expect(timeline).toMatch(/^# tick \d+ s: \S+\| {6}/)
})

/** Each character of the timeline that is no mark is one tick; the end is where the job ends. */
test.each(ofOneTask)('%s: its timeline is as long as its job', (name) => {
  const [, tick, line = ''] =
    /^# tick (\d+) s: (\S+)\|/m.exec(readFileSync(join(SCENARIOS, name), 'utf8')) ?? []
  const ticks = line.replaceAll(/[^-]/g, '').length
  expect(ticks * Number(tick) * 1e6).toBe(loadScenario(join(SCENARIOS, name)).scenario.job.durationUs)
})

/** Octets of a content as it stands in a message, ASCII without characters JSON escapes. */
function octetsOf(content: Content | undefined): number {
  if (content === undefined) return 0
  const text = 'text' in content ? content.text : JSON.stringify('data' in content ? content.data : '')
  if ('text' in content) expect(text).toMatch(/^[ !#-[\]-~]*$/)
  return Buffer.byteLength(text)
}

test('the texts of seed-table.yaml have the widths the published bytes ask for', () => {
  const { job } = loadScenario(join(SCENARIOS, 'seed-table.yaml')).scenario
  const [working, message, ...last] = job.updates
  expect(octetsOf(job.message)).toBe(307)
  expect(octetsOf(working?.change.content)).toBe(0)
  expect(octetsOf(message?.change.content)).toBe(17)
  expect(last.map(({ change }) => octetsOf(change.content)).reduce((sum, octets) => sum + octets)).toBe(76)
  expect(last.every(({ atUs }) => atUs === 100_000_000)).toBe(true)
})

describe('scenarios/README.md', () => {
  test.each(examples.map((text, index) => [index + 1, text] as const))('example %i loads', (index, text) => {
    for (const name of shipped) copyFileSync(join(SCENARIOS, name), join(folder, name))
    cpSync(join(SCENARIOS, 'traces'), join(folder, 'traces'), { recursive: true })
    const file = join(folder, `example-${index}.yaml`)
    writeFileSync(file, text)
    expect(loadScenario(file).warnings).toEqual([])
  })

  test('has examples at all, and a complete one', () => {
    const used = examples.map(yaml).flatMap((example) => Object.keys(example as object))
    expect(new Set(used)).toEqual(new Set([...(KNOWN_KEYS.get('') ?? []), 'x-note']))
  })

  const [now = '', later = ''] = readme.split('## What the format will bring later')

  /** Many places take the same keys, such as those of a distribution. */
  const keyLists = new Map([...KNOWN_KEYS].map(([place, keys]) => [keys.join(), { place, keys }]))

  test.each([...keyLists.values()])('explains every key of "$place"', ({ keys }) => {
    for (const key of keys) expect(now).toMatch(new RegExp(`[\`.{ ,(]${key}[\`. },:=)]`))
  })

  test('lists what is refused by name', () => {
    for (const key of [...LATER_PLACES.flatMap(laterKeys), ...LATER_METRICS])
      expect(later).toContain(`\`${key}`)
  })
})

interface Schema {
  $ref?: string
  $defs?: Record<string, Schema>
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  pattern?: string
  minimum?: number
  minItems?: number
  minLength?: number
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  items?: Schema
  anyOf?: Schema[]
}

const typeOf = (value: unknown): string =>
  value === null
    ? 'null'
    : Array.isArray(value)
      ? 'array'
      : typeof value === 'object'
        ? 'object'
        : typeof value

/** As much of JSON Schema as the file uses. */
function accepts(schema: Schema, value: unknown, root = schema): boolean {
  const below = (inner: Schema, part: unknown) => accepts(inner, part, root)
  if (schema.$ref !== undefined) {
    const meant = root.$defs?.[schema.$ref.replace('#/$defs/', '')]
    if (meant === undefined || !below(meant, value)) return false
  }
  const types = schema.type === undefined ? [] : [schema.type].flat()
  const type = typeOf(value)
  const isOfType = (name: string) => name === type || (name === 'integer' && Number.isInteger(value))
  if (types.length > 0 && !types.some(isOfType)) return false
  if ('const' in schema && schema.const !== value) return false
  if (schema.enum && !schema.enum.includes(value)) return false
  if (schema.anyOf && !schema.anyOf.some((branch) => below(branch, value))) return false
  if (typeof value === 'string') {
    if (schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(value)) return false
    if (value.length < (schema.minLength ?? 0)) return false
  }
  if (typeof value === 'number' && value < (schema.minimum ?? -Infinity)) return false
  if (Array.isArray(value)) {
    return value.length >= (schema.minItems ?? 0) && value.every((item) => below(schema.items ?? {}, item))
  }
  if (type !== 'object') return true
  return Object.entries(value as object).every(([key, inner]) => {
    const pattern = Object.keys(schema.patternProperties ?? {}).find((name) =>
      new RegExp(name, 'u').test(key),
    )
    const known = schema.properties?.[key] ?? (pattern === undefined ? schema.additionalProperties : {})
    return known === undefined || known === true || (known !== false && below(known, inner))
  })
}

describe('the JSON Schema', () => {
  const text = readFileSync(join(ROOT, SCHEMA_FILE), 'utf8')
  const schema = JSON.parse(text) as Schema

  test('is the one the code generates', () => {
    expect(text === scenarioSchemaText(), 'rebuild it with: npm run bench -- reproduce').toBe(true)
  })

  test.each(shipped)('accepts %s', (name) => {
    expect(accepts(schema, yaml(readFileSync(join(SCENARIOS, name), 'utf8')))).toBe(true)
  })

  test.each(examples.map((example, index) => [index + 1, example] as const))(
    'accepts example %i of the README',
    (_index, example) => {
      expect(accepts(schema, yaml(example))).toBe(true)
    },
  )

  test.each([
    'job: 7',
    'job: 7 sec',
    'duraton: 20s',
    'job: { duration: 20s, updates: 0 }',
    'job: { updates: [{ at: 5s, status: done }] }',
    'job: 20s\nmechanisms: [pol:7s]',
    'job: 20s\nmechanisms: [poll:7s,first=after]',
    'job: 20s\nnetwork: { latency: -5ms }',
    'job: 20s\nfleet: { tasks: 0 }',
    'job: 20s\nthresholds: [ timeToLearn ]',
    'job: 20s\nexpect: { push: 3 }',
  ])('refuses %j', (example) => {
    expect(accepts(schema, yaml(example))).toBe(false)
  })
})
