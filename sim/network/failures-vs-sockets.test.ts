/**
 * The failures of the wire beside those of Node's own `fetch` over real
 * sockets, where the same thing happens to the same stream. A real server does
 * by hand what a hop or a host does on the wire.
 */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test, vi } from 'vitest'
import type { ClientLimits } from '../policies/middlebox.ts'
import { closedBy } from './failures.ts'
import type { Path } from '../path/path.ts'
import { AGENT, answering, hop, play, S, streaming, type Setting } from './stage.suite.ts'

// Real sockets take their time on a busy machine, and undici's timers tick twice a second.
vi.setConfig({ testTimeout: 60_000 })

/** Reads to the end: what came, and how it ended. */
async function outcomeOf(response: Promise<Response>): Promise<unknown> {
  let text = ''
  try {
    const { body } = await response
    for await (const chunk of body ?? []) text += new TextDecoder().decode(chunk as Uint8Array)
    return { text, ended: 'cleanly' }
  } catch (error) {
    const { name, message, cause } = error as Error & { cause?: NodeJS.ErrnoException }
    return {
      text,
      name,
      message,
      cause: cause && { name: cause.name, message: cause.message, code: cause.code },
    }
  }
}

async function onSockets(
  serve: (reply: ServerResponse) => void,
  request: (origin: string) => Promise<Response>,
): Promise<unknown> {
  const server = createServer((_, reply) => serve(reply))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    return await outcomeOf(request(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const onTheWire = (setting: Setting, init: () => RequestInit = () => ({})) =>
  play(setting, (stage) => outcomeOf(stage.fetch(AGENT, init())))

/** Two events, then nothing until a hop cuts in this way. */
const cutStream = (cut: 'close' | 'reset' | 'silent', limits?: Partial<ClientLimits>) =>
  onTheWire({
    path: { hops: [hop({ idleUs: 60 * S, cut })], ...(limits && limitedBy(limits)) },
    agent: (clock) =>
      streaming(clock, [
        [0, 'a'],
        [1, 'b'],
        [900, 'c'],
      ]),
  })

const limitedBy = (limits: Partial<ClientLimits>): Partial<Path> => ({
  limits: {
    name: undefined,
    timeoutUs: undefined,
    firstByteUs: undefined,
    idleUs: undefined,
    connections: undefined,
    ...limits,
  },
})

/** Two events, and a moment for them to arrive. */
function writeTwo(reply: ServerResponse, then: () => void): void {
  reply.writeHead(200, { 'content-type': 'text/event-stream' })
  reply.write('data: a\n\n')
  reply.write('data: b\n\n')
  setTimeout(then, 100)
}

/** The class of undici's agents, which Node does not export: its timeouts can be set. */
async function impatient(timeouts: { headersTimeout?: number; bodyTimeout?: number }): Promise<RequestInit> {
  await fetch('data:,x')
  const dispatcher = Reflect.get(globalThis, Symbol.for('undici.globalDispatcher.1')) as object
  const Agent = dispatcher.constructor as new (options: object) => object
  return { dispatcher: new Agent(timeouts) } as RequestInit
}

test('a stream cut by a clean end', async () => {
  const real = await onSockets((reply) => writeTwo(reply, () => reply.end()), fetch)
  expect(await cutStream('close')).toEqual(real)
  expect(real).toMatchObject({ ended: 'cleanly' })
})

test('a stream cut by a reset', async () => {
  const real = await onSockets((reply) => writeTwo(reply, () => reply.socket?.resetAndDestroy()), fetch)
  expect(await cutStream('reset')).toEqual(real)
})

test('a stream whose connection closes in the middle', async () => {
  const real = await onSockets((reply) => writeTwo(reply, () => reply.destroy()), fetch)
  const agent: Setting['agent'] = (clock) => async () => {
    let written = 0
    const body = new ReadableStream({
      async pull(controller) {
        await clock.sleep(S)
        if (written === 2) throw new Error('fell over')
        controller.enqueue(new TextEncoder().encode(`data: ${'ab'[written++]}\n\n`))
      },
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }
  expect(await onTheWire({ agent })).toEqual(real)
})

test('a body of declared length that ends early', async () => {
  const real = await onSockets((reply) => {
    reply.writeHead(200, { 'content-length': 100 })
    reply.write('data: a\n\n')
    setTimeout(() => reply.destroy(), 100)
  }, fetch)
  const agent: Setting['agent'] = (clock) => async (request) => {
    const { body } = await streaming(clock, [
      [0, 'a'],
      [900, 'b'],
    ])(request)
    return new Response(body, { headers: { 'content-length': '100' } })
  }
  expect(await onTheWire({ path: { hops: [hop({ idleUs: 60 * S })] }, agent })).toEqual(real)
})

test('a reset before the answer', async () => {
  const real = await onSockets((reply) => reply.socket?.resetAndDestroy(), fetch)
  const wire = await play({ agent: (clock) => answering(clock, 60) }, async (stage) => {
    const outcome = outcomeOf(stage.fetch(AGENT))
    await stage.at(1)
    stage.network.disconnect('agent')
    return outcome
  })
  expect(wire).toEqual(real)
})

test('a connection that is closed before the answer', async () => {
  const real = await onSockets((reply) => reply.destroy(), fetch)
  expect(await outcomeOf(Promise.reject(closedBy(undefined)))).toEqual(real)
})

test('a client that waits too long for the head', async () => {
  const limits = await impatient({ headersTimeout: 50 })
  const real = await onSockets(
    () => {},
    (origin) => fetch(origin, limits),
  )
  const agent: Setting['agent'] = (clock) => answering(clock, 900)
  expect(await onTheWire({ path: limitedBy({ firstByteUs: 300 * S }), agent })).toEqual(real)
})

test('a client that waits too long in the body', async () => {
  const limits = await impatient({ bodyTimeout: 50 })
  const real = await onSockets(
    (reply) => writeTwo(reply, () => {}),
    (origin) => fetch(origin, limits),
  )
  expect(await cutStream('silent', { idleUs: 300 * S })).toEqual(real)
})

test('a client whose time is up, before the head and in the body', async () => {
  const init = () => ({ signal: AbortSignal.timeout(300) })
  const agent: Setting['agent'] = (clock) => answering(clock, 900)
  const early = await onSockets(
    () => {},
    (origin) => fetch(origin, init()),
  )
  expect(await onTheWire({ path: limitedBy({ timeoutUs: 300 * S }), agent })).toEqual(early)
  const late = await onSockets(
    (reply) => writeTwo(reply, () => {}),
    (origin) => fetch(origin, init()),
  )
  expect(await cutStream('silent', { timeoutUs: 300 * S })).toEqual(late)
})
