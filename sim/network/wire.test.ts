import { describe, expect, test } from 'vitest'
import type { Clock } from '../kernel/clock.ts'
import { fixed } from '../kernel/distribution.ts'
import { randomStream } from '../kernel/random.ts'
import { inVirtualTime } from '../kernel/virtual-time.ts'
import { createJournal } from '../records/journal.ts'
import type { ConnectionRecord, ExchangeRecord } from '../records/record.ts'
import { connectionRefused } from './failures.ts'
import { DIRECT_PATH } from '../path/path.ts'
import type { Handler } from './network.ts'
import { createNetwork, type Wire } from './wire.ts'

const MS = 1000
const S = 1000 * MS
const AGENT = 'https://agent.example'
const encoder = new TextEncoder()

interface Stage {
  clock: Clock
  network: Wire
  /** As the client. */
  fetch: typeof globalThis.fetch
  exchanges: () => ExchangeRecord[]
  connections: () => ConnectionRecord[]
}

/** Plays on a network of one agent, in virtual time, with a horizon of an hour. */
async function play<T>(
  setting: { upUs?: number; downUs?: number; agent: (clock: Clock) => Handler },
  body: (stage: Stage) => Promise<T>,
): Promise<T> {
  const end = await inVirtualTime({ horizonUs: 3600 * S }, async (clock) => {
    const journal = createJournal()
    const network = createNetwork({
      clock,
      journal,
      path: () => ({
        ...DIRECT_PATH,
        latency: { up: fixed(setting.upUs ?? 0), down: fixed(setting.downUs ?? 0) },
      }),
      random: (purpose) => randomStream(1, purpose),
      describe: {
        operation: (method, pathAndQuery, text) => `${method} ${pathAndQuery} ${text}`.trim(),
        event: (event) => event.trim(),
      },
    })
    network.host(AGENT, 'agent', setting.agent(clock))
    const of = <K extends 'exchange' | 'connection'>(kind: K) =>
      journal.records().filter((record) => record.kind === kind)
    return body({
      clock,
      network,
      fetch: network.fetchFrom('client'),
      exchanges: () => of('exchange') as ExchangeRecord[],
      connections: () => of('connection') as ConnectionRecord[],
    })
  })
  if (end.kind !== 'settled') throw new Error(`did not settle: ${end.waiting.join('; ')}`)
  expect(end.leftovers).toEqual({ events: 0, timers: 0, waiting: [] })
  return end.value
}

const json = () => async () => Response.json({ state: 'working' })

