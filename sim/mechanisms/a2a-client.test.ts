import { describe, expect, test } from 'vitest'
import { msOf, US_PER_SECOND } from '../kernel/units.ts'
import type { Binding } from '../protocol/a2a.ts'
import {
  POLL_HINT_HEADER,
  POLL_HINT_KEY,
  SLOW_DOWN_CODE,
  SLOW_DOWN_REASON,
} from '../protocol/delivery-extension.ts'
import type { ErrorName } from '../protocol/errors.ts'
import {
  type Asked,
  cardOf,
  inClientWorld,
  type SceneOptions,
  TASK,
  taskIn,
  viewIn,
} from '../testing/client-world.ts'
import { connect } from './a2a-client.ts'
import { type A2AClient, CallError, type StreamedChange } from './client.ts'

const BINDINGS: Binding[] = ['HTTP+JSON', 'JSONRPC']
const SECOND = US_PER_SECOND

/** What one call to an agent that answers so comes to. */
const calling = async <T>(options: SceneOptions, call: (client: A2AClient) => Promise<T>): Promise<T> =>
  (await inClientWorld(options, async ({ world }) => call(await connect(world)))).value

const failureOf = (options: SceneOptions, call = (client: A2AClient): Promise<unknown> => client.get('T')) =>
  calling(options, async (client) => {
    const error: unknown = await call(client).catch((thrown: unknown) => thrown)
    if (!(error instanceof CallError)) throw new Error(`no CallError: ${String(error)}`)
    return { ...error.failure, says: error.message }
  })

