/**
 * Unmodified programs on the virtual network. Each way in which msw alone would
 * lead them astray has a test here.
 */
import http, { get, request } from 'node:http'
import https from 'node:https'
import { describe, expect, test, vi } from 'vitest'
import type { Clock } from '../kernel/clock.ts'
import { fixed } from '../kernel/distribution.ts'
import { randomStream } from '../kernel/random.ts'
import { inVirtualTime } from '../kernel/virtual-time.ts'
import { createJournal } from '../records/journal.ts'
import type { ExchangeRecord } from '../records/record.ts'
import { interceptGlobals } from './intercept.ts'
import { DIRECT_PATH } from '../path/path.ts'
import type { Handler } from './network.ts'
import { listen } from './sockets.ts'
import { playTwice, type Arm } from './two-arms.suite.ts'
import { createNetwork, type Wire } from './wire.ts'

// Real sockets take their time on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

const MS = 1000
const AGENT = 'http://agent.example'
const encoder = new TextEncoder()

interface Stage {
  clock: Clock
  network: Wire
  exchanges: () => ExchangeRecord[]
}

/** Plays with intercepted globals, in virtual time, against one agent that takes 5 ms up and 3 ms down. */
async function play<T>(agent: (clock: Clock) => Handler, body: (stage: Stage) => Promise<T>): Promise<T> {
  const end = await inVirtualTime({ horizonUs: 3_600_000_000 }, async (clock) => {
    const journal = createJournal()
    const network = createNetwork({
      clock,
      journal,
      path: () => ({ ...DIRECT_PATH, latency: { up: fixed(5 * MS), down: fixed(3 * MS) } }),
      random: (purpose) => randomStream(1, purpose),
      describe: { operation: (method, path) => `${method} ${path}`, event: (event) => event.trim() },
    })
    network.host(AGENT, 'agent', agent(clock))
    network.host('https://agent.example', 'agent', agent(clock))
    const interception = interceptGlobals(network, 'client')
    const exchanges = () => journal.records().filter((record) => record.kind === 'exchange')
    try {
      return await body({ clock, network, exchanges })
    } finally {
      interception.close()
    }
  })
  if (end.kind !== 'settled') throw new Error(`did not settle: ${end.waiting.join('; ')}`)
  expect(end.leftovers).toMatchObject({ events: 0, timers: 0 })
  return end.value
}

const echo = () => async (asked: Request) =>
  Response.json({ method: asked.method, path: new URL(asked.url).pathname, body: await asked.text() })

/** An event every 10 ms; `noted` takes what its writer hears. */
function streamingAgent(clock: Clock, noted: string[], breaksAfter = Infinity): Handler {
  return async (asked) => {
    const gone = new AbortController()
    asked.signal.addEventListener('abort', () => noted.push(`abort at ${clock.nowUs() / MS} ms`))
    const body = new ReadableStream({
      async start(controller) {
        for (let n = 0; n < 100; n++) {
          await clock.sleep(10 * MS, gone.signal)
          if (n === breaksAfter) {
            controller.error(new Error('the agent fell over'))
            return
          }
          controller.enqueue(encoder.encode(`data: ${n}\n\n`))
        }
      },
      cancel() {
        noted.push(`cancel at ${clock.nowUs() / MS} ms`)
        gone.abort()
      },
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }
}

interface Answer {
  status: number | undefined
  text: string
}

/** What a program on `node:http` does to get an answer. */
const ask = (
  url: string,
  options: http.RequestOptions = {},
  body: string[] = [],
  send: typeof http.request = http.request,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const sent = send(url, options, (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (piece: string) => (text += piece))
      answer.on('end', () => resolve({ status: answer.statusCode, text }))
      answer.on('error', (error) => reject(Object.assign(error, { text })))
    })
    sent.on('error', reject)
    for (const piece of body) sent.write(piece)
    sent.end()
  })

