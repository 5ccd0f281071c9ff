import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { type Task, TaskState, SendMessageRequest } from '@a2a-js/sdk'
import { type Client, ClientFactory, JsonRpcTransportFactory, RestTransportFactory } from '@a2a-js/sdk/client'
import { afterEach, describe, expect, test } from 'vitest'
import { HUNDRED_SECONDS, scenarioOf, seconds, status } from '../testing/scenario.ts'
import { serve, type ServeOptions, type Serving } from './index.ts'

/** The job of 100 s in a quarter of a second. */
const SPEED = 400

let serving: Serving | undefined
let faults: unknown[] = []
let heldBack: string[] = []

async function start(options: Partial<ServeOptions> = {}): Promise<Serving> {
  faults = []
  heldBack = []
  serving = await serve({
    scenario: scenarioOf(),
    host: '127.0.0.1',
    port: 0,
    speed: SPEED,
    remoteWebhooks: false,
    onHeldBack: (url) => heldBack.push(url),
    onFault: (error) => faults.push(error),
    ...options,
  })
  return serving
}

afterEach(async () => {
  await serving?.close()
  serving = undefined
  expect(faults).toEqual([])
})

/** A job that is not over before the test is. */
const LONG = scenarioOf({
  updates: [status(0, 'working'), status(seconds(1_000_000), 'completed')],
})

const HEADERS = { 'A2A-Version': '1.0', 'Content-Type': 'application/json' }
const message = { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'Find a venue in Porto for 40' }] }

const post = (origin: string, path: string, configuration: object = {}): Promise<Response> =>
  fetch(`${origin}/rest${path}`, {
    method: 'POST',
    headers: HEADERS,
    body: JSON.stringify({ message, configuration }),
  })

async function begin(origin: string, configuration: object = {}): Promise<string> {
  const response = await post(origin, '/message:send', { ...configuration, returnImmediately: true })
  return ((await response.json()) as { task: { id: string } }).task.id
}

/** What an EventSource would make of a body: the data of each event. */
const dataOf = (text: string): { task?: object; statusUpdate?: { status: { state: string } } }[] =>
  text
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => JSON.parse(block.replace(/^data: /, '')))

describe.each(['HTTP+JSON', 'JSONRPC'])('the official client over %s', (binding) => {
  const connect = (origin: string): Promise<Client> =>
    new ClientFactory({
      transports: [new JsonRpcTransportFactory(), new RestTransportFactory()],
      preferredTransports: [binding],
    }).createFromUrl(origin)
  const request = (returnImmediately: boolean) =>
    SendMessageRequest.fromJSON({ message, configuration: { returnImmediately } })

  test('finds the card, sends, and polls to the end', async () => {
    const client = await connect((await start()).origin)
    let task = (await client.sendMessage(request(true))) as Task
    expect(task.status?.state).toBe(TaskState.TASK_STATE_SUBMITTED)
    while (task.status?.state !== TaskState.TASK_STATE_COMPLETED) {
      await pause(50)
      task = await client.getTask({ tenant: '', id: task.id })
    }
    expect(task.artifacts).toMatchObject([{ artifactId: 'venues-shortlist', parts: [{}, {}] }])
    const [created, completed] = [task.history[0], task.status]
    expect(created).toMatchObject({ messageId: 'm-1' })
    expect(completed.message?.parts).toMatchObject([{ content: { value: 'Here are the venues.' } }])
  })

  test('reads a stream to its end, in the agent’s own time', async () => {
    const client = await connect((await start()).origin)
    const said: (string | undefined)[] = []
    const timestamps: number[] = []
    for await (const { payload } of client.sendMessageStream(request(false))) {
      said.push(payload?.$case)
      if (payload?.$case === 'statusUpdate')
        timestamps.push(Date.parse(payload.value.status?.timestamp as string))
    }
    expect(said).toEqual([
      'task',
      'statusUpdate',
      'statusUpdate',
      'artifactUpdate',
      'artifactUpdate',
      'statusUpdate',
    ])
    const [begun = NaN, , ended = NaN] = timestamps
    // Within some milliseconds: a status without a message may be stamped later than it is due.
    expect(ended - begun).toBeCloseTo(100_000, -2)
  })

  test('waits for a send that blocks', async () => {
    const client = await connect((await start()).origin)
    const task = (await client.sendMessage(request(false))) as Task
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED)
  })
})

