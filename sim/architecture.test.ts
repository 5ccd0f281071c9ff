/**
 * The house rules that a machine can check: imports point down, a foreign
 * package lives in one folder, time and chance come from the kernel, and light
 * commands load nothing heavy. They read the sources as text.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..')

/** Each folder, and the folders it may import. Everything else points the wrong way. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  'sim/kernel': [],
  'sim/records': [],
  'sim/protocol': [],
  'sim/policies': ['sim/kernel', 'sim/protocol'],
  'sim/scenario': ['sim/kernel', 'sim/protocol', 'sim/policies'],
  'sim/path': ['sim/kernel', 'sim/records', 'sim/policies'],
  'sim/network': ['sim/kernel', 'sim/records', 'sim/policies', 'sim/path'],
  'sim/agent': ['sim/kernel', 'sim/records', 'sim/protocol', 'sim/policies', 'sim/scenario', 'sim/network'],
  'sim/faults': ['sim/kernel', 'sim/records', 'sim/protocol', 'sim/policies', 'sim/scenario', 'sim/path'],
  'sim/mechanisms': ['sim/kernel', 'sim/records', 'sim/protocol', 'sim/policies'],
  'sim/metrics': ['sim/kernel', 'sim/records', 'sim/protocol', 'sim/policies', 'sim/scenario'],
  // Of the mechanisms the models alone: loaded by a light command.
  'sim/hops': [
    'sim/kernel',
    'sim/records',
    'sim/protocol',
    'sim/policies',
    'sim/scenario',
    'sim/mechanisms',
    'sim/metrics',
  ],
  'sim/fleet': [
    'sim/kernel',
    'sim/records',
    'sim/protocol',
    'sim/policies',
    'sim/scenario',
    'sim/path',
    'sim/faults',
    'sim/mechanisms',
    'sim/metrics',
  ],
  'sim/replay': [
    'sim/kernel',
    'sim/records',
    'sim/protocol',
    'sim/policies',
    'sim/scenario',
    'sim/network',
    'sim/faults',
    'sim/agent',
    'sim/mechanisms',
    'sim/metrics',
  ],
  'sim/swarm': [
    'sim/kernel',
    'sim/records',
    'sim/policies',
    'sim/scenario',
    'sim/network',
    'sim/mechanisms',
    'sim/metrics',
    'sim/replay',
  ],
  'sim/serving': ['sim/kernel', 'sim/records', 'sim/protocol', 'sim/scenario', 'sim/network', 'sim/agent'],
  // The light door: what every command may load.
  sim: [
    'sim/kernel',
    'sim/records',
    'sim/protocol',
    'sim/policies',
    'sim/scenario',
    'sim/metrics',
    'sim/hops',
  ],
}

/** All that `bench` may import. */
const DOORS = [
  'sim/index.ts',
  'sim/replay/index.ts',
  'sim/fleet/index.ts',
  'sim/serving/index.ts',
  'sim/swarm/index.ts',
]

/** Foreign packages and Node's network modules: the one folder each may be imported in. */
const LIVES_IN: Record<string, string> = {
  '@sinonjs/fake-timers': 'sim/kernel',
  'node:timers': 'sim/kernel',
  msw: 'sim/network',
  'node:http': 'sim/network',
  'node:https': 'sim/network',
  yaml: 'sim/scenario',
  zod: 'sim/scenario',
  '@a2a-js/sdk': 'sim/mechanisms',
  yargs: 'bench',
  'cli-table3': 'bench',
  flatqueue: 'bench',
  piscina: 'bench',
}

interface Import {
  from: string
  specifier: string
  typeOnly: boolean
  dynamic: boolean
}

const files = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ts|mjs)$/.test(file))
    .map((file) => join(folder, file))
    .toSorted()

const isSource = (file: string) => !/\.(test|suite)\.ts$/.test(file) && !file.startsWith('sim/testing/')
const SOURCES = [...files('sim'), ...files('bench')].filter(isSource)
const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8')

function importsOf(file: string): Import[] {
  const text = textOf(file)
  const statics = [
    ...text.matchAll(/^(?:import|export)\s+(type\s)?(?:[\w*{}\s,]+?\sfrom\s)?['"]([^'"]+)['"]/gm),
  ].map(([, type, specifier = '']) => ({
    from: file,
    specifier,
    typeOnly: type !== undefined,
    dynamic: false,
  }))
  const dynamics = [...text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g)].map(([, specifier = '']) => ({
    from: file,
    specifier,
    typeOnly: false,
    dynamic: true,
  }))
  return [...statics, ...dynamics]
}

