/** The command `serve`, as a process and as a command line. What the agent answers is tested in `sim/serving/`. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { main } from './main.ts'

const ROOT = join(import.meta.dirname, '..')

const children: ChildProcess[] = []
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
})

/** The command as a process; `line` is the first that it prints on stdout. */
function start(...argv: string[]) {
  const own = spawn(process.execPath, ['--import', 'tsx', 'bench/cli.ts', 'serve', ...argv], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(own)
  let out = ''
  let err = ''
  own.stderr.on('data', (octets) => (err += String(octets)))
  const line = new Promise<string>((resolve, reject) => {
    own.stdout.on('data', (octets) => {
      out += String(octets)
      if (out.includes('\n')) resolve(out.slice(0, out.indexOf('\n')))
    })
    own.on('close', () => reject(new Error(`serve ended without an address: ${err}`)))
  })
  const end = new Promise<object>((resolve) => {
    own.on('close', (code, signal) => resolve({ code, signal, out, err }))
  })
  return { line, end, stop: (signal: NodeJS.Signals) => own.kill(signal) }
}

test.concurrent.each(['SIGTERM', 'SIGINT'] as const)(
  'prints its address, answers, and ends its streams and itself at %s',
  async (signal) => {
    const { line, end, stop } = start('--port', '0', '--speed', '0.5')
    const origin = await line
    expect(origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    const stream = await fetch(`${origin}/rest/message:stream`, {
      method: 'POST',
      headers: { 'A2A-Version': '1.0', 'Content-Type': 'application/json' },
      body: JSON.stringify({
        message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'In Lisbon for 80' }] },
      }),
    })
    const reader = (stream.body as ReadableStream<Uint8Array>).getReader()
    await reader.read()
    stop(signal)
    let ending = await reader.read()
    while (!ending.done) ending = await reader.read()
    expect(await end).toEqual({
      code: 0,
      signal: null,
      out: `${origin}\n`,
      err: `serving the venue finder at 0.5 of real time; its card is ${origin}/.well-known/agent-card.json; Ctrl-C ends it\n`,
    })
  },
)

/** One command line that cannot be served: how it ended and what it said. */
async function refused(...argv: string[]) {
  const err: string[] = []
  const out: string[] = []
  const code = await main(['serve', ...argv], {
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => err.push(text) },
  })
  expect(out).toEqual([])
  expect(code).toBe(2)
  return err.join('')
}

describe('what cannot be served is 2, with one sentence and what to try', () => {
  test('a port that is taken', async () => {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as AddressInfo
    expect(await refused('--port', String(port))).toBe(
      `delivery-bench: port ${port} of 127.0.0.1 is taken: --port takes another one, or 0 for any free one\n`,
    )
    other.close()
  })

  test.each([
    [
      'a host elsewhere',
      '--host 192.0.2.1 --port 0',
      /^delivery-bench: 192\.0\.2\.1 is not an address of this machine: --host takes 127\.0\.0\.1 .*\n$/,
    ],
    ['a host that is none', '--host http://localhost', /^delivery-bench: nobody knows the host http.*\n$/],
    [
      'a speed of nothing',
      '--speed 0',
      /^delivery-bench: --speed 0 is not a number above 0, up to 1000: .*\n$/,
    ],
    ['a speed in words', '--speed fast', /^delivery-bench: --speed fast is not a number above 0/],
    ['a speed too high', '--speed 1001', /^delivery-bench: --speed 1001 is not/],
    [
      'a port too high',
      '--port 65536',
      /^delivery-bench: --port 65536 is not a whole number from 0 to 65535\n$/,
    ],
    ['two scenarios', 'a.yaml b.yaml', /^delivery-bench: serve takes one scenario, not also b\.yaml\n$/],
    ['a change of nothing', '--set job=20s', /^delivery-bench: --set changes a scenario: name its file\n$/],
    ['no such scenario', 'a.yaml', /a\.yaml/],
    ['a profile', '--profile tck', /^delivery-bench: --profile is not part of this release\n$/],
    [
      'an option of another command',
      '-m stream',
      /^delivery-bench: serve has no option --mechanism: options: /,
    ],
  ])('%s', async (_, argv, message) => {
    expect(await refused(...argv.split(' '))).toMatch(message)
  })
})