describe('without a client library', () => {
  test('the card names the address that was found', async () => {
    const { origin } = await start()
    expect(origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    const card = (await (await fetch(`${origin}/.well-known/agent-card.json`)).json()) as {
      supportedInterfaces: { url: string }[]
    }
    expect(card.supportedInterfaces.map(({ url }) => url)).toEqual([`${origin}/rest`, `${origin}/a2a/v1`])
  })

  test('an EventSource follows a task: the version in the query, no header but Accept', async () => {
    // The end must not come before the subscription.
    const { origin } = await start({ speed: 100 })
    const id = await begin(origin)
    const response = await fetch(`${origin}/rest/tasks/${id}:subscribe?A2A-Version=1.0`, {
      headers: { Accept: 'text/event-stream' },
    })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const events = dataOf(await response.text())
    expect(events[0]).toHaveProperty('task')
    expect(events.at(-1)?.statusUpdate?.status.state).toBe('TASK_STATE_COMPLETED')
  })

  test('on all addresses of the machine, the card names one that can be called', async () => {
    const { origin } = await start({ host: '0.0.0.0' })
    expect(origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect((await fetch(`${origin}/.well-known/agent-card.json`)).status).toBe(200)
  })
})

describe('without a scenario', () => {
  interface Task {
    id: string
    contextId: string
    status: { state: string; message?: { parts: { text?: string; url?: string }[] } }
    artifacts?: { artifactId: string; parts: { text?: string }[] }[]
  }

  const say = async (origin: string, text: string, more: object = {}): Promise<Task> => {
    const response = await fetch(`${origin}/rest/message:send`, {
      method: 'POST',
      headers: HEADERS,
      body: JSON.stringify({ message: { ...message, parts: [{ text }], ...more } }),
    })
    return ((await response.json()) as { task: Task }).task
  }
  const get = async (origin: string, id: string): Promise<Task> =>
    (await (await fetch(`${origin}/rest/tasks/${id}`, { headers: HEADERS })).json()) as Task

  test('it is the venue finder: asks for what is missing, and books when leave is given on its page', async () => {
    const { origin } = await start({ scenario: undefined })
    const asking = await say(origin, 'Please book a venue for 40 people')
    expect(asking.status.state).toBe('TASK_STATE_INPUT_REQUIRED')
    const { id, contextId, status: waiting } = await say(origin, 'Porto', { taskId: asking.id })
    expect(waiting.state).toBe('TASK_STATE_AUTH_REQUIRED')
    const link = waiting.message?.parts.find(({ url }) => url !== undefined)?.url as string
    expect(link).toBe(`${origin}/leave/${id}`)

    expect(await (await fetch(link)).text()).toContain('<form method="post">')
    expect((await get(origin, id)).status.state).toBe('TASK_STATE_AUTH_REQUIRED')
    expect((await fetch(link, { method: 'POST' })).status).toBe(200)
    let task = await get(origin, id)
    while (task.status.state === 'TASK_STATE_WORKING') {
      await pause(5)
      task = await get(origin, id)
    }
    expect(task).toMatchObject({ contextId, status: { state: 'TASK_STATE_COMPLETED' } })
    expect(task.artifacts?.[0]?.parts[0]?.text).toMatch(/is booked: .*Porto/)

    for (const other of [link, `${origin}/leave/nobody`, `${origin}/leave/%ff`])
      expect((await fetch(other, { method: 'POST' })).status).toBe(404)
    expect((await fetch(link, { method: 'PUT' })).status).toBe(405)
  })
})

describe('the end', () => {
  test('open streams end whole, a held send breaks off, and the port is free', async () => {
    const { origin, close } = await start({ scenario: LONG, speed: 1 })
    const id = await begin(origin)
    const streams = await Promise.all([
      post(origin, '/message:stream'),
      fetch(`${origin}/rest/tasks/${id}:subscribe?A2A-Version=1.0`),
    ])
    const bodies = streams.map((response) => response.text())
    const held = post(origin, '/message:send').then(
      () => 'answered',
      () => 'broken off',
    )
    // Another request that has been answered: the held one has been received.
    await fetch(`${origin}/rest/tasks/${id}`, { headers: HEADERS })
    await close()
    serving = undefined
    for (const body of bodies) expect(dataOf(await body).length).toBeGreaterThan(0)
    expect(await held).toBe('broken off')
    await expect(fetch(origin)).rejects.toThrow('fetch failed')
    await (await start({ port: Number(new URL(origin).port) })).close()
    serving = undefined
  })
})

describe('webhook posts', () => {
  interface Received {
    message: IncomingMessage
    body: string
  }

  /** A receiver in real time, slower to answer than the agent's patience at this speed. */
  async function receiver(slownessMs: number) {
    const received: Received[] = []
    let enough = () => {}
    const server = createServer((message, reply) => {
      let body = ''
      message.on('data', (octets) => (body += String(octets)))
      message.on('end', () => {
        received.push({ message, body })
        setTimeout(() => reply.writeHead(200).end(), slownessMs)
        if (received.length === HUNDRED_SECONDS.length) enough()
      })
    })
    const all = new Promise<void>((resolve) => (enough = resolve))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    return { received, all, port, close: () => server.close().closeAllConnections() }
  }

  test('reach a receiver on this machine, which has real time to answer', async () => {
    const { origin } = await start({ speed: 1_000 })
    const { received, all, port, close } = await receiver(50)
    await begin(origin, {
      taskPushNotificationConfig: {
        url: `http://localhost:${port}/hook`,
        authentication: { scheme: 'Bearer', credentials: 'secret' },
      },
    })
    await all
    await pause(100)
    expect(received.map(({ message: { headers } }) => headers.authorization)).toEqual(
      HUNDRED_SECONDS.map(() => 'Bearer secret'),
    )
    expect(received.map(({ body }) => Object.keys(JSON.parse(body)))).toEqual(
      ['statusUpdate', 'statusUpdate', 'artifactUpdate', 'artifactUpdate', 'statusUpdate'].map((kind) => [
        kind,
      ]),
    )
    close()
  })

  test('do not leave this machine unless they may', async () => {
    const { origin } = await start({ speed: 1_000 })
    await begin(origin, { taskPushNotificationConfig: { url: 'http://client.example/hook' } })
    while (heldBack.length === 0) await pause(10)
    expect(new Set(heldBack)).toEqual(new Set(['http://client.example/hook']))
  })
})

test.each([0, -1, NaN, Infinity, 1_001])('a speed of %d is refused', async (speed) => {
  await expect(start({ speed })).rejects.toThrow(/^the speed is a number above 0, up to 1000, not /)
})

test('a port that is taken is an error of node:net', async () => {
  const { origin } = await start()
  const taken = serving
  await expect(start({ port: Number(new URL(origin).port) })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  expect(serving).toBe(taken)
})
