/**
 * The proof of octets.ts: the same requests and answers, on the wire in virtual
 * time and by Node's own `fetch` over real sockets, give the same octets.
 */
import type { AddressInfo } from 'node:net'
import tls from 'node:tls'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { LOOPBACK_CERTIFICATE, LOOPBACK_KEY } from './loopback-certificate.suite.ts'
import type { Handler } from './network.ts'
import { requestHeadOctets } from './octets.ts'
import { playTwice, type Arm } from './two-arms.suite.ts'

// Real sockets take their time on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

const MS = 1000
const encoder = new TextEncoder()

function atOnce(chunks: readonly (string | Uint8Array)[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks)
        controller.enqueue(typeof chunk === 'string' ? encoder.encode(chunk) : chunk)
      controller.close()
    },
  })
}

const events = (count: number) => Array.from({ length: count }, (_, n) => `data: {"update":${n}}\n\n`)

/**
 * An agent whose streams do nothing by the clock once they have begun, so that
 * a slow machine cannot change what is written.
 */
function streamingAgent(heard: string[]): Handler {
  let breakOff = () => {}
  return async (request) => {
    const { pathname, searchParams } = new URL(request.url)
    const count = Number(searchParams.get('events'))
    request.signal.addEventListener('abort', () => heard.push('abort'))
    switch (pathname) {
      case '/ending':
        return new Response(atOnce(events(count)), { headers: { 'content-type': 'text/event-stream' } })
      case '/staying': {
        const body = new ReadableStream({
          start(controller) {
            for (const event of events(count)) controller.enqueue(encoder.encode(event))
            breakOff = () => controller.error(new Error('the agent fell over'))
          },
          cancel: () => void heard.push('cancel'),
        })
        return new Response(body, {
          headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' },
        })
      }
      case '/break-off':
        breakOff()
        return new Response(null, { status: 204 })
      default:
        throw new Error('the agent fell over before it answered')
    }
  }
}

test('streams: whole, left, aborted, broken by the server; and no answer at all', async () => {
  const told: unknown[] = []
  let heard: string[] = []
  const handler = () => streamingAgent((heard = []))
  const { wire, sockets } = await playTwice({ agent: { party: 'agent', handler } }, async (arm) => {
    const fetch = arm.fetchFrom('client')
    const origin = arm.origins['agent'] as string
    const seen: unknown[] = []
    const hears = async () => {
      while (heard.length < 2) await arm.clock.sleep(5 * MS)
      seen.push(heard.splice(0))
    }
    const readSome = async (response: Response, count: number) => {
      const reader = (response.body as ReadableStream<Uint8Array>).getReader()
      for (let octets = 0; octets < events(count).join('').length;)
        octets += (await reader.read()).value?.byteLength ?? Infinity
      return reader
    }

    seen.push(await (await fetch(`${origin}/ending?events=5`, { method: 'POST', body: '{}' })).text())
    await arm.mark('whole')

    const left = await readSome(await fetch(`${origin}/staying?events=3`, { method: 'POST', body: '{}' }), 3)
    await left.cancel()
    await hears()
    await arm.mark('left after 3')

    const controller = new AbortController()
    const aborted = await fetch(`${origin}/staying?events=2`, { signal: controller.signal })
    const reader = await readSome(aborted, 2)
    controller.abort()
    seen.push(await outcomeOf(reader.read()))
    await hears()
    await arm.mark('aborted after 2')

    const broken = await readSome(await fetch(`${origin}/staying?events=3`), 3)
    await fetch(`${origin}/break-off`)
    seen.push(await outcomeOf(broken.read()))
    await arm.mark('broken by the server')

    seen.push(await outcomeOf(fetch(`${origin}/crash`)))
    await arm.mark('no answer')
    told.push(seen)
  })
  expect(wire).toEqual(sockets)
  expect(wire).toHaveLength(5)
  expect(told[1]).toEqual(told[0])
})

/** How something failed, in the terms real clients decide by. */
async function outcomeOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => 'no failure',
    (error: Error & { cause?: { code?: string; message?: string } }) => ({
      name: error.name,
      message: error.message,
      code: error.cause?.code,
      cause: error.cause?.message,
    }),
  )
}

/** One exchange: what the client sends and what the host answers. */
interface Case {
  method: string
  path: string
  headers: Record<string, string>
  cache: Request['cache']
  body: { kind: 'none' | 'text' | 'bytes' | 'params' | 'form' | 'stream'; parts: string[] }
  answer: {
    status: number
    headers: Record<string, string>
    body: { kind: 'none' | 'text' | 'measured' | 'stream'; parts: string[] }
  }
}

/** Node knows the cache modes; its types do not. */
const cacheOf = ({ cache }: Case): RequestInit => ({ cache }) as RequestInit

