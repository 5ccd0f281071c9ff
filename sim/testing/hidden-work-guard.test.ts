import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { DeadlockError, inVirtualTime } from '../kernel/virtual-time.ts'
import { guardAgainstHiddenWork, sameAtEverySpeed } from './hidden-work-guard.ts'

/**
 * Polls every 7 s, five times, while somebody else's timer ticks each second.
 * Each poll does `work` three times in a row: a busy machine may finish one
 * piece within a turn of the event loop, but never the next before that turn.
 */
async function polling(work: () => Promise<unknown>): Promise<{ polls: number; atUs: number }> {
  const end = await inVirtualTime({ horizonUs: 3_600_000_000 }, async (clock) => {
    const noise = setInterval(() => {}, 1_000)
    let polls = 0
    for (; polls < 5; polls++) {
      await clock.sleep(7_000_000)
      for (let times = 0; times < 3; times++) await work()
    }
    clearInterval(noise)
    return polls
  })
  if (end.kind === 'horizon') throw new Error('the run reached its horizon')
  return { polls: end.value, atUs: end.atUs }
}

/** A module that does nothing, in many functions: compiling it takes a while. */
function largeModule(): Uint8Array {
  const count = 20_000
  const leb = (n: number): number[] => (n < 128 ? [n] : [(n & 127) | 128, ...leb(n >> 7)])
  const section = (id: number, content: number[]): number[] => [id, ...leb(content.length), ...content]
  const types = section(1, [1, 0x60, 0, 0])
  const functions = section(3, [...leb(count), ...Array.from({ length: count }, () => 0)])
  const bodies = section(10, [...leb(count), ...Array.from({ length: count }, () => [2, 0, 0x0b]).flat()])
  return new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, ...types, ...functions, ...bodies])
}

const wasm = largeModule()
const megabyte = new Uint8Array(1_000_000)

const directory = mkdtempSync(join(tmpdir(), 'hidden-work-'))
afterAll(() => rmSync(directory, { recursive: true }))
const file = join(directory, 'module.mjs')
writeFileSync(file, 'export default 1\n')

const nativeImport = createRequire(import.meta.url)('./native-import.cjs') as (
  specifier: string,
) => Promise<unknown>
let imports = 0
/** A module is loaded once only; with a query it is a new one. */
const fresh = (specifier: string): string => `${specifier}?${imports++}`

const digest = (): Promise<unknown> => crypto.subtle.digest('SHA-256', megabyte)
const read = (): Promise<unknown> => readFile(file, 'utf8')
const importNatively = (): Promise<unknown> => nativeImport(fresh(pathToFileURL(file).href))
const importByVitest = (): Promise<unknown> => import(/* @vite-ignore */ fresh('../kernel/ids.ts'))
// The TypeScript library in use does not know it.
const { WebAssembly } = globalThis as unknown as {
  WebAssembly: { compile(octets: Uint8Array): Promise<unknown> }
}
const compile = (): Promise<unknown> => WebAssembly.compile(wasm)
const immediate = (): Promise<unknown> => new Promise((resolve) => setImmediate(resolve))
const nothingHidden = async (): Promise<unknown> => new Response('an answer').text()

describe('the async_hooks guard', () => {
  test.each([
    { what: 'a WebCrypto digest', work: digest, type: 'HASHREQUEST' },
    { what: 'a file read', work: read, type: 'FSREQPROMISE' },
    { what: 'a dynamic import', work: importNatively, type: 'FSREQPROMISE' },
    { what: 'an immediate that is not the kernel’s', work: immediate, type: 'Immediate' },
  ])('catches $what', async ({ work, type }) => {
    await expect(guardAgainstHiddenWork(() => polling(work))).rejects.toThrow(
      new RegExp(`^hidden work: the run created .*${type} \\(\\d+\\)`),
    )
  })

  test('passes a clean run and gives its value', async () => {
    const value = await guardAgainstHiddenWork(() => polling(nothingHidden))
    expect(value).toEqual({ polls: 5, atUs: 35_000_000 })
  })

  test('names hidden work rather than the deadlock it led to', async () => {
    const run = guardAgainstHiddenWork(() =>
      inVirtualTime({ horizonUs: 1_000_000 }, async () => {
        await Promise.all([digest(), digest()])
        await new Promise(() => {})
      }),
    )
    await expect(run).rejects.toThrow('hidden work: the run created HASHREQUEST (2)')
    await expect(run).rejects.toMatchObject({ cause: expect.any(DeadlockError) as unknown })
  })

  test('passes an error of the run itself, and what it was told is harmless', async () => {
    const failure = new Error('a bug of the run')
    await expect(guardAgainstHiddenWork(() => polling(() => Promise.reject(failure)))).rejects.toBe(failure)
    await expect(guardAgainstHiddenWork(() => polling(immediate), ['Immediate'])).resolves.toMatchObject({
      polls: 5,
    })
  })

  test('does not blame a run for what others do meanwhile', async () => {
    let over = false
    let immediates = 0
    const others = (async () => {
      for (; !over; immediates++) await immediate()
    })()
    await guardAgainstHiddenWork(() => polling(nothingHidden)).finally(() => (over = true))
    await others
    expect(immediates).toBeGreaterThan(1)
  })
})

describe('the guard of two speeds', () => {
  test.each([
    { what: 'a WebCrypto digest', work: digest },
    { what: 'a file read', work: read },
    { what: 'a dynamic import', work: importNatively },
    { what: 'a dynamic import by the test runner, of which async_hooks see nothing', work: importByVitest },
    { what: 'a WebAssembly compilation, of which async_hooks see nothing', work: compile },
    { what: 'an immediate that is not the kernel’s', work: immediate },
  ])('catches $what', async ({ work }) => {
    await expect(sameAtEverySpeed(() => polling(work))).rejects.toThrow(
      /^hidden work: the outcome depends on how much real time a step takes\.\nat full speed: [^]*\nwith 5 ms for each step: /,
    )
  })

  test('catches hidden work that makes a deadlock at one speed only', async () => {
    // Work of exactly two turns, so that the test itself does not depend on the machine.
    const twoTurns = (): Promise<unknown> => immediate().then(immediate)
    await expect(sameAtEverySpeed(() => inVirtualTime({ horizonUs: 1_000_000 }, twoTurns))).rejects.toThrow(
      /at full speed: \{\s+thrown: 'DeadlockError: deadlock at 0s/,
    )
  })

  test('passes a clean run and gives its value', async () => {
    const value = await sameAtEverySpeed(() => polling(nothingHidden))
    expect(value).toEqual({ polls: 5, atUs: 35_000_000 })
  })

  test('passes an error that comes at every speed', async () => {
    const failure = new Error('a bug of the run')
    await expect(sameAtEverySpeed(() => polling(() => Promise.reject(failure)))).rejects.toBe(failure)
  })
})