describe('programs on node:http', () => {
  test('reach the network, through any door, and take its time', () =>
    play(echo, async ({ clock, exchanges }) => {
      const doors = [http.request, request, http.get, get]
      for (const send of doors) expect((await ask(`${AGENT}/x`, {}, [], send)).status).toBe(200)
      const overTls = await ask('https://agent.example/x', {}, [], https.request)
      expect(JSON.parse(overTls.text)).toEqual({ method: 'GET', path: '/x', body: '' })
      const posted = await ask(`${AGENT}/rest/message:send`, { method: 'POST' }, ['{"a":', '1}'])
      expect(JSON.parse(posted.text)).toEqual({ method: 'POST', path: '/rest/message:send', body: '{"a":1}' })
      expect(clock.nowUs()).toBe(6 * 8 * MS)
      expect(exchanges().at(-1)).toMatchObject({ operation: 'POST /rest/message:send', outcome: 'complete' })
    }))

  test('sent to no host of the network fail, and never leave the process', async () => {
    let hits = 0
    const real = await listen(
      async () => {
        hits += 1
        return new Response('real')
      },
      { port: 0, host: '127.0.0.1' },
    )
    try {
      await play(echo, async () => {
        for (const path of ['/agent-card.json', '/page.html', '/x.txt', '/x']) {
          await expect(ask(real.origin + path)).rejects.toMatchObject({ code: 'ENOTFOUND' })
          await expect(fetch(real.origin + path)).rejects.toMatchObject({ cause: { code: 'ENOTFOUND' } })
        }
      })
    } finally {
      await real.close()
    }
    expect(hits).toBe(0)
  })

  test('see a handler that breaks down as a reset connection', () =>
    play(
      () => async () => {
        throw new Error('a bug')
      },
      async () => {
        await expect(ask(AGENT)).rejects.toMatchObject({ code: 'ECONNRESET' })
      },
    ))

  test('see a stream end on a connection they keep', () =>
    play(
      () => async () => new Response(ReadableStream.from([encoder.encode('data: 0\n\n')])),
      async () => {
        expect((await ask(AGENT, { headers: { connection: 'keep-alive' } })).text).toBe('data: 0\n\n')
      },
    ))

  test('see a stream that breaks as broken, not as ended', () =>
    play(
      (clock) => streamingAgent(clock, [], 2),
      async ({ exchanges }) => {
        const failure = await ask(AGENT).catch((error: unknown) => error)
        expect(failure).toMatchObject({ code: 'ECONNRESET', text: 'data: 0\n\ndata: 1\n\n' })
        expect(exchanges()).toMatchObject([{ outcome: 'failed', octets: { responseBody: 18 } }])
      },
    ))

  test.each(['answer', 'request'] as const)(
    'that destroy the %s in the middle of a stream are heard',
    async (what) => {
      const noted: string[] = []
      await play(
        (clock) => streamingAgent(clock, noted),
        async ({ network, exchanges }) => {
          await new Promise<void>((resolve) => {
            const sent = http.get(AGENT, (answer) => {
              answer.on('error', () => {})
              let events = 0
              answer.on('data', () => {
                events += 1
                if (events < 3) return
                if (what === 'answer') answer.destroy()
                else sent.destroy()
                resolve()
              })
            })
            sent.on('error', () => {})
          })
          await network.settled()
          // The third event was written at 35 ms and arrived at 38; the agent hears of it at 43.
          expect(exchanges()).toMatchObject([
            { outcome: 'aborted', endUs: 38 * MS, octets: { responseBody: 27 } },
          ])
        },
      )
      expect(noted).toEqual(['abort at 43 ms', 'cancel at 43 ms'])
    },
  )
})

describe('paths with a colon', () => {
  const paths = [
    '/message:send',
    '/message:stream',
    '/messageXYZ',
    '/tasks/1:subscribe',
    '/tasks/:id',
    '/a.json',
  ]
  test.each(paths)('%s arrives as it is', (path) =>
    play(echo, async () => {
      for (const text of [(await ask(AGENT + path)).text, await (await fetch(AGENT + path)).text()])
        expect(JSON.parse(text)).toMatchObject({ path })
    }),
  )
})

