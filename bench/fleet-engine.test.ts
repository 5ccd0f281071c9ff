/** The commands over the engine itself: threads, shards, and the process that is interrupted. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { main } from './main.ts'

let folder = ''
const path = (name: string) => join(folder, name)
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fleet-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

async function printed(...argv: string[]): Promise<string> {
  const out: string[] = []
  const err: string[] = []
  const code = await main(argv, {
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => err.push(text) },
  })
  expect({ code, err: err.join('') }).toEqual({ code: 0, err: '' })
  return out.join('')
}

test('the same bytes with 1, 2 and 3 workers, and merged from shards that were played with others', async () => {
  writeFileSync(
    path('mine.yaml'),
    `
job: { duration: exponential:20s }
network: { latency: 20ms..80ms }
fleet: { tasks: 500, within: 10m, window: 10m, bin: 10s }
mechanisms: [poll:7s, poll:5s..9s, stream]
`,
  )
  const play = (...argv: string[]) => printed('fleet', path('mine.yaml'), '--quiet', ...argv)
  const shown = ['--format', 'json', '--series']
  const alone = await play('--workers', '1', ...shown)
  expect(await play('--workers', '2', ...shown)).toBe(alone)
  expect(await play('--workers', '3', ...shown)).toBe(alone)
  expect(JSON.parse(alone).scenarios[0].rows).toMatchObject([{ tasks: 500 }, { tasks: 500 }, { tasks: 500 }])
  const shards = ['1', '2', '3'].map((i) => path(`${i}.json`))
  for (const [i, file] of shards.entries())
    await play('--workers', String((i % 2) + 1), '--shard', `${i + 1}/3`, '--out', file)
  expect(await printed('merge', ...shards.toReversed(), ...shown)).toBe(alone)
})

test('Ctrl-C in the middle of the work: 130, one line, no file', async () => {
  writeFileSync(
    path('long.yaml'),
    `
job: 2h
fleet: { tasks: 1000000, within: 1d, window: 1d }
mechanisms: ["poll:1s..3s"]
expect: { "poll:1s..3s": { tasks: 1000000 } }
`,
  )
  const argv = ['fleet', path('long.yaml'), '--set', 'job=1h', '--out', path('cut-off.json')]
  const program = spawn(process.execPath, ['--import', 'tsx', 'bench/cli.ts', ...argv], {
    cwd: join(import.meta.dirname, '..'),
  })
  onTestFinished(() => void program.kill('SIGKILL'))
  const said = { out: '', err: '' }
  program.stdout.on('data', (text: Buffer) => (said.out += text.toString()))
  program.stderr.on('data', (text: Buffer) => (said.err += text.toString()))
  // The note on what is not checked comes just before the work begins.
  await once(program.stderr, 'data')
  program.kill('SIGINT')
  const [code] = await once(program, 'close')
  expect({ code, out: said.out }).toEqual({ code: 130, out: '' })
  expect(said.err).toMatch(/changes it\ndelivery-bench: interrupted, nothing was written\n$/)
  expect(readdirSync(folder).filter((name) => name.startsWith('cut-off'))).toEqual([])
})