describe.each(BINDINGS)('over %s', (binding) => {
  const answering = (agent: SceneOptions['agent']): SceneOptions => ({ binding, agent })

  test('extensions travel as headers of the one call that wants them', async () => {
    let asked: Asked[] = []
    await inClientWorld(
      answering(({ operation, result }) => result(operation === 'SendMessage' ? { task: TASK } : TASK)),
      async (scene) => {
        const client = await connect(scene.world)
        await client.send({ returnImmediately: true }, { holdUs: 1.5 * SECOND })
        await client.get(TASK.id, { etag: '"7"', holdUs: 30 * SECOND })
        await client.get(TASK.id)
        asked = [...scene.asked]
      },
    )
    const said = asked.map(({ operation, headers }) => [
      operation,
      headers.get('prefer'),
      headers.get('if-none-match'),
    ])
    expect(said).toEqual([
      ['SendMessage', 'wait=1.5', null],
      ['GetTask', 'wait=30', '"7"'],
      ['GetTask', null, null],
    ])
  })

  test('a task comes with its exchange and what the answer says beside it', async () => {
    const headers = { etag: '"1"', 'retry-after': '3', [POLL_HINT_HEADER]: '2500' }
    const answer = await calling(
      answering(({ result }) => result(TASK, { headers })),
      (client) => client.get(TASK.id),
    )
    expect(answer).toEqual({
      of: 'task',
      task: {
        taskId: TASK.id,
        contextId: TASK.contextId,
        view: viewIn('TASK_STATE_WORKING'),
        exchange: 1,
        says: { hintUs: 2.5 * SECOND, retryAfterUs: 3 * SECOND, etag: '"1"' },
      },
    })
  })

  test('a hint in the metadata of the task is read as well', async () => {
    const task = { ...TASK, metadata: { [POLL_HINT_KEY]: 750 } }
    const sent = await calling(
      answering(({ result }) => result({ task })),
      (client) => client.send({}),
    )
    expect(sent.says.hintUs).toBe(0.75 * SECOND)
  })

  test('not modified is an answer', async () => {
    const answer = await calling(
      answering(() => new Response(null, { status: 304, headers: { etag: '"2"' } })),
      (client) => client.get(TASK.id, { etag: '"2"' }),
    )
    expect(answer).toEqual({
      of: 'not-modified',
      says: { hintUs: undefined, retryAfterUs: undefined, etag: '"2"' },
    })
  })

  test('a question is answered on its task, at once or held', async () => {
    const message = { messageId: 'N'.repeat(26), role: 'ROLE_USER' as const, parts: [{ text: '2024' }] }
    const params = await inClientWorld(
      answering(({ result }) => result({ task: TASK })),
      async ({ world, asked }) => {
        const client = await connect(world)
        const task = { taskId: TASK.id, contextId: TASK.contextId ?? '' }
        await client.answer(task, message)
        await client.answer(task, message, {})
        return asked.map((one) => one.params)
      },
    )
    expect(params.value).toMatchObject([
      { message: { ...message, taskId: TASK.id }, configuration: { returnImmediately: true } },
      { message: { ...message, taskId: TASK.id }, configuration: {} },
    ])
    expect(params.value[1]?.['configuration']).not.toHaveProperty('returnImmediately', true)
  })

  test('a webhook is registered for its task', async () => {
    const { value } = await inClientWorld(
      answering(({ params, result }) => result(params ?? {})),
      async ({ world, asked }) => {
        const config = { url: 'https://client.example/hook', token: 't' }
        await (await connect(world)).register(TASK.id, config)
        return asked[0]
      },
    )
    expect(value?.operation).toBe('CreateTaskPushNotificationConfig')
    expect(value?.params).toMatchObject({ taskId: TASK.id, url: 'https://client.example/hook', token: 't' })
  })

  describe('a failed call tells what a client can decide by', () => {
    const status = (code: number, headers?: Record<string, string>, body = '<html>') =>
      answering(
        () => new Response(body, { status: code, statusText: 'Whatever', ...(headers && { headers }) }),
      )

    test('429, with and without Retry-After', async () => {
      const throttled = await failureOf(status(429, { 'retry-after': '7' }))
      expect(throttled).toEqual({
        of: 'throttled',
        retryAfterUs: 7 * SECOND,
        says: 'GetTask was answered with 429 Whatever',
      })
      const when = 'Wed, 21 Oct 2026 07:28:00 GMT'
      expect(await failureOf(status(429, { 'retry-after': when }))).toMatchObject({ retryAfterUs: undefined })
    })

    test.each([500, 502, 503, 504])('%i', async (code) => {
      expect(await failureOf(status(code, { 'retry-after': '1' }))).toEqual({
        of: 'answer',
        status: code,
        retryAfterUs: SECOND,
        says: `GetTask was answered with ${code} Whatever`,
      })
    })

    test.each<[ErrorName, object]>([
      ['TaskNotFoundError', { of: 'gone' }],
      ['UnsupportedOperationError', { of: 'answer', status: 400 }],
      ['InternalError', { of: 'answer', status: 500 }],
    ])('%s', async (name, failure) => {
      const { says, ...told } = await failureOf(
        answering(({ error }) =>
          error(name, name === 'InternalError' ? { status: binding === 'JSONRPC' ? 200 : 500 } : undefined),
        ),
      )
      expect(told).toMatchObject(failure)
      expect(says).not.toContain('answered with')
    })

    test('slow_down', async () => {
      const info = {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: SLOW_DOWN_REASON,
        domain: 'x',
      }
      const error = { message: 'slower, please', status: 'RESOURCE_EXHAUSTED', details: [info] }
      const body =
        binding === 'JSONRPC'
          ? {
              jsonrpc: '2.0',
              id: 1,
              error: { code: SLOW_DOWN_CODE, message: 'slower, please', data: [info] },
            }
          : { error: { code: 400, ...error } }
      const init = { status: binding === 'JSONRPC' ? 200 : 400, headers: { 'retry-after': '5' } }
      expect(await failureOf(answering(() => new Response(JSON.stringify(body), init)))).toEqual({
        of: 'slow-down',
        retryAfterUs: 5 * SECOND,
        says: 'slower, please',
      })
    })

    const cause = (code: string, message: string) => Object.assign(new Error(message), { code })
    test.each([
      ['fetch failed', cause('ECONNREFUSED', 'connect ECONNREFUSED'), { of: 'connection', neverSent: true }],
      ['fetch failed', cause('ENOTFOUND', 'getaddrinfo ENOTFOUND'), { of: 'connection', neverSent: true }],
      ['fetch failed', cause('ECONNRESET', 'read ECONNRESET'), { of: 'connection' }],
      ['fetch failed', cause('UND_ERR_HEADERS_TIMEOUT', 'Headers Timeout Error'), { of: 'timeout' }],
      ['terminated', cause('UND_ERR_SOCKET', 'other side closed'), { of: 'connection' }],
      ['terminated', cause('UND_ERR_BODY_TIMEOUT', 'Body Timeout Error'), { of: 'timeout' }],
    ])('%s, %s', async (message, why, failure) => {
      const { says, ...told } = await failureOf(
        answering(() => {
          if (message === 'fetch failed') throw new TypeError(message, { cause: why })
          const body = new ReadableStream({ start: (it) => it.error(new TypeError(message, { cause: why })) })
          return new Response(body)
        }),
      )
      expect(told).toEqual(failure)
      expect(says).toBe(`GetTask broke off: ${why.message}`)
    })

    test('an answer that ends in the middle', async () => {
      const half = answering(() => new Response('{"id": "T'))
      expect(await failureOf(half)).toMatchObject({ of: 'connection' })
    })

    test('a limit of the client’s own network', async () => {
      const limit = new DOMException('The operation was aborted due to timeout', 'TimeoutError')
      expect(await failureOf(answering(() => Promise.reject(limit)))).toMatchObject({ of: 'timeout' })
    })

    test('a bare message', async () => {
      const message = { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'No.' }] }
      const bare = answering(({ result }) => result({ message }))
      expect((await failureOf(bare, (client) => client.send({}))).says).toContain('began no task')
    })

    test('a fault of ours is none of these', async () => {
      const broken = answering(() => {
        throw new RangeError('a bug')
      })
      await expect(calling(broken, (client) => client.get('T'))).rejects.toThrow(RangeError)
    })
  })

  test('a stream that is refused says why', async () => {
    const over = answering(({ error }) => error('UnsupportedOperationError'))
    const told = await failureOf(over, (client) => client.subscribe(TASK.id).next())
    expect(told).toMatchObject({ of: 'answer', status: 400 })
  })

  test('events come with task, exchange and id, and every sign of life is heard', async () => {
    const working = { taskId: TASK.id, contextId: TASK.contextId, status: TASK.status }
    const artifact = { artifactId: 'a', parts: [{ text: 'one' }] }
    const signs: [number, number | undefined][] = []
    const { value } = await inClientWorld(
      answering(({ headers, stream, ...asked }) => {
        expect(headers.get('last-event-id')).toBe('3')
        expect(asked.operation).toBe('SubscribeToTask')
        return stream(async (out) => {
          out.event({ task: TASK })
          await at(1)
          out.raw(': heartbeat\n\nretry: 40')
          await at(2)
          out.raw('00\n\nid')
          await at(3)
          out.event({ statusUpdate: working }, ': 8\n')
          out.event({
            artifactUpdate: { taskId: TASK.id, contextId: TASK.contextId, artifact, append: true },
          })
          out.end()
        })
      }),
      async ({ world, clock, ...scene }) => {
        at = scene.at
        const client = await connect(world)
        const seen: StreamedChange[] = []
        const onSign = ({ retryUs }: { retryUs: number | undefined }) =>
          void signs.push([msOf(clock.nowUs()), retryUs])
        for await (const event of client.subscribe(TASK.id, { lastEventId: '3', onSign })) seen.push(event)
        return seen
      },
    )
    const task = { taskId: TASK.id, contextId: TASK.contextId }
    const status = viewIn('TASK_STATE_WORKING')
    expect(value).toEqual([
      { change: { of: 'task', view: status }, task, exchange: 1, eventId: undefined },
      {
        change: { of: 'status', state: status.state, timestamp: status.timestamp, messageId: '' },
        task,
        exchange: 1,
        eventId: '8',
      },
      {
        change: { of: 'artifact', artifactId: 'a', says: ['one'], append: true },
        task,
        exchange: 1,
        eventId: '8',
      },
    ])
    const [none, hinted] = [undefined, 4 * SECOND]
    expect(signs).toEqual([
      [0, none], // the head
      [0, none],
      [1000, none],
      [2000, hinted],
      [3000, none],
      [3000, none],
    ])
  })
  let at: (seconds: number) => Promise<void>

  test('octets are heard when they arrive, however slowly events are taken', async () => {
    const heardUs: number[] = []
    const { value } = await inClientWorld(
      answering(({ stream }) =>
        stream(async (out) => {
          out.event({ task: TASK })
          for (const second of [1, 2, 3]) {
            await at(second)
            out.raw(': heartbeat\n\n')
          }
          out.end()
        }),
      ),
      async ({ world, clock, ...scene }) => {
        at = scene.at
        const onSign = () => void heardUs.push(clock.nowUs())
        for await (const _ of (await connect(world)).stream({}, { onSign })) await at(10)
        return clock.nowUs()
      },
    )
    expect(heardUs).toEqual([0, 0, SECOND, 2 * SECOND, 3 * SECOND])
    expect(value).toBe(10 * SECOND)
  })

  test('who breaks a stream off gets the reason, and the agent is told', async () => {
    const enough = new Error('enough')
    const { value, leftovers } = await inClientWorld(
      answering(({ stream }) => stream((out) => out.event({ task: TASK }))),
      async ({ world, clock, asked }) => {
        const mine = new AbortController()
        const events = (await connect(world)).stream({}, { signal: mine.signal })
        await events.next()
        clock.at(5 * SECOND, () => mine.abort(enough))
        const thrown: unknown = await events.next().catch((error: unknown) => error)
        return [thrown, clock.nowUs(), asked[0]?.signal?.aborted]
      },
    )
    expect(value).toEqual([enough, 5 * SECOND, true])
    expect(leftovers).toEqual({ events: 0, timers: 0, waiting: [] })
  })

  test('a reader that leaves cancels the body', async () => {
    let cancelled = false
    const { value } = await inClientWorld(
      {
        binding,
        agent: ({ stream }) => {
          const response = stream((out) => out.event({ task: TASK }))
          const reader = (response.body as ReadableStream<Uint8Array>).getReader()
          const body = new ReadableStream<Uint8Array>({
            async pull(it) {
              const { value: octets } = await reader.read()
              if (octets !== undefined) it.enqueue(octets)
            },
            cancel: () => void (cancelled = true),
          })
          return new Response(body, { headers: response.headers })
        },
      },
      async ({ world }) => {
        for await (const event of (await connect(world)).stream({})) return event.task.taskId
        return 'nothing came'
      },
    )
    expect(value).toBe(TASK.id)
    expect(cancelled).toBe(true)
  })

  test('a stream may take so long to open, and then as long as it likes', async () => {
    const slow = (openUs: number): SceneOptions => ({
      binding,
      agent: async ({ stream }) => {
        await pause(openUs)
        return stream(async (out) => {
          out.event({ task: TASK })
          await pause(100 * SECOND)
          out.end()
        })
      },
    })
    let pause: (us: number) => Promise<void> = async () => {}
    const read = async (openUs: number) => {
      const { value, leftovers } = await inClientWorld(slow(openUs), async ({ world, clock }) => {
        pause = (us) => clock.sleep(us)
        const events = (await connect(world)).stream({}, { timeoutUs: 2 * SECOND })
        let count = 0
        try {
          for await (const _ of events) count++
        } catch (error) {
          if (error instanceof CallError) return [error.failure.of, clock.nowUs()]
        }
        return [count, clock.nowUs()]
      })
      return [value, leftovers.waiting]
    }
    expect(await read(2 * SECOND)).toEqual([[1, 102 * SECOND], []])
    expect(await read(3 * SECOND)).toEqual([['timeout', 2 * SECOND], []])
  })

  test('calls may overlap: each has its own limit, exchange and end', async () => {
    const { value, leftovers } = await inClientWorld(
      {
        binding,
        agent: async ({ number, result }) => {
          await pause((4 - number) * 10 * SECOND)
          return result(taskIn('TASK_STATE_COMPLETED'), { headers: { etag: `"${number}"` } })
        },
      },
      async ({ world, clock }) => {
        pause = (us) => clock.sleep(us)
        const client = await connect(world)
        const get = (timeoutUs: number) =>
          client.get(TASK.id, { timeoutUs }).then(
            (answer) => [clock.nowUs(), answer.of === 'task' && answer.task.exchange, answer],
            (error: unknown) => [clock.nowUs(), error instanceof CallError && error.message, undefined],
          )
        return Promise.all([get(25 * SECOND), get(20 * SECOND), get(11 * SECOND)])
      },
    )
    expect(value.map(([atUs, what]) => [atUs, what])).toEqual([
      [25 * SECOND, 'GetTask had no answer within 25 s'],
      [20 * SECOND, 2],
      [10 * SECOND, 3],
    ])
    expect(value[1]?.[2]).toMatchObject({ task: { says: { etag: '"2"' } } })
    expect(leftovers).toMatchObject({ timers: 0, waiting: [] })
  })
  let pause: (us: number) => Promise<void> = async () => {}

  test('the world’s own end is no failure of a call', async () => {
    const over = new Error('the run is over')
    const { value, leftovers } = await inClientWorld(
      { binding, agent: () => new Promise<Response>(() => {}) },
      async ({ world, clock, dismiss }) => {
        const client = await connect(world)
        clock.at(SECOND, () => dismiss(over))
        const first: unknown = await client
          .get(TASK.id, { timeoutUs: 9 * SECOND })
          .catch((error: unknown) => error)
        const after: unknown = await client.get(TASK.id).catch((error: unknown) => error)
        return [first, after]
      },
    )
    expect(value).toEqual([over, over])
    expect(leftovers).toEqual({ events: 0, timers: 0, waiting: [] })
  })
})

