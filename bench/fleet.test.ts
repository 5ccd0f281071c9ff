/** The commands fleet and merge, over an engine that plays nothing. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { fakeEngine } from './experiment/fake-fleet.suite.ts'
import { main } from './main.ts'

/** What happens when a part is played: time passes, somebody presses Ctrl-C. */
const onPart = vi.fn<() => void>()
vi.mock('../sim/fleet/index.ts', async () => {
  const { fakeEngine: engine } = await import('./experiment/fake-fleet.suite.ts')
  const runPart: typeof engine.runPart = (...args) => {
    onPart()
    return engine.runPart(...args)
  }
  return { ...engine, runPart }
})

let folder = ''
const path = (name: string) => join(folder, name)
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fleet-'))
  writeFileSync(
    path('fleet.yaml'),
    `name: mine
question: Who asks least?
job: 20s
fleet: { tasks: 1000, window: 1h }
mechanisms: [poll:5s, stream]
thresholds: [tasks >= 640]
expect:
  - rows: { poll:5s: { tasks: 640, outcome: learned } }
  - given: { job: 30s }
    rows: { poll:5s: { tasks: 640 } }
`,
  )
  writeFileSync(
    path('other.yaml'),
    'name: other\njob: 20s\nfleet: { tasks: 10, window: 1h }\nmechanisms: [poll:5s]\n',
  )
  writeFileSync(path('one.yaml'), 'job: 20s\nmechanisms: [poll:5s]\n')
})
afterAll(() => rmSync(folder, { recursive: true }))

async function run(...argv: string[]) {
  const out: string[] = []
  const err: string[] = []
  const code = await main(argv, {
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => err.push(text) },
  })
  return { code, out: out.join(''), err: err.join('') }
}
const file = () => path('fleet.yaml')

describe('fleet', () => {
  test('prints a table, and nothing else anywhere', async () => {
    const { code, out, err } = await run('fleet', file())
    expect(err).toBe('')
    expect(out).toMatch(/^mine: Who asks least\?\nfile /)
    expect(out).toMatch(/^the poll:5s +640 +0 /m)
    expect(code).toBe(0)
  })

  test('run goes the same way with a fleet, beside what it replays itself', async () => {
    const json = async (...argv: string[]) => JSON.parse((await run(...argv, '--format', 'json')).out)
    const fleet = await json('fleet', file())
    expect(fleet).toMatchObject({
      command: ['fleet', file()],
      scenarios: [
        { name: 'mine', engine: 'fleet', rows: [{ policy: 'poll:5s', tasks: 640 }, { policy: 'stream' }] },
      ],
    })
    expect(await json('run', file())).toEqual({ ...fleet, command: ['run', file()] })
    const both = await json(file(), path('one.yaml'), path('other.yaml'))
    expect(both.scenarios).toMatchObject([
      { name: 'mine', engine: 'fleet' },
      { engine: 'replay', rows: [{ requests: 6 }] },
      { name: 'other', engine: 'fleet' },
    ])
  })

  test('takes the changes every scenario takes, and a width of bins', async () => {
    const changes = ['-m', 'poll:7s', '--seed', '7', '--replications', '2', '--bin', '1m']
    const { out, err } = await run('fleet', file(), ...changes, '--format', 'json', '--series')
    const { command, scenarios } = JSON.parse(out)
    expect(command.slice(2)).toEqual([
      '-m',
      'poll:7s',
      '--set',
      'fleet.bin=1m',
      '--seed',
      '7',
      '--replications',
      '2',
    ])
    expect(scenarios[0].rows).toMatchObject([
      {
        policy: 'poll:7s',
        replications: 2,
        tasks: 1_280,
        binMs: 60_000,
        load: { series: [349_440, 349_441] },
      },
    ])
    expect(err).toContain('what the file expects is not checked, because ')
  })

  test('a missed threshold is 99 and says what was missed', async () => {
    const { code, err } = await run('fleet', file(), '--threshold', 'p95(timeToLearn) <= 1s')
    expect(err).toMatch(
      /^missed: mine: the poll:5s \(poll:5s\): p95\(timeToLearn\) is 2 s, wanted at most 1 s: 1 s too late\n/,
    )
    expect(code).toBe(99)
  })

  test('without a fleet it says which line to add', async () => {
    expect(await run('fleet', path('one.yaml'))).toEqual({
      code: 2,
      out: '',
      err: `delivery-bench: ${path('one.yaml')} is about one task, which run replays; for many add a line such as\n  fleet: { tasks: 1000, window: 1h }\n`,
    })
  })

  test('who waits longer than a second is told how far it is, unless that is unwanted', async () => {
    let now = 0
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
    onPart.mockImplementation(() => {
      now += 600
    })
    const { err } = await run('fleet', file())
    const quiet = await run('fleet', file(), '--quiet')
    now = 0
    onPart.mockImplementation(() => {})
    const quick = await run('fleet', file())
    clock.mockRestore()
    // 129 parts in lots of 32, the undivided stream by itself: a second is over after the second lot and the fourth.
    expect(err).toBe('64 of 129 parts\n97 of 129 parts\n')
    expect(quiet.err).toBe('')
    expect(quick.err).toBe('')
  })

  test('Ctrl-C ends it with one line, and leaves no file', async () => {
    onPart.mockImplementationOnce(() => process.emit('SIGINT'))
    const listeners = process.listenerCount('SIGINT')
    const ended = await run('fleet', file(), '--out', path('never.json'))
    expect(ended).toEqual({ code: 130, out: '', err: 'delivery-bench: interrupted, nothing was written\n' })
    expect(existsSync(path('never.json'))).toBe(false)
    expect(process.listenerCount('SIGINT')).toBe(listeners)
  })
})

