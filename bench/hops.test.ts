/** The command `hops` from its words to its text. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { main } from './main.ts'

let folder = ''
const path = (name: string) => join(folder, name)

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hops-'))
  writeFileSync(
    path('nginx.yaml'),
    'name: nginx\njob: 90s\nnetwork: { hops: [{ name: nginx, idle: 60s }] }\nmechanisms: [poll:5s, stream:reconnect=3s]\n',
  )
  writeFileSync(path('direct.yaml'), 'job: 90s\n')
  writeFileSync(
    path('polls.yaml'),
    'job: 90s\nnetwork: { hops: [{ name: nginx, idle: 60s }] }\nmechanisms: [poll:5s]\n',
  )
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

test('prints hops against heartbeats, and what to do', async () => {
  const { code, out } = await run('hops', path('nginx.yaml'), '--heartbeat', 'none,15s')
  expect(code).toBe(0)
  expect(out).toMatchInlineSnapshot(`
    "nginx

    stream (SSE), reconnect after 3 s
           no heartbeat                every 15 s
    ──────────────────────────────────────────────────
    nginx  cut at 1 min by idle limit  no cut
           learned on time             learned on time
           2 connections, 3 s blind

    - A heartbeat at least every 1 min saves the stream from the idle limit of nginx (1 min); heartbeat=45s leaves a margin.
    "
  `)
})

test('the same as markdown, CSV and JSON', async () => {
  const of = async (format: string) =>
    (await run('hops', path('nginx.yaml'), '--heartbeat', 'none,15s', '--format', format)).out
  expect(await of('markdown')).toContain(
    '| nginx | cut at 1 min by idle limit; learned on time; 2 connections, 3 s blind | no cut; learned on time |',
  )
  expect((await of('csv')).split('\r\n')[1]).toMatch(
    /^nginx,stream:reconnect=3s,nginx,,learned,1,60000,nginx,idle,2,3000,90000,0,/,
  )
  expect(JSON.parse(await of('json'))).toMatchObject({
    format: 'delivery-bench-hops/1',
    matrices: [
      {
        policy: 'stream:reconnect=3s',
        heartbeats: ['none', '15s'],
        rows: [
          {
            path: 'nginx',
            cells: [
              {
                cuts: [{ by: 'nginx', limit: 'idle', firstMs: 60_000, count: 1 }],
                streams: 2,
                learnedAtMs: 90_000,
              },
              { cuts: [], streams: 1, heartbeats: 5 },
            ],
          },
        ],
      },
    ],
  })
})

test('a scenario that says nothing of hops is told how to; one without streams gets the official client', async () => {
  const direct = await run('hops', path('direct.yaml'))
  expect(direct).toMatchObject({ code: 2, out: '' })
  expect(direct.err).toContain('network: { hops: [nginx] }')
  const { code, out } = await run('hops', path('polls.yaml'))
  expect(code).toBe(0)
  expect(out).toContain('never learned')
})

test.each([
  [['--heartbeat', 'often'], '--heartbeat often: write none or a duration'],
  [['-m', 'poll:5s'], 'none of these is a stream'],
])('%s is refused', async (words, says) => {
  const { code, err } = await run('hops', path('nginx.yaml'), ...words)
  expect(code).toBe(2)
  expect(err).toContain(says)
})
