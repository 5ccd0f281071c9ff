import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { MechanismEntry, Scenario } from '../sim/index.ts'
import { main } from './main.ts'
import { aRow } from './present/results.suite.ts'

/** Every mechanism learns 5 s late, but `push`, which breaks. The command line is tested here, not the engine. */
vi.mock('../sim/replay/index.ts', () => ({
  replay: (_scenario: Scenario, { word }: MechanismEntry) =>
    word === 'push'
      ? Promise.reject(new Error('the wheel came off'))
      : Promise.resolve({
          row: aRow({ mechanism: `the ${word}`, policy: word, timeToLearnMs: 5_000 }),
          records: [],
          endUs: 0,
        }),
}))

let folder = ''
const path = (name: string) => join(folder, name)

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bench-'))
  writeFileSync(path('mine.yaml'), 'name: mine\njob: 20s\nmechanisms: [poll:5s, stream]\n')
  writeFileSync(
    path('expects.yaml'),
    'job: 20s\nmechanisms: [stream]\nexpect:\n  stream: { timeToLearn: 0s }\n',
  )
  writeFileSync(path('wrong.yaml'), 'jobb: 20s\n')
  writeFileSync(path('fleet.yaml'), 'job: 20s\nfleet: { tasks: 9, window: 1h }\n')
})
afterAll(() => rmSync(folder, { recursive: true }))
beforeEach(() => {
  vi.unstubAllEnvs()
  vi.stubEnv('DEBUG', '')
})

/** One command line: how it ended and what it said where. */
async function run(...argv: string[]) {
  const out: string[] = []
  const err: string[] = []
  const code = await main(argv, {
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => err.push(text) },
  })
  return { code, out: out.join(''), err: err.join('') }
}