describe('shards', () => {
  const shard = (i: number, n: number, name: string, ...more: string[]) =>
    run('fleet', file(), '--shard', `${i}/${n}`, '--out', path(name), '--quiet', ...more)
  const edited = (from: string, to: string, edit: (text: string) => string) =>
    writeFileSync(path(to), edit(readFileSync(path(from), 'utf8')))
  const wrong = async (...names: string[]) => {
    const { code, out, err } = await run('merge', ...names.map(path))
    expect({ code, out }).toEqual({ code: 2, out: '' })
    return err.replace('delivery-bench: ', '').replaceAll(`${folder}/`, '')
  }

  beforeAll(async () => {
    for (const i of [1, 2, 3]) expect(await shard(i, 3, `${i}.json`)).toEqual({ code: 0, out: '', err: '' })
  })

  test.each(['table', 'markdown', 'csv', 'json'])(
    'merged, in any order, they are the undivided %s',
    async (format) => {
      const whole = await run('fleet', file(), '--format', format, '--series')
      const merged = await run(
        'merge',
        path('3.json'),
        path('1.json'),
        path('2.json'),
        '--format',
        format,
        '--series',
      )
      expect(merged).toEqual(whole)
      expect(merged.out.length).toBeGreaterThan(500)
    },
  )

  test('more shards than parts are fine; what was missed is said when they are merged', async () => {
    const changed = ['-m', 'stream', '--threshold', 'tasks >= 1000']
    for (const i of [1, 2]) expect((await shard(i, 2, `s${i}.json`, ...changed)).code).toBe(0)
    const merged = await run('merge', path('s1.json'), path('s2.json'))
    expect(merged).toEqual(await run('fleet', file(), ...changed))
    expect(merged.code).toBe(99)
  })

  test('without a file a shard goes to stdout', async () => {
    const { out } = await run('fleet', file(), '--shard', '1/3')
    expect(out).toBe(readFileSync(path('1.json'), 'utf8'))
    expect(JSON.parse(out)).toMatchObject({
      format: 'delivery-bench-shard/1',
      content: { shard: { i: 1, n: 3 } },
    })
  })

  test('one that is missing or there twice is refused by name', async () => {
    expect(await wrong('1.json', '3.json')).toBe('shard 2 of 3 is missing\n')
    expect(await wrong('1.json')).toBe('shards 2, 3 of 3 are missing\n')
    expect(await wrong('1.json', '2.json', '3.json', '2.json')).toBe(
      '2.json and 2.json are both shard 2 of 3\n',
    )
    expect(await wrong()).toContain('which shards?')
    expect(await wrong('9.json')).toMatch(/^cannot read 9\.json: /)
  })

  test('one of something else is refused, and why', async () => {
    await run('fleet', path('other.yaml'), '--shard', '2/3', '--out', path('other.json'))
    expect(await wrong('1.json', 'other.json', '3.json')).toBe(
      'other.json does not belong to 1.json: its scenario is other.yaml, not fleet.yaml\n',
    )
    await shard(2, 3, 'seed.json', '--seed', '9')
    expect(await wrong('1.json', 'seed.json', '3.json')).toBe(
      'seed.json does not belong to 1.json: its seed is 9, not 1\n',
    )
    await shard(2, 3, 'set.json', '--set', 'job=21s')
    expect(await wrong('1.json', 'set.json', '3.json')).toMatch(
      /^set\.json does not belong to 1\.json: its options are .*job=21s/,
    )
    await shard(2, 4, 'four.json')
    expect(await wrong('1.json', 'four.json', '3.json')).toBe(
      'four.json does not belong to 1.json: it is one of 4 shards, not of 3\n',
    )
  })

  test('one that is damaged, of another version or no shard is refused', async () => {
    edited('2.json', 'cut.json', (text) => text.slice(0, -200))
    expect(await wrong('1.json', 'cut.json', '3.json')).toMatch(/^cut\.json is no shard: it is no JSON/)
    edited('2.json', 'flipped.json', (text) =>
      text.replace(/"sum":(\d)/, (_, digit) => `"sum":${(Number(digit) % 9) + 1}`),
    )
    expect(await wrong('1.json', 'flipped.json', '3.json')).toMatch(/^flipped\.json is damaged: its checksum/)
    writeFileSync(path('row.json'), '{ "format": "delivery-bench/1" }')
    expect(await wrong('row.json')).toMatch(/^row\.json is no shard: make one with /)
    edited('1.json', 'later.json', (text) => text.replace('shard/1', 'shard/2'))
    expect(await wrong('later.json')).toMatch(/has the format delivery-bench-shard\/2/)
  })

  test('a scenario that changed since is refused', async () => {
    const yaml = readFileSync(file(), 'utf8')
    writeFileSync(file(), yaml.replace('20s', '25s'))
    const { code, err } = await run('merge', ...['1.json', '2.json', '3.json'].map(path))
    writeFileSync(file(), yaml)
    expect(code).toBe(2)
    expect(err).toContain('fleet.yaml is not what it was when ')
  })

  test('a shard is JSON, and what it is not is refused', async () => {
    const err = async (...argv: string[]) => (await run('fleet', file(), ...argv)).err
    expect(await err('--shard', '4/3')).toContain('--shard 4/3 is no share: write 1/8')
    expect(await err('--shard', '0/3')).toContain('is no share')
    expect(await err('--shard', '1/3', '--format', 'csv')).toContain('--format goes with merge')
    expect(await err('--shard', '1/3', '--out', 'a.csv')).toContain('a shard is JSON')
  })

  test('no file is left half written, nor any other', () => {
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([])
  })
})

test('the engine that plays nothing keeps the rules of one that does', () => {
  expect(() =>
    fakeEngine.mergeTallies([
      { blocks: [1], sum: 1 },
      { blocks: [1], sum: 1 },
    ] as never),
  ).toThrow('counted twice')
})
