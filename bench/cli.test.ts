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
    { isTerminal: true, noColor: '', colour: true },
    { isTerminal: true, noColor: '1', colour: false },
    { isTerminal: false, noColor: '', colour: false },
  ])('on a terminal ($isTerminal) with NO_COLOR "$noColor": $colour', ({ isTerminal, noColor, colour }) => {
    process.stdout.isTTY = isTerminal
    vi.stubEnv('NO_COLOR', noColor)
    expect(ownTerminal().colour ?? false).toBe(colour)
  })
})
