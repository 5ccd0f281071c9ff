/**
 * The same agent for programs that cannot be handed a `fetch`: whatever way a
 * client gets at the network, it learns the same at the same instants and costs
 * the same octets.
 */
import https from 'node:https'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fixed } from '../kernel/distribution.ts'
import { connect } from '../mechanisms/a2a-client.ts'
import { runMechanism } from '../mechanisms/over-client.ts'
import type { ClientWorld } from '../mechanisms/a2a-world.ts'
import { rowOf } from '../metrics/row-of.ts'
import { interceptGlobals } from '../network/intercept.ts'
import type { Binding, Task } from '../protocol/a2a.ts'
import { HTTP_JSON_PATH } from '../protocol/paths.ts'
import { viewOfTask } from '../protocol/view.ts'
import type { ExchangeRecord, RunRecord } from '../records/record.ts'
import { loadScenario } from '../scenario/index.ts'
import { entryOf, pathOf, pollEvery, scenarioOf, seconds, streamBy } from '../testing/scenario.ts'
import { play, replay, type Played, type Program } from './replay.ts'
import { AGENT_ORIGIN } from './world.ts'

const MS = 1000

const seedTable = (binding: Binding) =>
  loadScenario(join(import.meta.dirname, '..', '..', 'scenarios', 'seed-table.yaml'), { binding }).scenario

/** The global one, looked up anew at each call as an unmodified program does. */
const globalFetch: typeof fetch = (...args) => globalThis.fetch(...args)

/** A program that is handed nothing: the global `fetch` and `node:http(s)` are all it has. */
const intercepted =
  (program: Program): Program =>
  async (world, network, agent) => {
    const interception = interceptGlobals(network, 'client')
    try {
      return await program({ ...world, fetch: globalFetch }, network, agent)
    } finally {
      interception.close()
    }
  }

const exchangesOf = ({ records }: { records: readonly RunRecord[] }): ExchangeRecord[] =>
  records.filter((record) => record.kind === 'exchange')

describe.each<Binding>(['HTTP+JSON', 'JSONRPC'])('the seed table over the global fetch: %s', (binding) => {
  const scenario = seedTable(binding)
  const entries = scenario.mechanisms.map((entry) => ({ entry, word: entry.word }))

  test('has five rows', () => expect(entries).toHaveLength(5))

  test.each(entries)('$word gives the same row and the same records', async ({ entry }) => {
    const { row, ...injected } = await replay(scenario, entry)
    const played = await play(
      scenario,
      intercepted((world) => runMechanism(world, entry.policy)),
    )
    expect(played).toEqual(injected)
    expect(rowOf({ mechanism: row.mechanism, policy: entry.word, ...played })).toEqual(row)
  })
})

test('the intercepted client comes by no other way than the global fetch', async () => {
  const scenario = scenarioOf()
  const broken: Program = async (world) => {
    globalThis.fetch = () => Promise.reject(new TypeError('fetch failed', { cause: new Error('broken') }))
    return runMechanism(world, pollEvery(seconds(7)))
  }
  const { records } = await play(scenario, intercepted(broken))
  const reason: unknown = expect.stringContaining('broken')
  expect(records).toMatchObject([{ kind: 'gave-up', reason }])
})

test('a run that reaches its horizon ends alike, and gives the globals back', async () => {
  const { fetch } = globalThis
  const { request } = https
  const scenario = scenarioOf({ horizonUs: seconds(60) })
  const entry = entryOf(streamBy())
  const { row: _, ...injected } = await replay(scenario, entry)
  const played = await play(
    scenario,
    intercepted((world) => runMechanism(world, entry.policy)),
  )
  expect(played).toEqual(injected)
  expect(exchangesOf(played)).toMatchObject([{ outcome: 'open' }])
  expect([globalThis.fetch, https.request]).toEqual([fetch, request])
})