test('requests of all parts of a policy are numbered in one row, and the card is fetched once', async () => {
  const { value } = await inClientWorld(
    {
      binding: 'JSONRPC',
      agent: ({ operation, result }) =>
        operation === 'agent card'
          ? new Response(JSON.stringify(cardOf('JSONRPC', { streaming: true })))
          : result(TASK),
    },
    async ({ world, asked }) => {
      const ids: unknown[] = []
      const counting: typeof fetch = async (input, init) => {
        const response = await world.fetch(input, init)
        if (typeof init?.body === 'string') ids.push((JSON.parse(init.body) as { id: unknown }).id)
        return response
      }
      const whole = { ...world, fetch: counting, fetchesCard: true }
      const [one, other] = [
        await connect(whole),
        await connect({
          ...whole,
          fetch: (...all) => counting(...all),
          signal: new AbortController().signal,
        }),
      ]
      await one.get(TASK.id)
      await other.get(TASK.id)
      await one.get(TASK.id)
      return { ids, operations: asked.map(({ operation }) => operation) }
    },
  )
  expect(value.operations).toEqual(['agent card', 'GetTask', 'GetTask', 'GetTask'])
  expect(value.ids).toEqual([1, 2, 3])
})

test('a card that cannot be fetched fails by its status, and is asked for again', async () => {
  const { value } = await inClientWorld(
    { agent: () => new Response('', { status: 503, statusText: 'Service Unavailable' }) },
    async ({ world, asked }) => {
      const fetching = { ...world, fetchesCard: true }
      const first: unknown = await connect(fetching).catch((error: unknown) => error)
      await connect(fetching).catch(() => {})
      return { first, asked: asked.length }
    },
  )
  expect(value.first).toMatchObject({
    message: 'the request for the agent card was answered with 503 Service Unavailable',
    failure: { of: 'answer', status: 503 },
  })
  expect(value.asked).toBe(2)
})
