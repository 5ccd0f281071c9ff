import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runInWorkers } from './workers.ts'

describe('workers', () => {
  let folder = ''
  const module = (name: string) => pathToFileURL(join(folder, name))
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'workers-'))
    const typescript = `
      import { threadId } from 'node:worker_threads'
      type Input = { value: number; waitMs: number }
      export default async function ({ value, waitMs }: Input): Promise<{ doubled: number; thread: number }> {
        await new Promise((resolve) => setTimeout(resolve, waitMs))
        if (value < 0) throw new Error('negative: ' + value)
        return { doubled: value * 2, thread: threadId }
      }`
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    writeFileSync(join(folder, 'double.ts'), typescript)
    writeFileSync(join(folder, 'triple.js'), 'export default (value) => value * 3')
    writeFileSync(join(folder, 'shares.js'), 'export default (value, { add }) => value + add')
    writeFileSync(join(folder, 'quits.js'), 'export default () => process.exit(7)')
    writeFileSync(join(folder, 'never-ends.js'), 'export default () => { for (;;); }')
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  test('outputs come in the order of the inputs, from several threads, from a module in TypeScript', async () => {
    const inputs = [30, 0, 20, 0, 10].map((waitMs, value) => ({ value, waitMs }))
    const told: number[][] = []
    const outputs = await runInWorkers<unknown, { doubled: number; thread: number }>(
      module('double.ts'),
      inputs,
      { workers: 2, ended: ({ doubled }, number) => told.push([number, doubled]) },
    )
    expect(told.toSorted(([a = 0], [b = 0]) => a - b)).toEqual([0, 1, 2, 3, 4].map((n) => [n, 2 * n]))
    expect(outputs.map(({ doubled }) => doubled)).toEqual([0, 2, 4, 6, 8])
    expect(new Set(outputs.map(({ thread }) => thread)).size).toBe(2)
  })

  test('a module in JavaScript needs no loader; more workers than inputs are not started', async () => {
    expect(await runInWorkers(module('triple.js'), [1, 2], { workers: 16 })).toEqual([3, 6])
    expect(await runInWorkers(module('triple.js'), [], { workers: 2 })).toEqual([])
  })

  test('what all inputs need is handed over beside each', async () => {
    const shared = { add: 10 }
    expect(await runInWorkers(module('shares.js'), [1, 2, 3], { workers: 2, shared })).toEqual([11, 12, 13])
  })

  test('a signal ends threads that would never end', async () => {
    const stop = new AbortController()
    const running = runInWorkers(module('never-ends.js'), [1, 2, 3], { workers: 2, signal: stop.signal })
    setImmediate(() => stop.abort())
    await expect(running).rejects.toThrow(/abort/i)
    const stopped = runInWorkers(module('never-ends.js'), [1], { workers: 1, signal: stop.signal })
    await expect(stopped).rejects.toThrow(/abort/i)
  })

  test('a fault in a worker is a fault of the caller', async () => {
    const inputs = [1, -1, 2].map((value) => ({ value, waitMs: 0 }))
    await expect(runInWorkers(module('double.ts'), inputs, { workers: 2 })).rejects.toThrow('negative: -1')
    await expect(runInWorkers(module('quits.js'), [1], { workers: 1 })).rejects.toThrow(/exited with code: 7/)
    await expect(runInWorkers(module('missing.js'), [1], { workers: 1 })).rejects.toThrow(/missing\.js/)
  })
})