describe('letting go of a stream', () => {
  /** SendStreamingMessage by hand, up to the response. */
  const openStream = ({ fetch, request }: ClientWorld, signal: AbortSignal | null = null) =>
    fetch(`${AGENT_ORIGIN}${HTTP_JSON_PATH}/message:stream`, {
      method: 'POST',
      headers: { 'A2A-Version': '1.0', 'Content-Type': 'application/json' },
      body: JSON.stringify(request),
      signal,
    })
  const readerOf = (response: Response) => (response.body as ReadableStream<Uint8Array>).getReader()

  const WAIT_US = 30 * MS

  // Each takes three events and goes: the snapshot and `working` at 0 s, the message of 20 s.
  const WAYS: Record<string, (world: ClientWorld) => Promise<unknown>> = {
    async 'an abort'(world) {
      const controller = new AbortController()
      const reader = readerOf(await openStream(world, controller.signal))
      for (let events = 0; events < 3; events++) await reader.read()
      controller.abort()
      return reader.read().catch((error: Error) => error.name)
    },
    async 'an abort while waiting'(world) {
      const controller = new AbortController()
      const reader = readerOf(await openStream(world, controller.signal))
      for (let events = 0; events < 3; events++) await reader.read()
      const read = reader.read().catch((error: Error) => error.name)
      await world.clock.sleep(WAIT_US)
      controller.abort()
      return read
    },
    async 'a cancelled reader'(world) {
      const reader = readerOf(await openStream(world))
      for (let events = 0; events < 3; events++) await reader.read()
      await reader.cancel()
      return (await reader.read()).done
    },
    async 'a loop left'(world) {
      let events = 0
      for await (const _ of (await openStream(world)).body as ReadableStream<Uint8Array>)
        if (++events === 3) break
      return events
    },
    async "the official client's loop left"(world) {
      let events = 0
      for await (const _ of (await connect(world)).stream({})) if (++events === 3) break
      return events
    },
  }

  /** 100 ms from the agent's writing to the client's reading, 50 ms back. */
  const scenario = {
    ...scenarioOf(),
    network: { ...pathOf(), latency: { up: fixed(50 * MS), down: fixed(100 * MS) } },
  }

  async function playWay(
    way: (world: ClientWorld) => Promise<unknown>,
    mounted: (program: Program) => Program,
  ): Promise<{ played: Played; saw: unknown; leftUs: number }> {
    let saw: unknown
    let leftUs = -1
    const leaving: Program = async (world) => {
      saw = await way(world)
      leftUs = world.clock.nowUs()
      return { kind: 'not-learned', reason: 'the client went away' }
    }
    return { played: await play(scenario, mounted(leaving)), saw, leftUs }
  }

  test.each(Object.entries(WAYS))('%s: the same instant, the same octets', async (name, way) => {
    const injected = await playWay(way, (program) => program)
    const global = await playWay(way, intercepted)
    expect(global).toEqual(injected)

    // The job began when the send arrived, at 50 ms; its second update took 100 ms to the client.
    const waitUs = name === 'an abort while waiting' ? WAIT_US : 0
    expect(injected.leftUs).toBe(seconds(20) + 150 * MS + waitUs)
    const exchanges = exchangesOf(injected.played)
    expect(exchanges).toMatchObject([
      { operation: 'SendStreamingMessage', outcome: 'aborted', endUs: injected.leftUs },
    ])
    expect(exchanges[0]?.arrivals).toHaveLength(3)
    // The agent goes on with its job, which began when the send arrived.
    expect(injected.played.endUs).toBe(seconds(100) + 50 * MS)
  })
})

describe('a program on node:https', () => {
  /** Asks the agent for something and gives the body of the answer. */
  type Ask = (method: 'GET' | 'POST', path: string, body?: string) => Promise<string>

  const HEADERS = { 'A2A-Version': '1.0', 'Content-Type': 'application/json' }

  const askByFetch: Ask = async (method, path, body = '') => {
    const url = `${AGENT_ORIGIN}${HTTP_JSON_PATH}${path}`
    const response = await fetch(url, { method, headers: HEADERS, ...(body !== '' && { body }) })
    return response.text()
  }

  const askByHttps: Ask = (method, path, body = '') =>
    new Promise((resolve, reject) => {
      const length = body === '' ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
      const options = { method, headers: { ...HEADERS, ...length } }
      const sent = https.request(`${AGENT_ORIGIN}${HTTP_JSON_PATH}${path}`, options, (answer) => {
        let text = ''
        answer.setEncoding('utf8')
        answer.on('data', (piece: string) => (text += piece))
        answer.on('end', () => resolve(text))
        answer.on('error', reject)
      })
      sent.on('error', reject)
      sent.end(body)
    })

  /** Sends, then asks every 7 s. `heard` takes each answer and its instant. */
  const pollingBy =
    (ask: Ask, heard: [number, string][]): Program =>
    async (world) => {
      const hear = async (...asked: Parameters<Ask>): Promise<string> => {
        const text = await ask(...asked)
        heard.push([world.clock.nowUs(), text])
        return text
      }
      const body = JSON.stringify({ ...world.request, configuration: { returnImmediately: true } })
      const { task } = JSON.parse(await hear('POST', '/message:send', body)) as { task: Task }
      world.observe({ of: 'task', view: viewOfTask(task) }, 'reply', undefined)
      for (;;) {
        const seen = JSON.parse(await hear('GET', `/tasks/${task.id}`)) as Task
        if (world.observe({ of: 'task', view: viewOfTask(seen) }, 'poll', undefined).terminal)
          return { kind: 'learned' }
        await world.clock.sleep(seconds(7), world.signal)
      }
    }

  test.each([0, 50 * MS])('polls like one on fetch, with %d µs of latency', async (latencyUs) => {
    const scenario = { ...seedTable('HTTP+JSON'), network: pathOf(latencyUs) }
    const onFetch: [number, string][] = []
    const byFetch = await play(scenario, intercepted(pollingBy(askByFetch, onFetch)))
    const onHttps: [number, string][] = []
    const byHttps = await play(scenario, intercepted(pollingBy(askByHttps, onHttps)))

    expect(onHttps).toEqual(onFetch)
    expect(onHttps).toHaveLength(17)
    // Only the lines that fetch adds to a request make a difference.
    const withoutHeads = ({ records, ...rest }: Played) => ({
      ...rest,
      records: records.map((record) =>
        record.kind === 'exchange' ? { ...record, octets: { ...record.octets, requestHead: 0 } } : record,
      ),
    })
    expect(withoutHeads(byHttps)).toEqual(withoutHeads(byFetch))
    const id = (JSON.parse(onHttps.at(-1)?.[1] as string) as Task).id
    const written = [
      `GET /rest/tasks/${id} HTTP/1.1`,
      'A2A-Version: 1.0',
      'Content-Type: application/json',
      'Host: agent.example',
      'Connection: keep-alive',
      '',
      '',
    ]
    const polls = exchangesOf(byHttps).filter(({ operation }) => operation === 'GetTask')
    expect(new Set(polls.map(({ octets }) => octets.requestHead))).toEqual(
      new Set([written.join('\r\n').length]),
    )
  })
})