function bodyOf({ body }: Case): RequestInit {
  switch (body.kind) {
    case 'none':
      return {}
    case 'text':
      return { body: body.parts.join('') }
    case 'bytes':
      return { body: encoder.encode(body.parts.join('')) }
    case 'params':
      return { body: new URLSearchParams(Object.fromEntries(body.parts.map((part, n) => [`p${n}`, part]))) }
    case 'form': {
      const form = new FormData()
      body.parts.forEach((part, n) => form.append(`p${n}`, part))
      return { body: form }
    }
    case 'stream':
      return { body: atOnce(body.parts), duplex: 'half' } as RequestInit
  }
}

function answerOf({ answer: { status, headers, body } }: Case): Response {
  switch (body.kind) {
    case 'none':
      return new Response(null, { status, headers })
    case 'text':
      return new Response(body.parts.join(''), { status, headers })
    case 'measured': {
      const length = String(Buffer.byteLength(body.parts.join('')))
      return new Response(body.parts.join(''), { status, headers: { ...headers, 'content-length': length } })
    }
    case 'stream':
      return new Response(atOnce(body.parts), { status, headers })
  }
}

async function playCases(cases: readonly Case[]) {
  const handler = (): Handler => async (request) => {
    await request.arrayBuffer()
    const index = Number(new URL(request.url).searchParams.get('case'))
    return answerOf(cases[index] as Case)
  }
  return playTwice({ agent: { party: 'agent', handler } }, async (arm) => {
    for (const [index, each] of cases.entries()) {
      const url = `${arm.origins['agent']}${each.path}?case=${index}`
      const { method, headers } = each
      const response = await arm.fetchFrom('client')(url, {
        method,
        headers,
        ...cacheOf(each),
        ...bodyOf(each),
      })
      await response.arrayBuffer()
      await arm.mark(JSON.stringify(each).slice(0, 600))
    }
  })
}

const plain: Case = {
  method: 'GET',
  path: '/',
  headers: {},
  cache: 'default',
  body: { kind: 'none', parts: [] },
  answer: { status: 200, headers: {}, body: { kind: 'measured', parts: ['{}'] } },
}
const answering = (answer: Partial<Case['answer']>): Case => ({
  ...plain,
  answer: { ...plain.answer, ...answer },
})

test('the cases that are known to be special', async () => {
  const none: Case['answer']['body'] = { kind: 'none', parts: [] }
  const cases: Partial<Case>[] = [
    {},
    ...['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'].map((method) => ({ method })),
    { method: 'POST', body: { kind: 'text', parts: [''] } },
    { method: 'DELETE', body: { kind: 'text', parts: [''] } },
    { method: 'DELETE', body: { kind: 'text', parts: ['{}'] } },
    { method: 'POST', body: { kind: 'stream', parts: [] } },
    { method: 'DELETE', body: { kind: 'stream', parts: [] } },
    { method: 'POST', body: { kind: 'stream', parts: ['a', 'bc'.repeat(8), 'd'.repeat(70_000)] } },
    { method: 'HEAD', answer: { ...plain.answer, body: { kind: 'text', parts: ['abc'] } } },
    ...[200, 201, 202, 205, 404, 503].map((status) => answering({ status, body: none })),
    ...[204, 304].map((status) => answering({ status, body: none })),
    answering({ body: none, headers: { 'content-length': '0' } }),
    answering({ body: { kind: 'text', parts: [''] } }),
    answering({ headers: { connection: 'close' } }),
    answering({ headers: { connection: 'keep-alive' } }),
    answering({ headers: { date: 'Thu, 01 Jan 2026 00:00:00 GMT' } }),
    answering({ headers: { 'transfer-encoding': 'chunked' }, body: { kind: 'stream', parts: ['a'] } }),
    answering({ status: 299, body: { kind: 'text', parts: ['no reason of its own'] } }),
    ...[1, 9, 10, 15, 16, 17, 255, 256, 4095, 4096, 65_535, 65_536, 70_000].map((size) =>
      answering({ body: { kind: 'stream', parts: ['x'.repeat(size), 'y'] } }),
    ),
    answering({ body: { kind: 'stream', parts: ['', 'after an empty chunk', ''] } }),
    ...(['no-store', 'reload', 'no-cache', 'force-cache'] as const).flatMap((cache) => [
      { cache },
      { cache, headers: { pragma: 'x', 'cache-control': 'y' } },
    ]),
    ...['accept', 'accept-language', 'accept-encoding', 'user-agent', 'sec-fetch-mode', 'host', 'range'].map(
      (name) => ({ headers: { [name]: 'bytes=0-1' } }),
    ),
    { headers: { range: 'bytes=0-1', 'accept-encoding': 'gzip' } },
    { headers: { 'if-none-match': '"1"' } },
    { headers: { connection: 'close' } },
    { headers: { connection: 'Keep-Alive' } },
    { method: 'POST', headers: { 'content-length': '2' }, body: { kind: 'text', parts: ['{}'] } },
  ]
  const { wire, sockets } = await playCases(cases.map((each) => ({ ...plain, ...each })))
  expect(wire).toEqual(sockets)
})