const IMPORTS = SOURCES.flatMap(importsOf)
const isOurs = ({ specifier }: Import) => specifier.startsWith('.')
const targetOf = ({ from, specifier }: Import) => relative(ROOT, join(ROOT, dirname(from), specifier))

/** `sim/kernel` for everything below it, `sim` for the doors beside the folders, `bench` for all of bench. */
function folderOf(file: string): string {
  const [top = '', below = '', deeper] = file.split('/')
  return top === 'sim' && deeper !== undefined ? `${top}/${below}` : top
}

test('there is something to check', () => {
  expect(SOURCES.length).toBeGreaterThan(30)
  expect(IMPORTS.filter(isOurs).length).toBeGreaterThan(50)
})

test('every import of ours names a file that exists', () => {
  expect(IMPORTS.filter((entry) => isOurs(entry) && !existsSync(join(ROOT, targetOf(entry))))).toEqual([])
})

test('imports point down', () => {
  const wrong = IMPORTS.filter(isOurs)
    .map((entry) => ({ file: entry.from, from: folderOf(entry.from), target: targetOf(entry) }))
    .filter(({ from, target }) => {
      const to = folderOf(target)
      if (from === to) return false
      if (from === 'bench') return !DOORS.includes(target)
      return !(MAY_IMPORT[from] ?? []).includes(to)
    })
  expect(wrong.map(({ file, target }) => `${file} imports ${target}`)).toEqual([])
})

test('a foreign package is imported in one folder', () => {
  const wrong = IMPORTS.filter((entry) => !isOurs(entry)).filter(({ from, specifier }) => {
    const name = Object.keys(LIVES_IN).find(
      (known) => specifier === known || specifier.startsWith(`${known}/`),
    )
    return name === undefined ? !specifier.startsWith('node:') : folderOf(from) !== LIVES_IN[name]
  })
  // The worker's entry registers the TypeScript loader when it runs from sources.
  const allowed = new Set(['bench/experiment/worker-entry.mjs imports tsx/esm/api'])
  expect(
    wrong.map(({ from, specifier }) => `${from} imports ${specifier}`).filter((line) => !allowed.has(line)),
  ).toEqual([])
})

test('time and chance come from the kernel', () => {
  const banned =
    /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bperformance\.now\b|\bset(?:Timeout|Interval|Immediate)\(|\brandomUUID\b|\bgetRandomValues\b/
  const wrong = SOURCES.filter((file) => file.startsWith('sim/') && !file.startsWith('sim/kernel/')).flatMap(
    (file) =>
      textOf(file)
        .split('\n')
        .map((line, index) => ({ line, at: `${file}:${index + 1}` }))
        .filter(({ line }) => banned.test(line.replace(/\/\/.*$|^\s*\*.*$/, '')))
        .map(({ at, line }) => `${at} ${line.trim()}`),
  )
  expect(wrong).toEqual([])
})

describe('commands load only what they need', () => {
  /** Everything a file loads before it runs: its own imports and theirs. Types load nothing. */
  function loads(entry: string): Set<string> {
    const loaded = new Set<string>()
    const visit = (file: string) => {
      if (loaded.has(file)) return
      loaded.add(file)
      for (const edge of IMPORTS.filter(
        ({ from, typeOnly, dynamic }) => from === file && !typeOnly && !dynamic,
      ))
        if (isOurs(edge)) visit(targetOf(edge))
        else loaded.add(edge.specifier)
    }
    visit(entry)
    return loaded
  }
  const heavy = (entry: string) => [...loads(entry)].filter((name) => /^(msw|@a2a-js\/sdk)/.test(name))

  // What fleet, plan, hops and policies will stand on: the light door and the parts below the engine. And the agent alone.
  test.each([
    'sim/index.ts',
    'sim/serving/index.ts',
    'bench/cli.ts',
    'bench/commands/show.ts',
    'bench/commands/hops.ts',
    'bench/commands/policies.ts',
  ])('%s loads neither msw nor the SDK', (entry) => {
    expect(heavy(entry)).toEqual([])
  })

  test('the engine loads the SDK but never msw', () => {
    expect(heavy('sim/replay/index.ts').filter((name) => name.startsWith('msw'))).toEqual([])
    expect(heavy('sim/replay/index.ts')).not.toEqual([])
  })
})