describe('run', () => {
  test('prints the comparison on stdout and nothing else anywhere', async () => {
    const { code, out, err } = await run('run', path('mine.yaml'))
    expect(code).toBe(0)
    expect(out).toMatch(/^mine\nfile /)
    expect(out).toMatch(/^the poll:5s +1 /m)
    expect(out).toMatch(/^the stream +1 /m)
    expect(err).toBe('')
  })

  test('is the default, and shows the shipped scenarios if none is named', async () => {
    const named = await run('run', path('mine.yaml'), '--format', 'csv')
    expect(await run(path('mine.yaml'), '--format', 'csv')).toEqual(named)
    const { scenarios, command } = JSON.parse((await run('-m', 'stream', '--format', 'json', '--quiet')).out)
    expect(scenarios.map(({ file }: { file: string }) => file)).toEqual([
      'scenarios/seed-table.yaml',
      'scenarios/thorough-search.yaml',
    ])
    expect(command).toEqual(['run', '-m', 'stream'])
  })

  test('takes several scenarios, replaces mechanisms, and says what it changed', async () => {
    const argv = [path('mine.yaml'), path('expects.yaml'), '-m', 'poll:1s', '--set', 'job=30s', '--seed', '7']
    const { out } = await run(...argv, '-m', 'stream', '--binding', 'JSONRPC', '--format', 'json', '--quiet')
    const { scenarios, command } = JSON.parse(out)
    expect(scenarios).toMatchObject(
      ['mine', 'expects'].map((name) => ({
        name,
        seed: 7,
        rows: [{ policy: 'poll:1s' }, { policy: 'stream' }],
      })),
    )
    expect(command.slice(3)).toEqual([
      '-m',
      'poll:1s',
      '-m',
      'stream',
      '--set',
      'job=30s',
      '--binding',
      'JSONRPC',
      '--seed',
      '7',
    ])
  })

  test('a mechanism may follow its letter at once, and replications are counted out', async () => {
    const apart = await run(path('mine.yaml'), '-m', 'poll:7s', '--format', 'csv')
    expect(await run(path('mine.yaml'), '-mpoll:7s', '--format', 'csv')).toEqual(apart)
    const many = await run(
      path('mine.yaml'),
      '-mstream',
      '--replications',
      '3',
      '--format',
      'json',
      '--quiet',
    )
    const { command, scenarios } = JSON.parse(many.out)
    expect(command.slice(2)).toEqual(['-m', 'stream', '--replications', '3'])
    expect(scenarios[0].rows).toMatchObject([{ runs: { count: 3 }, timeToLearnMs: { mean: 5_000, n: 3 } }])
  })

  test('the result does not depend on how it is shown', async () => {
    const plain = await run(path('mine.yaml'), '--format', 'json')
    const written = await run(
      path('mine.yaml'),
      '--out',
      path('a.json'),
      '--out',
      path('a.md'),
      '--out',
      path('a.txt'),
    )
    expect(written.out).toMatch(/^mine\n/)
    expect(written.err).toBe(`wrote ${path('a.json')}\nwrote ${path('a.md')}\nwrote ${path('a.txt')}\n`)
    expect(readFileSync(path('a.json'), 'utf8')).toBe(plain.out)
    expect(readFileSync(path('a.md'), 'utf8')).toMatch(/^## mine\n/)
    expect(readFileSync(path('a.txt'), 'utf8')).toBe(written.out)
    expect((await run(path('mine.yaml'), '--out', path('a.csv'), '--quiet')).err).toBe('')
  })

  test('a missed threshold is 99 and told on stderr, the table stays whole', async () => {
    const met = await run(path('mine.yaml'), '--threshold', 'timeToLearn <= 5s')
    expect(met).toMatchObject({ code: 0, err: '' })
    const missed = await run(path('mine.yaml'), '--threshold', 'timeToLearn <= 4s', '--quiet')
    expect(missed.code).toBe(99)
    expect(missed.out).toBe(met.out)
    expect(missed.err).toMatch(
      /^missed: mine: the poll:5s .*timeToLearn is 5 s, wanted at most 4 s.*\nmissed: mine: the stream .*\n$/,
    )
  })

  test('a missed expectation is 99, unless the command line changed the scenario', async () => {
    const missed = await run(path('expects.yaml'))
    expect(missed.code).toBe(99)
    expect(missed.err).toMatch(/^missed: .*expects\.yaml:4:13: .*timeToLearn is 5 s, wanted 0 s.*\n$/)
    for (const change of ['--set job=30s', '-m stream', '--binding JSONRPC']) {
      const changed = await run(path('expects.yaml'), ...change.split(' '))
      expect(changed.err).toMatch(/^expects: .*not checked.*\n$/)
      expect(changed.code).toBe(0)
    }
    expect((await run(path('expects.yaml'), '--seed', '7')).code).toBe(99)
  })
})

test('a file that cannot be written is 2, and costs no result', async () => {
  const { code, out, err } = await run(path('mine.yaml'), '--out', path('no/such/a.json'))
  expect(err).toMatch(/cannot write .*a\.json/)
  expect(out).toContain('the poll:5s')
  expect(code).toBe(2)
})

describe('the other commands', () => {
  test('timeline draws each mechanism', async () => {
    const { code, out, err } = await run('timeline', path('mine.yaml'), '--out', path('t.txt'))
    expect(code).toBe(0)
    expect(out).toMatch(/^mine: the poll:5s \(poll:5s\)\n[^]*\n\nmine: the stream \(stream\)\n/)
    expect(readFileSync(path('t.txt'), 'utf8')).toBe(out)
    expect(err).toBe(`wrote ${path('t.txt')}\n`)
  })

  test('show says where each value came from', async () => {
    const { code, out } = await run('show', path('mine.yaml'), '--set', 'seed=5')
    expect(code).toBe(0)
    expect(out).toMatch(/^job.duration: 20s +# .*mine\.yaml:2$/m)
    expect(out).toMatch(/^agent\.binding: HTTP\+JSON +# default$/m)
    expect(out).toMatch(/^seed: 5 +# --set$/m)
  })

  test('help and version', async () => {
    const help = await run('--help')
    expect(help).toMatchObject({ code: 0, err: '' })
    for (const command of ['run', 'timeline', 'show', 'reproduce'])
      expect(help.out).toContain(`\n  delivery-bench ${command}`)
    expect((await run('timeline', '--help')).out).toContain(
      'delivery-bench timeline scenarios/seed-table.yaml -m poll:7s',
    )
    expect((await run('--version')).out).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})

describe('a wrong command line or scenario is 2, with one message and no result', () => {
  test.each([
    [
      'a scenario with an unknown key',
      () => [path('wrong.yaml')],
      /wrong\.yaml:1:1: .*jobb.*did you mean job\?/,
    ],
    ['a missing file', () => [path('missing.yaml')], /missing\.yaml/],
    ['a word that is no mechanism', () => [path('mine.yaml'), '-m', 'pol:5s'], /did you mean poll\?/],
    [
      'a threshold that is none',
      () => [path('mine.yaml'), '--threshold', 'timeToLern <= 5s'],
      /did you mean timeToLearn\?/,
    ],
    ...['timeline', 'hops', 'serve'].map((command): [string, () => string[], RegExp] => [
      `${command} of a fleet`,
      () => [command, path('fleet.yaml')],
      /^delivery-bench: a fleet is played by the fleet engine: delivery-bench fleet \S+fleet\.yaml\n$/,
    ]),
    ['an unknown command', () => ['timelin', 'x'], /there is no command timelin: did you mean timeline\?/],
    [
      'a command of a later release',
      () => ['sweep', 'x.yaml', '--clients', '3'],
      /^delivery-bench: the command sweep is not part of this release\n$/,
    ],
    [
      'an unknown option',
      () => [path('mine.yaml'), '--formt', 'json'],
      /there is no option --formt: did you mean --format\?/,
    ],
    ['an unknown short option', () => [path('mine.yaml'), '-x'], /there is no option -x\n/],
    [
      'an option of another command',
      () => ['show', path('mine.yaml'), '--workers', '2'],
      /show has no option --workers/,
    ],
    [
      'an option of a later release',
      () => [path('mine.yaml'), '--baseline', 'a.json'],
      /^delivery-bench: --baseline is not part of this release\n$/,
    ],
    [
      'a format of a later release',
      () => [path('mine.yaml'), '--format', 'html'],
      /the format html is not part of this release/,
    ],
    [
      'a file of a later release',
      () => [path('mine.yaml'), '--out', 'a.html'],
      /the format html is not part of this release/,
    ],
    [
      'an unknown format',
      () => [path('mine.yaml'), '--format', 'xml'],
      /there is no format xml: choose table, markdown, csv, json/,
    ],
    ['a file without a format', () => [path('mine.yaml'), '--out', 'result'], /\.txt, \.md, \.csv or \.json/],
    ['an option without its value', () => [path('mine.yaml'), '-m'], /-m needs a value/],
    ['an empty value', () => [path('mine.yaml'), '--seed='], /--seed needs a value/],
    [
      'a seed that is no number',
      () => [path('mine.yaml'), '--seed', '1.5'],
      /--seed 1\.5 is not a whole number/,
    ],
    [
      'no workers',
      () => [path('mine.yaml'), '--workers', '0'],
      /--workers 0 is not a whole number from 1 on/,
    ],
    [
      'an option given twice',
      () => [path('mine.yaml'), '--seed', '1', '--seed', '2'],
      /--seed is there twice: 1, 2/,
    ],
    ['a timeline without a scenario', () => ['timeline'], /which scenario\?/],
    [
      'a timeline of two',
      () => ['timeline', path('mine.yaml'), 'b.yaml'],
      /timeline takes one scenario, not also b\.yaml/,
    ],
    ['a timeline as JSON', () => ['timeline', path('mine.yaml'), '--out', 'a.json'], /a timeline is text/],
    ['no replications', () => [path('mine.yaml'), '--replications', '0'], /--replications 0 is not a whole/],
    [
      'studies as a table of a spreadsheet',
      () => ['reproduce', '--studies', '--format', 'csv'],
      /table or json/,
    ],
    [
      'a format of goldens',
      () => ['reproduce', '--format', 'json'],
      /--format goes with reproduce --studies/,
    ],
    ['one study by name', () => ['reproduce', '--studies', 'x.yaml'], /--studies takes no scenario/],
    ['a scenario to reproduce', () => ['reproduce', path('mine.yaml')], /reproduce takes no scenario/],
  ])('%s', async (_, argv, message) => {
    const { code, out, err } = await run(...argv())
    expect(err).toMatch(message)
    expect(out).toBe('')
    expect(code).toBe(2)
  })
})

describe('a fault of ours is 1', () => {
  test('and says so, with the stack only for who asks for it', async () => {
    const broken = await run(path('mine.yaml'), '-m', 'push')
    expect(broken).toMatchObject({ code: 1, out: '' })
    expect(broken.err).toBe(
      'delivery-bench: this is a bug of delivery-bench: the wheel came off\nSet DEBUG=1 to see where it happened.\n',
    )
    vi.stubEnv('DEBUG', '1')
    expect((await run(path('mine.yaml'), '-m', 'push')).err).toMatch(/the wheel came off\n.*\n +at /)
  })
})