describe('programs on the global fetch', () => {
  const waysToLetGo: [string, (response: Response, controller: AbortController) => Promise<unknown>][] = [
    ['an abort', async (_, controller) => controller.abort()],
    ['a cancelled reader', async (response) => response.body?.getReader().cancel()],
    [
      'a loop left',
      async (response) => {
        for await (const _ of response.body ?? []) break
      },
    ],
  ]

  test.each(waysToLetGo)('%s in the middle of a stream: as with a fetch handed over', async (_, letGo) => {
    const playWith = async (fetchOf: (network: Wire) => typeof fetch) => {
      const noted: string[] = []
      const records = await play(
        (clock) => streamingAgent(clock, noted),
        async ({ clock, network, exchanges }) => {
          const controller = new AbortController()
          const response = await fetchOf(network)(AGENT, { signal: controller.signal })
          await clock.sleep(17 * MS)
          await letGo(response, controller)
          expect(clock.nowUs()).toBe(25 * MS)
          await network.settled()
          return exchanges()
        },
      )
      return { noted, records: structuredClone(records) }
    }
    const injected = await playWith((network) => network.fetchFrom('client'))
    const global = await playWith(() => globalThis.fetch)
    expect(global).toEqual(injected)
    expect(global.noted).toEqual(['abort at 30 ms', 'cancel at 30 ms'])
    expect(global.records).toMatchObject([
      { outcome: 'aborted', endUs: 25 * MS, octets: { responseBody: 18 } },
    ])
  })

  test('a stream that breaks is `terminated`', () =>
    play(
      (clock) => streamingAgent(clock, [], 2),
      async () => {
        const response = await fetch(AGENT)
        await expect(response.text()).rejects.toMatchObject({
          message: 'terminated',
          cause: { code: 'UND_ERR_SOCKET' },
        })
      },
    ))
})

test('everything is given back', async () => {
  const globals = () => [
    globalThis.fetch,
    globalThis.Headers,
    globalThis.Request,
    globalThis.Response,
    Headers.prototype.set,
    http.request,
    http.get,
    http.ClientRequest,
    https.request,
    https.get,
    request,
    process.eventNames().map((name) => [name, process.listenerCount(name)]),
  ]
  const before = globals()
  const standing: Clock = {
    nowUs: () => 0,
    at: () => () => {},
    sleep: () => Promise.resolve(),
    waiting: () => () => {},
    dateOf: () => new Date(0),
  }
  const network = createNetwork({
    clock: standing,
    journal: createJournal(),
    path: () => DIRECT_PATH,
    random: (purpose) => randomStream(1, purpose),
    describe: { operation: () => '', event: () => '' },
  })
  network.host(AGENT, 'agent', echo())
  const interception = interceptGlobals(network, 'client')
  expect(globalThis.fetch).not.toBe(before[0])
  expect(request).not.toBe(before[10])
  await ask(AGENT)
  interception.close()
  expect(globals()).toEqual(before)
})

test('node:http clients cost the same octets here and over real sockets', async () => {
  const agent = (): Handler => async (asked) => {
    await asked.text()
    if (new URL(asked.url).pathname === '/measured')
      return new Response('{}', { headers: { 'content-length': '2' } })
    const chunks = ['data: 1\n\n', 'data: 22\n\n'].map((chunk) => encoder.encode(chunk))
    return new Response(ReadableStream.from(chunks), { headers: { 'content-type': 'text/event-stream' } })
  }
  const closing = new http.Agent({ keepAlive: false })
  const requests: [string, http.RequestOptions, string[]][] = [
    ['/measured', {}, []],
    ['/streamed', { headers: { Accept: 'text/event-stream', 'X-Several': ['a', 'b'] } }, []],
    ['/measured', { agent: closing }, []],
    ['/measured', { agent: false }, []],
    ['/measured', { headers: { connection: 'close' } }, []],
    ['/measured', { method: 'POST' }, []],
    ['/measured', { method: 'DELETE' }, []],
    ['/measured', { method: 'HEAD' }, []],
    ['/measured', { method: 'POST', headers: { 'content-length': '5' } }, ['{"', 'a":']],
    ['/streamed', { method: 'POST', headers: { 'content-type': 'application/json' } }, ['{"a":', '1}']],
    ['/streamed', { method: 'PUT', headers: { 'transfer-encoding': 'chunked' } }, []],
  ]
  const { wire, sockets } = await playTwice(
    { agent: { party: 'agent', handler: agent } },
    async (arm: Arm) => {
      const interception = arm.network === undefined ? undefined : interceptGlobals(arm.network, 'client')
      try {
        for (const [path, options, body] of requests) {
          await ask(`${arm.origins['agent']}${path}`, options, body)
          await arm.mark(`${options.method ?? 'GET'} ${path} ${JSON.stringify(options.headers ?? {})}`)
        }
      } finally {
        interception?.close()
      }
    },
  )
  expect(wire).toEqual(sockets)
})