/** An event stream whose writer notes what befalls it. */
function streaming(clock: Clock, everyUs: number, count: number, noted: string[] = []): Response {
  const gone = new AbortController()
  const body = new ReadableStream({
    async start(controller) {
      for (let n = 0; n < count; n++) {
        await clock.sleep(everyUs, gone.signal)
        controller.enqueue(encoder.encode(`data: ${n}\n\n`))
      }
      controller.close()
    },
    cancel() {
      gone.abort()
      noted.push(`cancel at ${clock.nowUs()}`)
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

const readerOf = (response: Response) => (response.body as ReadableStream<Uint8Array>).getReader()

type Failure = Error & { cause?: Error & { code?: string } }

async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  const failure = await promise.then(
    () => undefined,
    (error: unknown) => error as Failure,
  )
  if (failure === undefined) throw new Error('nothing failed')
  return failure
}

describe('an exchange', () => {
  test('is recorded before the client sees its end', () =>
    play({ agent: json }, async ({ fetch, exchanges }) => {
      const response = await fetch(`${AGENT}/tasks/1?history=0`, { method: 'POST', body: 'give me' })
      expect(exchanges()).toEqual([
        {
          kind: 'exchange',
          number: 1,
          from: 'client',
          to: 'agent',
          operation: 'POST /tasks/1?history=0 give me',
          startUs: 0,
          endUs: 0,
          status: 200,
          outcome: 'complete',
          octets: { requestHead: 249, requestBody: 7, responseHead: 163 + 6 + 5, responseBody: 19 },
        },
      ])
      expect(await response.json()).toEqual({ state: 'working' })
    }))

  test('takes the latency of both directions, and shows the handler the time it arrives', () =>
    play(
      { upUs: 50 * MS, downUs: 30 * MS + 1, agent: (clock) => async () => Response.json(clock.nowUs()) },
      async ({ clock, fetch, exchanges }) => {
        expect(await (await fetch(AGENT)).json()).toBe(50 * MS)
        expect(clock.nowUs()).toBe(80 * MS + 1)
        expect(exchanges()).toMatchObject([{ startUs: 0, endUs: 80 * MS + 1 }])
      },
    ))

  test('without latency puts nothing on the clock', async () => {
    const never = (): never => {
      throw new Error('the clock was asked to wait')
    }
    const clock: Clock = { nowUs: () => 0, at: never, sleep: never, waiting: () => () => {}, dateOf: never }
    const network = createNetwork({
      clock,
      journal: createJournal(),
      path: () => DIRECT_PATH,
      random: (purpose) => randomStream(1, purpose),
      describe: { operation: () => '', event: () => '' },
    })
    network.host(AGENT, 'agent', json())
    expect(await (await network.fetchFrom('client')(AGENT)).json()).toEqual({ state: 'working' })
  })

  test('says who waits while it is open', async () => {
    const silent = play({ agent: () => () => new Promise(() => {}) }, ({ fetch }) =>
      fetch(`${AGENT}/tasks/1`),
    )
    await expect(silent).rejects.toThrow('client waits for GET https://agent.example/tasks/1')
  })

  test('looks to both sides as a real one does', () =>
    play(
      {
        agent: () => async (request) => {
          const { method, url, headers } = request
          const seen = { method, url, headers: Object.fromEntries(headers), body: await request.text() }
          return Response.json(seen, { status: 202, headers: { 'retry-after': '3' } })
        },
      },
      async ({ fetch }) => {
        const init = {
          method: 'PUT',
          body: new URLSearchParams({ a: 'é' }),
          headers: { 'A2A-Version': '1.0' },
        }
        const response = await fetch(new Request(`${AGENT}/x?y`, init))
        expect(response).toBeInstanceOf(Response)
        expect([response.status, response.statusText, response.ok]).toEqual([202, 'Accepted', true])
        expect([response.url, response.redirected]).toEqual([`${AGENT}/x?y`, false])
        expect(response.headers.get('retry-after')).toBe('3')
        expect(await response.json()).toEqual({
          method: 'PUT',
          url: `${AGENT}/x?y`,
          headers: {
            'a2a-version': '1.0',
            'content-type': 'application/x-www-form-urlencoded;charset=UTF-8',
          },
          body: 'a=%C3%A9',
        })
      },
    ))
})

test('a part of a buffer is sent as that part', () =>
  play(
    { agent: () => async (request) => new Response(await request.text()) },
    async ({ fetch, exchanges }) => {
      const response = await fetch(AGENT, { method: 'POST', body: encoder.encode('abcdef').subarray(1, 3) })
      expect(await response.text()).toBe('bc')
      expect(exchanges()).toMatchObject([{ octets: { requestBody: 2, responseBody: 2 } }])
    },
  ))

describe('a body that arrived in one piece', () => {
  const answer = () => async () =>
    new Response('{"a":"é"}', { headers: { 'content-type': 'application/json' } })

  test('can be read in every way, once', () =>
    play({ agent: answer }, async ({ fetch }) => {
      const text = '{"a":"é"}'
      expect(await (await fetch(AGENT)).text()).toBe(text)
      expect(await (await fetch(AGENT)).json()).toEqual({ a: 'é' })
      expect(new Uint8Array(await (await fetch(AGENT)).arrayBuffer())).toEqual(encoder.encode(text))
      expect((await (await fetch(AGENT)).blob()).size).toBe(10)
      const streamed: Uint8Array[] = []
      for await (const chunk of (await fetch(AGENT)).body ?? []) streamed.push(chunk)
      expect(streamed).toEqual([encoder.encode(text)])

      const response = await fetch(AGENT)
      const copy = response.clone()
      expect(response.bodyUsed).toBe(false)
      await response.text()
      expect(response.bodyUsed).toBe(true)
      await expect(response.text()).rejects.toThrow(TypeError)
      expect(() => response.clone()).toThrow(TypeError)
      expect(response.body?.locked).toBe(false)
      expect(await copy.text()).toBe(text)
      const opened = await fetch(AGENT)
      expect(opened.body).toBe(opened.body)
      expect(await opened.clone().text()).toBe(text)
      expect(await opened.text()).toBe(text)
      expect(opened.bodyUsed).toBe(true)
    }))

  test('is absent where HTTP has none', () =>
    play({ agent: () => async () => new Response(null, { status: 204 }) }, async ({ fetch }) => {
      const response = await fetch(AGENT)
      expect([response.body, await response.text()]).toEqual([null, ''])
    }))
})

describe('a stream', () => {
  test('arrives chunk by chunk, each after the latency, and is recorded event by event', () => {
    const agent = () => (clock: Clock) => async () =>
      new Response(
        new ReadableStream({
          async start(controller) {
            controller.enqueue(encoder.encode('data: at once\n\n'))
            await clock.sleep(10 * MS)
            controller.enqueue(encoder.encode(': still here\n\n'))
            await clock.sleep(10 * MS)
            controller.enqueue(encoder.encode('data: late\n\n'))
            controller.close()
          },
        }),
        { headers: { 'content-type': 'text/event-stream; charset=utf-8' } },
      )
    return play({ upUs: 5 * MS, downUs: 7 * MS, agent: agent() }, async ({ clock, fetch, exchanges }) => {
      const reader = readerOf(await fetch(AGENT))
      expect(clock.nowUs()).toBe(12 * MS)
      const seen: [number, string][] = []
      for (;;) {
        const { done, value } = await reader.read()
        if (done) break
        expect(exchanges()).toEqual([])
        seen.push([clock.nowUs() / MS, new TextDecoder().decode(value)])
      }
      expect(seen).toEqual([
        [12, 'data: at once\n\n'],
        [22, ': still here\n\n'],
        [32, 'data: late\n\n'],
      ])
      expect(exchanges()).toMatchObject([
        {
          endUs: 32 * MS,
          outcome: 'complete',
          arrivals: [
            { atUs: 12 * MS, of: 'event', says: 'data: at once' },
            { atUs: 22 * MS, of: 'heartbeat', says: 'still here' },
            { atUs: 32 * MS, of: 'event', says: 'data: late' },
          ],
          octets: { responseBody: 15 + 14 + 12, responseHead: 179 + 3 * 5 + 5 },
        },
      ])
    })
  })

  test('counts what the server wrote, even if nobody reads it', () =>
    play({ agent: (clock) => async () => streaming(clock, MS, 4) }, async ({ network, fetch, exchanges }) => {
      await fetch(AGENT)
      await network.settled()
      expect(exchanges()).toMatchObject([
        { outcome: 'complete', endUs: 4 * MS, octets: { responseBody: 36 } },
      ])
    }))

  test('can be read into a buffer of the reader, and be written from one buffer again and again', () => {
    const heartbeat = encoder.encode(': ping\n\n')
    const agent = (clock: Clock) => async () =>
      new Response(
        new ReadableStream({
          async pull(controller) {
            await clock.sleep(MS)
            if (clock.nowUs() > 3 * MS) controller.close()
            else controller.enqueue(heartbeat)
          },
        }),
      )
    return play({ agent }, async ({ fetch }) => {
      const body = (await fetch(AGENT)).body as ReadableStream<Uint8Array>
      const reader = body.getReader({ mode: 'byob' })
      const texts: string[] = []
      for (;;) {
        const { done, value } = await reader.read(new Uint8Array(100))
        if (done) break
        texts.push(new TextDecoder().decode(value))
      }
      expect(texts).toEqual([': ping\n\n', ': ping\n\n', ': ping\n\n'])
    })
  })
})

describe('a client that lets go', () => {
  const waysToLetGo: [string, (response: Response, controller: AbortController) => Promise<unknown>][] = [
    ['aborts', async (_, controller) => controller.abort()],
    ['cancels its reader', async (response) => readerOf(response).cancel()],
    ['cancels the body', async (response) => response.body?.cancel()],
    [
      'breaks out of a loop',
      async (response) => {
        for await (const _ of response.body ?? []) break
      },
    ],
  ]

  test.each(waysToLetGo)('and %s is heard by the server after the latency', async (_, letGo) => {
    const noted: string[] = []
    const records = await play(
      {
        upUs: 25 * MS,
        downUs: 5 * MS,
        agent: (clock) => async (request) => {
          request.signal.addEventListener('abort', () => noted.push(`abort at ${clock.nowUs()}`))
          return streaming(clock, 10 * MS, 100, noted)
        },
      },
      async ({ clock, network, fetch, exchanges, connections }) => {
        const controller = new AbortController()
        const response = await fetch(AGENT, { signal: controller.signal })
        await clock.sleep(22 * MS) // at 52 ms, when two events have arrived
        await letGo(response, controller)
        expect(clock.nowUs()).toBe(52 * MS)
        await network.settled()
        network.close()
        return [...exchanges(), ...connections()]
      },
    )
    expect(noted).toEqual([`abort at ${77 * MS}`, `cancel at ${77 * MS}`])
    // Written at 35, 45, 55, 65 and 75 ms, just before it heard; arrived at 40 and 50 ms.
    expect(records).toMatchObject([
      { outcome: 'aborted', endUs: 52 * MS, octets: { responseBody: 5 * 9 } },
      { closedUs: 52 * MS },
    ])
    expect((records[0] as ExchangeRecord).arrivals).toHaveLength(2)
  })

  test('gets the reason of its signal, before the head and in the body', () =>
    play(
      { downUs: MS, agent: (clock) => async () => streaming(clock, 10 * MS, 5) },
      async ({ clock, fetch }) => {
        const reason = new Error('enough')
        const early = new AbortController()
        const pending = failureOf(fetch(AGENT, { signal: early.signal }))
        await clock.sleep(500)
        early.abort(reason)
        expect(await pending).toBe(reason)

        const late = new AbortController()
        const reader = readerOf(await fetch(AGENT, { signal: late.signal }))
        const read = failureOf(reader.read())
        late.abort()
        expect(await read).toMatchObject({ name: 'AbortError' })
      },
    ))

  test('by a timeout of virtual time gets a TimeoutError', () =>
    play({ agent: () => () => new Promise(() => {}) }, async ({ clock, fetch }) => {
      const failure = await failureOf(fetch(AGENT, { signal: AbortSignal.timeout(5000) }))
      expect(failure.name).toBe('TimeoutError')
      expect(clock.nowUs()).toBe(5 * S)
    }))

  test('before it began sends nothing', () =>
    play({ agent: json }, async ({ fetch, exchanges }) => {
      expect((await failureOf(fetch(AGENT, { signal: AbortSignal.abort() }))).name).toBe('AbortError')
      const controller = new AbortController()
      const pending = failureOf(fetch(AGENT, { signal: controller.signal }))
      controller.abort()
      expect((await pending).name).toBe('AbortError')
      expect(exchanges()).toEqual([])
    }))

  test('after the end changes nothing, and leaves no listener behind', () =>
    play({ agent: json }, async ({ fetch, exchanges }) => {
      const controller = new AbortController()
      let listeners = 0
      const { signal } = controller
      const add = signal.addEventListener.bind(signal)
      const remove = signal.removeEventListener.bind(signal)
      signal.addEventListener = (...args: Parameters<typeof add>) => (listeners++, add(...args))
      signal.removeEventListener = (...args: Parameters<typeof remove>) => (listeners--, remove(...args))
      const response = await fetch(AGENT, { signal })
      expect(listeners).toBe(0)
      controller.abort()
      expect(await response.json()).toEqual({ state: 'working' })
      expect(exchanges()).toMatchObject([{ outcome: 'complete' }])
    }))

  test('after the server had written everything spares the server the news', async () => {
    const noted: string[] = []
    await play(
      {
        downUs: 10 * MS,
        agent: (clock) => async (request) => {
          request.signal.addEventListener('abort', () => noted.push('abort'))
          return streaming(clock, 0, 1, noted)
        },
      },
      async ({ clock, network, fetch, exchanges }) => {
        const controller = new AbortController()
        const pending = failureOf(fetch(AGENT, { signal: controller.signal }))
        await clock.sleep(5 * MS)
        controller.abort()
        await pending
        await network.settled()
        expect(exchanges()).toMatchObject([{ outcome: 'aborted', status: undefined, endUs: 5 * MS }])
      },
    )
    expect(noted).toEqual([])
  })
})

describe('failures look as on a real network', () => {
  test('no such host', () =>
    play({ agent: json }, async ({ fetch, exchanges }) => {
      const failure = await failureOf(fetch('https://nowhere.example/x'))
      expect(failure).toMatchObject({ name: 'TypeError', message: 'fetch failed' })
      expect(failure.cause).toMatchObject({ code: 'ENOTFOUND', hostname: 'nowhere.example' })
      expect(exchanges()).toEqual([])
    }))

  test('connection refused: nothing was written, no connection came about', () =>
    play(
      {
        upUs: MS,
        downUs: MS,
        agent: () => async () => {
          throw connectionRefused()
        },
      },
      async ({ clock, network, fetch, exchanges, connections }) => {
        const failure = await failureOf(fetch(AGENT, { method: 'POST', body: 'x' }))
        expect(failure.cause).toMatchObject({ code: 'ECONNREFUSED', port: 443 })
        expect(clock.nowUs()).toBe(2 * MS)
        network.close()
        const octets = { requestHead: 0, requestBody: 0, responseHead: 0, responseBody: 0 }
        expect(exchanges()).toMatchObject([{ outcome: 'failed', status: undefined, octets }])
        expect(connections()).toEqual([])
      },
    ))

  test('a handler that breaks down resets the connection, and its error is not lost', () =>
    play(
      {
        agent: () => async () => {
          throw new Error('a bug')
        },
      },
      async ({ network, fetch, exchanges, connections }) => {
        const failure = await failureOf(fetch(AGENT))
        expect(failure).toMatchObject({ name: 'TypeError', message: 'fetch failed' })
        expect(failure.cause).toMatchObject({ code: 'ECONNRESET', cause: { message: 'a bug' } })
        network.close()
        expect(exchanges()).toMatchObject([{ outcome: 'failed', endUs: 0, octets: { responseHead: 0 } }])
        expect(connections()).toMatchObject([{ closedUs: 0 }])
      },
    ))

  test('Response.error() resets the connection', () =>
    play({ agent: () => async () => Response.error() }, async ({ fetch }) => {
      expect((await failureOf(fetch(AGENT))).cause).toMatchObject({ code: 'ECONNRESET' })
    }))

  const brokenStream = () => {
    let written = 0
    return new ReadableStream({
      pull(controller) {
        if (written++ < 2) controller.enqueue(encoder.encode(`data: ${written}\n\n`))
        else controller.error(new Error('a bug'))
      },
    })
  }

  test('a body that breaks: what came before can be read, then `terminated`', () =>
    play({ agent: () => async () => new Response(brokenStream()) }, async ({ fetch, exchanges }) => {
      const reader = readerOf(await fetch(AGENT))
      for (const n of [1, 2])
        expect(new TextDecoder().decode((await reader.read()).value)).toBe(`data: ${n}\n\n`)
      const failure = await failureOf(reader.read())
      expect(failure).toMatchObject({ name: 'TypeError', message: 'terminated' })
      expect(failure.cause).toMatchObject({ code: 'UND_ERR_SOCKET', cause: { message: 'a bug' } })
      // Both chunks and their framing, but no last chunk.
      expect(exchanges()).toMatchObject([{ outcome: 'failed', status: 200, octets: { responseBody: 18 } }])
      expect(exchanges()[0]?.octets.responseHead).toBe(131 + 2 * 5)
    }))

  test('a body that is not as long as declared', () =>
    play(
      { agent: () => async () => new Response('abc', { headers: { 'content-length': '4' } }) },
      async ({ fetch }) => {
        const failure = await failureOf((await fetch(AGENT)).text())
        expect(failure.cause?.cause).toMatchObject({ message: expect.stringContaining('content-length 4') })
      },
    ))

  test('requests that Node would not send', () =>
    play({ agent: json }, async ({ fetch }) => {
      expect((await failureOf(fetch('/relative'))).message).toContain('Failed to parse URL')
      expect((await failureOf(fetch('data:,x'))).cause?.message).toContain('carries http and https')
      const refused = fetch(AGENT, { headers: { 'transfer-encoding': 'chunked' } })
      expect((await failureOf(refused)).cause?.message).toBe('invalid transfer-encoding header')
    }))
})

describe('an upload', () => {
  test('reaches the handler piece by piece', () =>
    play(
      {
        upUs: 5 * MS,
        agent: (clock) => async (request) => {
          const seen: unknown[] = []
          for await (const chunk of request.body ?? [])
            seen.push([clock.nowUs() / MS, new TextDecoder().decode(chunk)])
          return Response.json(seen)
        },
      },
      async ({ clock, fetch, exchanges }) => {
        async function* pieces() {
          for (const piece of ['one', 'two']) {
            await clock.sleep(10 * MS)
            yield encoder.encode(piece)
          }
        }
        const init = { method: 'POST', body: ReadableStream.from(pieces()), duplex: 'half' } as const
        const response = await fetch(AGENT, init as RequestInit)
        expect(await response.json()).toEqual([
          [15, 'one'],
          [25, 'two'],
        ])
        // A JSON-RPC call of node:http is uploaded as well: only its whole body names the operation.
        expect(exchanges()).toMatchObject([
          { operation: 'POST / onetwo', startUs: 0, endUs: 25 * MS, octets: { requestBody: 6 } },
        ])
      },
    ))

  test('that breaks fails the request, and the handler sees it break', async () => {
    let seen: unknown
    await play(
      {
        agent: () => async (request) => {
          seen = await request.text().catch((error: unknown) => error)
          throw new Error('no body')
        },
      },
      async ({ network, fetch }) => {
        let pulls = 0
        const body = new ReadableStream({
          pull(controller) {
            if (pulls++ === 0) controller.enqueue(encoder.encode('x'))
            else controller.error(new Error('disk full'))
          },
        })
        const failure = await failureOf(fetch(AGENT, { method: 'POST', body, duplex: 'half' } as RequestInit))
        expect(failure.cause?.message).toBe('disk full')
        await network.settled()
      },
    )
    expect(seen).toMatchObject({ message: 'terminated' })
  })
})

describe('connections', () => {
  const HEAD = { method: 'HEAD' }
  const DELETE_WITH_BODY = { method: 'DELETE', body: 'x' }
  test.each([
    ['one after the other share one', {}, {}, 1],
    ['closed by the answer', {}, { connection: 'close' }, 2],
    ['closed by the request', { headers: { connection: 'close' } }, {}, 2],
    ['not used again by Node after HEAD', HEAD, {}, 2],
    ['not used again by Node after an unexpected body', DELETE_WITH_BODY, {}, 2],
  ])('%s', (_, init: RequestInit, headers: Record<string, string>, expected) =>
    play(
      { agent: () => async () => new Response('x', { headers }) },
      async ({ network, fetch, connections }) => {
        await (await fetch(AGENT, init)).text()
        await (await fetch(AGENT, init)).text()
        network.close()
        expect(connections()).toHaveLength(expected)
      },
    ),
  )

  test('at the same time need one each', () =>
    play(
      { agent: (clock) => async () => streaming(clock, MS, 3) },
      async ({ network, fetch, connections }) => {
        await Promise.all([fetch(AGENT), fetch(AGENT), fetch(AGENT)])
        await network.settled()
        network.close()
        expect(connections().map(({ closedUs }) => closedUs)).toEqual([4003 * MS, 4003 * MS, 4003 * MS])
      },
    ))
})

describe('the end of a run', () => {
  test('records what is open as it stands, and nothing after it', () =>
    play(
      { agent: (clock) => async () => streaming(clock, 10 * MS, 100) },
      async ({ clock, network, fetch, exchanges, connections }) => {
        const controller = new AbortController()
        const reader = readerOf(await fetch(AGENT, { signal: controller.signal }))
        await clock.sleep(25 * MS)
        network.close()
        const open = { outcome: 'open', endUs: undefined, status: 200, octets: { responseBody: 18 } }
        expect(exchanges()).toMatchObject([open])
        expect(connections()).toMatchObject([{ openedUs: 0, closedUs: 25 * MS }])

        await clock.sleep(20 * MS)
        expect(exchanges()).toMatchObject([open])

        // A client that lets go afterwards still gets its answer, and the server hears of it.
        controller.abort()
        await expect(reader.closed).rejects.toMatchObject({ name: 'AbortError' })
        await clock.sleep(50 * MS)
        expect(exchanges()).toMatchObject([open])
        await expect(fetch(AGENT)).rejects.toThrow('the run is over')
      },
    ))

  test('forgets what is under way', () =>
    play({ upUs: S, downUs: S, agent: json }, async ({ clock, network, fetch, exchanges }) => {
      void fetch(AGENT)
      await clock.sleep(1.5 * S)
      network.close()
      // Written, but not arrived: no status yet. `play` sees that nothing is left on the clock.
      expect(exchanges()).toMatchObject([
        { outcome: 'open', status: undefined, octets: { responseBody: 19 } },
      ])
    }))
})
