/** What only the program as a process shows: pipes that close, and who is looking. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { ownTerminal } from './terminal.ts'

const ROOT = join(import.meta.dirname, '..')

test('a reader that stops early is nothing to complain about', async () => {
  const cli = spawn(process.execPath, ['--import', 'tsx', 'bench/cli.ts', '--format', 'json'], { cwd: ROOT })
  let complaints = ''
  cli.stderr.on('data', (text: Buffer) => (complaints += text.toString()))
  cli.stdout.destroy()
  const [code] = await once(cli, 'close')
  expect({ code, complaints }).toEqual({ code: 0, complaints: '' })
})

describe('colour', () => {
  const { isTTY } = process.stdout
  afterEach(() => {
    process.stdout.isTTY = isTTY
    vi.unstubAllEnvs()
  })

  test.each([
    { isTerminal: true, noColor: '', term: 'xterm', colour: true },
    { isTerminal: true, noColor: '1', term: 'xterm', colour: false },
    { isTerminal: true, noColor: '', term: 'dumb', colour: false },
    { isTerminal: false, noColor: '', term: 'xterm', colour: false },
  ])('on a terminal ($isTerminal) with NO_COLOR "$noColor", TERM $term: $colour', (given) => {
    const { isTerminal, noColor, term, colour } = given
    process.stdout.isTTY = isTerminal
    vi.stubEnv('NO_COLOR', noColor)
    vi.stubEnv('TERM', term)
    expect(ownTerminal().colour ?? false).toBe(colour)
  })
})