test('redirects and referrers', async () => {
  const agent = (arm: Arm): Handler => {
    return async (request) => {
      await request.text()
      const { pathname, searchParams } = new URL(request.url)
      if (pathname === '/there') return Response.json({ method: request.method })
      const to = searchParams.get('to') as string
      const location = `${arm.origins[to]}/there`
      return new Response(null, {
        status: Number(pathname.slice(1)),
        headers: { location, 'content-length': '0' },
      })
    }
  }
  const told: unknown[] = []
  const cast = {
    agent: { party: 'agent', handler: agent },
    other: { party: 'receiver', handler: agent },
  } as const
  const { wire, sockets } = await playTwice(cast, async (arm) => {
    const fetch = arm.fetchFrom('client')
    const seen: unknown[] = []
    for (const to of ['agent', 'other'])
      for (const status of [301, 302, 303, 307, 308])
        for (const method of ['GET', 'POST', 'PUT']) {
          const init = {
            headers: { authorization: 'Bearer x' },
            ...(method !== 'GET' && { body: '{"a":1}' }),
          }
          const response = await fetch(`${arm.origins['agent']}/${status}?to=${to}`, { method, ...init })
          seen.push([response.redirected, new URL(response.url).pathname, await response.json()])
          await arm.mark(`${method} ${status} to ${to}`)
        }
    const unfollowed = `${arm.origins['agent']}/302?to=other`
    seen.push((await fetch(unfollowed, { redirect: 'manual' })).status)
    seen.push(await outcomeOf(fetch(unfollowed, { redirect: 'error' })))
    await arm.mark('not followed')
    for (const referrer of [`${arm.origins['agent']}/a/b?c#d`, `${arm.origins['other']}/a/b`]) {
      await (await fetch(`${arm.origins['agent']}/there`, { referrer })).text()
      await arm.mark(`referrer ${referrer}`)
    }
    told.push(seen)
  })
  expect(wire).toEqual(sockets)
  expect(told[1]).toEqual(told[0])
})

test('any other exchange', async () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'é', '✓', '"', '\n'), maxLength: 40 })
  const parts = fc.array(text, { minLength: 1, maxLength: 4 })
  const headerNames = ['accept', 'a2a-version', 'authorization', 'content-type', 'if-match', 'pragma', 'x-y']
  const headers = fc.dictionary(fc.constantFrom(...headerNames), fc.constantFrom('1', 'text/plain', 'a, b'))
  const filled = fc.record({ kind: fc.constantFrom('text', 'bytes', 'params', 'form', 'stream'), parts })
  const empty = fc.constant({ kind: 'none', parts: [] })
  const answer = fc.record({
    status: fc.constantFrom(200, 202, 400, 404, 409, 429, 500, 503),
    headers: fc.dictionary(
      fc.constantFrom('content-type', 'retry-after', 'x-z', 'connection'),
      fc.constant('close'),
    ),
    body: fc.oneof(empty, fc.record({ kind: fc.constantFrom('text', 'measured', 'stream'), parts })),
  })
  const cache = fc.constantFrom('default', 'no-store', 'no-cache')
  const path = fc.constantFrom('/', '/tasks/1:subscribe', '/a%20b')
  const cases = fc.oneof(
    fc.record({ method: fc.constantFrom('GET', 'HEAD'), path, headers, cache, body: empty, answer }),
    fc.record({
      method: fc.constantFrom('POST', 'PUT', 'PATCH', 'DELETE'),
      path,
      headers,
      cache,
      body: fc.oneof(empty, filled),
      answer,
    }),
  ) as fc.Arbitrary<Case>
  const { wire, sockets } = await playCases(fc.sample(cases, { seed: 1, numRuns: 60 }))
  expect(wire).toEqual(sockets)
})

/** Over TLS fetch asks for one more coding. Octets are counted as the server decrypts them. */
test('the heads of requests over https', async () => {
  const received: string[] = []
  const server = tls.createServer({ cert: LOOPBACK_CERTIFICATE, key: LOOPBACK_KEY }, (socket) => {
    socket.on('data', (octets) => {
      received.push(octets.toString('latin1'))
      socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const requests: [string, RequestInit][] = [
    [`${origin}/.well-known/agent-card.json`, {}],
    [`${origin}/rest/tasks/1`, { headers: { accept: 'application/json', 'a2a-version': '1.0' } }],
    [`${origin}/rest/message:send`, { method: 'POST', headers: { 'content-type': 'a/b' } }],
  ]

  const { connect } = tls
  const trusting = vi
    .spyOn(tls, 'connect')
    .mockImplementation(((options: tls.ConnectionOptions, ...rest: []) =>
      connect({ ...options, ca: LOOPBACK_CERTIFICATE }, ...rest)) as typeof tls.connect)
  try {
    for (const [url, init] of requests) await (await fetch(url, init)).text()
  } finally {
    trusting.mockRestore()
    server.close()
  }

  expect(received).toHaveLength(requests.length)
  expect(received[0]).toContain('accept-encoding: br, gzip, deflate')
  const heads = requests.map(([url, init]) => {
    const { method, headers, cache, mode, referrer } = new Request(url, init)
    return requestHeadOctets({ method, url: new URL(url), headers, body: 'none', cache, mode, referrer })
  })
  expect(heads).toEqual(received.map((text) => text.length))
})
