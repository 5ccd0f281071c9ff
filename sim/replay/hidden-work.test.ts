/**
 * A run does nothing that virtual time does not drive. The real runs are clean
 * by both guards; with hidden work planted in the client they are not.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { runMechanism } from '../mechanisms/over-client.ts'
import type { ClientWorld } from '../mechanisms/a2a-world.ts'
import { interceptGlobals } from '../network/intercept.ts'
import { loadScenario } from '../scenario/index.ts'
import type { MechanismEntry } from '../scenario/scenario.ts'
import { guardAgainstHiddenWork, sameAtEverySpeed } from '../testing/hidden-work-guard.ts'
import { play, type Played } from './replay.ts'

const { scenario } = loadScenario(join(import.meta.dirname, '..', '..', 'scenarios', 'seed-table.yaml'))
const entries = scenario.mechanisms.filter(({ word }) => ['poll:30s', 'stream', 'push'].includes(word))

type Client = (entry: MechanismEntry) => Promise<Played>

const plain: Client = ({ policy }) => play(scenario, (world) => runMechanism(world, policy))

/** By the global fetch: msw is loaded and listens, though nothing passes through it. */
const intercepted: Client = ({ policy }) =>
  play(scenario, async (world, network) => {
    const interception = interceptGlobals(network, 'client')
    try {
      return await runMechanism({ ...world, fetch }, policy)
    } finally {
      interception.close()
    }
  })

/** A client that works in secret before it reads an answer or a webhook post. */
const workingInSecret =
  (work: () => Promise<unknown>): Client =>
  ({ policy }) =>
    play(scenario, (world) => {
      const busy: ClientWorld = {
        ...world,
        async fetch(...args) {
          const response = await world.fetch(...args)
          await work()
          return response
        },
        receive: (accept) =>
          world.receive((body, exchange) => void work().then(() => accept(body, exchange))),
      }
      return runMechanism(busy, policy)
    })

const folder = mkdtempSync(join(tmpdir(), 'hidden-work-'))
afterAll(() => rmSync(folder, { recursive: true }))
const file = join(folder, 'module.mjs')
writeFileSync(file, 'export default 1\n')

/**
 * Every kind of hidden work goes to another thread and back at least four times,
 * each at least a turn of the event loop: at full speed the whole job is over by
 * then. A pause is long enough for all of it, on a busy machine too.
 */
const PAUSE_MS = 60

const octets = new Uint8Array(1000)
const importNatively = createRequire(import.meta.url)('../testing/native-import.cjs') as (
  specifier: string,
) => Promise<unknown>
let imports = 0

const HIDDEN: Record<string, () => Promise<unknown>> = {
  async 'a WebCrypto digest'() {
    for (let times = 0; times < 4; times++) await crypto.subtle.digest('SHA-256', octets)
  },
  // Open, look at the size, read, close.
  'a file read': () => readFile(file, 'utf8'),
  // With a query the module is a new one, which has to be loaded.
  'a dynamic import': () => importNatively(`${pathToFileURL(file).href}?${imports++}`),
}

describe.each(entries.map((entry) => ({ word: entry.word, entry })))(
  'the seed table by $word',
  ({ entry }) => {
    test.each(Object.entries({ 'a fetch handed over': plain, 'the global fetch': intercepted }))(
      'hides no work, on %s',
      async (_, client) => {
        const played = await guardAgainstHiddenWork(() => client(entry))
        expect(await sameAtEverySpeed(() => client(entry))).toEqual(played)
        expect(played.records.some((record) => record.kind === 'learned' && record.terminal)).toBe(true)
      },
    )

    test.each(Object.entries(HIDDEN))('with %s in it is found out by both guards', async (_, work) => {
      const client = workingInSecret(work)
      await expect(guardAgainstHiddenWork(() => client(entry))).rejects.toThrow(
        /^hidden work: the run created (HASHREQUEST|.*FSREQPROMISE) /,
      )
      await expect(sameAtEverySpeed(() => client(entry), PAUSE_MS)).rejects.toThrow(
        /^hidden work: the outcome depends on how much real time a step takes/,
      )
    })
  },
)
