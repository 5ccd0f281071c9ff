/** What stands before every operation: extensions, tenants, content types, sizes, the card's cache. */
import { describe, expect, test } from 'vitest'
import type { Binding, Task } from '../protocol/a2a.ts'
import { requestOf } from '../protocol/http-json.ts'
import type { Operation } from '../protocol/operation.ts'
import { eventsOf, MESSAGE, onStage, ORIGIN, SEED_JOB, type Stage } from '../testing/agent-stage.ts'
import { BODY_OCTETS_MAX } from './bindings/received-request.ts'

const BINDINGS: Binding[] = ['HTTP+JSON', 'JSONRPC']
const HEADERS = { 'A2A-Version': '1.0', 'Content-Type': 'application/json' }

const send = (
  { raw }: Stage,
  binding: Binding,
  operation: Operation,
  params: Record<string, unknown>,
  more: Record<string, string> = {},
): Promise<Response> => {
  const headers = { ...HEADERS, ...more }
  if (binding === 'JSONRPC') {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: operation, params })
    return raw('/a2a/v1', { method: 'POST', headers, body })
  }
  const { method, pathAndQuery, body } = requestOf(operation, params)
  return raw(`/rest${pathAndQuery}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
}

const reasonOf = async (response: Response) => (await response.text()).match(/"reason":"(\w+)"/)?.[1]

const begun = async (stage: Stage, binding: Binding, more: Record<string, unknown> = {}): Promise<Task> => {
  const params = { ...more, message: MESSAGE, configuration: { returnImmediately: true } }
  const body = (await (await send(stage, binding, 'SendMessage', params)).json()) as {
    task: Task
    result?: { task: Task }
  }
  return (body.result ?? body).task
}

const TIMING = 'https://ext.example/timing'
const TRACE = 'https://ext.example/trace'

describe.each(BINDINGS)('extensions over %s', (binding) => {
  const extensions = [{ uri: TIMING, required: true }, { uri: TRACE }]

  test('one that is required must be declared, for every operation', async () => {
    await onStage({ job: SEED_JOB, settings: { extensions } }, async (stage) => {
      expect(stage.agent.card.capabilities.extensions).toEqual(extensions)
      for (const declared of ['', TRACE, `${TIMING}/v2`]) {
        for (const [operation, params] of [
          ['SendMessage', { message: MESSAGE }],
          ['GetTask', { id: 'none' }],
        ] as const)
          expect(
            await reasonOf(await send(stage, binding, operation, params, { 'A2A-Extensions': declared })),
          ).toBe('EXTENSION_SUPPORT_REQUIRED')
      }
    })
  })

  test('those declared and known are echoed, on results and on streams; unknown ones are passed over', async () => {
    await onStage({ job: SEED_JOB, settings: { extensions } }, async (stage) => {
      const echo = async (operation: Operation, declared: string) => {
        const declares = { 'A2A-Extensions': declared }
        const response = await send(stage, binding, operation, { message: MESSAGE }, declares)
        await response.body?.cancel()
        return response.headers.get('A2A-Extensions')
      }
      const all = `https://ext.example/else, ${TRACE},${TIMING} ,${TRACE}`
      expect(await echo('SendMessage', all)).toBe(`${TRACE}, ${TIMING}`)
      expect(await echo('SendStreamingMessage', TIMING)).toBe(TIMING)
    })
  })

  test('an agent without any has nothing to say of them', async () => {
    await onStage({ job: SEED_JOB }, async (stage) => {
      const response = await send(stage, binding, 'GetTask', { id: 'none' }, { 'A2A-Extensions': TRACE })
      expect(response.headers.has('A2A-Extensions')).toBe(false)
      expect('extensions' in stage.agent.card.capabilities).toBe(false)
    })
  })
})

describe.each(BINDINGS)('tenants over %s', (binding) => {
  const settings = { tenants: ['acme', 'a/b:c'] }

  test('each sees its own tasks only', async () => {
    await onStage({ job: SEED_JOB, settings }, async (stage) => {
      const worlds = ['', 'acme', 'a/b:c'].map((tenant) => (tenant === '' ? {} : { tenant }))
      const ids: string[] = []
      for (const world of worlds) ids.push((await begun(stage, binding, world)).id)
      for (const [at, world] of worlds.entries()) {
        for (const [other, id] of ids.entries()) {
          const reason = await reasonOf(await send(stage, binding, 'GetTask', { ...world, id }))
          expect(reason).toBe(at === other ? undefined : 'TASK_NOT_FOUND')
        }
        const listed = await (await send(stage, binding, 'ListTasks', { ...world })).text()
        expect(ids.filter((id) => listed.includes(id))).toEqual([ids[at]])
      }
    })
  })

  test('one that has no interface in the card is refused; without a list, any is served', async () => {
    const ask = (stage: Stage) => send(stage, binding, 'GetTask', { id: 'none', tenant: 'other' })
    await onStage({ job: SEED_JOB, settings }, async (stage) => {
      expect(await reasonOf(await ask(stage))).toBe('INVALID_PARAMS')
    })
    await onStage({ job: SEED_JOB }, async (stage) => {
      expect(await reasonOf(await ask(stage))).toBe('TASK_NOT_FOUND')
    })
  })
})

test('the card has interfaces for each tenant after those for none', async () => {
  await onStage({ job: SEED_JOB, settings: { tenants: ['acme'] } }, ({ agent }) => {
    const httpJson = { url: `${ORIGIN}/rest`, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' }
    const jsonRpc = { url: `${ORIGIN}/a2a/v1`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }
    expect(agent.card.supportedInterfaces).toEqual([
      httpJson,
      jsonRpc,
      { ...httpJson, tenant: 'acme' },
      { ...jsonRpc, tenant: 'acme' },
    ])
    return Promise.resolve()
  })
})

test('a body may name the tenant, but no other than the address does', async () => {
  await onStage({ job: SEED_JOB }, async ({ raw }) => {
    const post = async (path: string, body: object) =>
      raw(path, { method: 'POST', headers: HEADERS, body: JSON.stringify(body) })
    const ask = { message: MESSAGE, configuration: { returnImmediately: true } }
    const { task } = (await (await post('/rest/message:send', { ...ask, tenant: 'acme' })).json()) as {
      task: Task
    }
    expect((await raw(`/rest/acme/tasks/${task.id}`, { headers: HEADERS })).status).toBe(200)
    expect((await raw(`/rest/tasks/${task.id}?tenant=acme`, { headers: HEADERS })).status).toBe(200)
    expect((await post('/rest/acme/message:send', { ...ask, tenant: 'acme' })).status).toBe(200)
    expect(await reasonOf(await post('/rest/acme/message:send', { ...ask, tenant: 'else' }))).toBe(
      'INVALID_PARAMS',
    )
    const twice = await raw(`/rest/tasks?pageSize=1&pageSize=2`, { headers: HEADERS })
    expect(await reasonOf(twice)).toBe('INVALID_PARAMS')
  })
})

describe.each(BINDINGS)('a body over %s', (binding) => {
  test('may have either JSON type', async () => {
    await onStage({ job: SEED_JOB }, async (stage) => {
      for (const [type, reason] of [
        ['application/json', 'TASK_NOT_FOUND'],
        ['application/a2a+json; charset=utf-8', 'TASK_NOT_FOUND'],
        ['text/plain', 'CONTENT_TYPE_NOT_SUPPORTED'],
      ] as const) {
        const config = { taskId: 'none', url: 'https://client.example/hook' }
        const response = await send(stage, binding, 'CreateTaskPushNotificationConfig', config, {
          'Content-Type': type,
        })
        expect(await reasonOf(response)).toBe(reason)
      }
    })
  })

  test('that is too long is InvalidParams, read or not', async () => {
    const path = binding === 'JSONRPC' ? '/a2a/v1' : '/rest/message:send'
    await onStage({ job: SEED_JOB }, async ({ raw }) => {
      const post = (body: string, more = {}) =>
        raw(path, { method: 'POST', headers: { ...HEADERS, ...more }, body })
      const tooLong = await post(' '.repeat(BODY_OCTETS_MAX + 1))
      expect(await tooLong.text()).toContain(`body must be at most ${BODY_OCTETS_MAX} octets`)
      const declared = await post('{}', { 'Content-Length': '99999999' })
      expect(await declared.text()).toContain('octets, and this has 99999999 or more')
      expect(await reasonOf(await post(' '.repeat(BODY_OCTETS_MAX)))).toBe('JSON_PARSE')
    })
  })

  test('in chunks without end is read until it is too long', async () => {
    const path = binding === 'JSONRPC' ? '/a2a/v1' : '/rest/message:send'
    const chunk = new Uint8Array(BODY_OCTETS_MAX / 2).fill(' '.charCodeAt(0))
    let pulled = 0
    const chunks = (count: number) =>
      new ReadableStream<Uint8Array>({
        pull(controller) {
          if (pulled++ < count) controller.enqueue(chunk)
          else controller.close()
        },
      })
    const headers = { ...HEADERS, 'Transfer-Encoding': 'chunked' }
    await onStage({ job: SEED_JOB }, async ({ raw }) => {
      const post = (count: number) => {
        pulled = 0
        return raw(path, { method: 'POST', headers, body: chunks(count), duplex: 'half' })
      }
      expect(await reasonOf(await post(2))).toBe('JSON_PARSE')
      expect(await reasonOf(await post(100))).toBe('INVALID_PARAMS')
      expect(pulled).toBeLessThan(6)
    })
  })

  test('that is nested without end is refused, not a crash', async () => {
    const path = binding === 'JSONRPC' ? '/a2a/v1' : '/rest/message:send'
    const data = '['.repeat(200_000) + ']'.repeat(200_000)
    const message = JSON.stringify({ message: { ...MESSAGE, parts: [{ data: 0 }] } }).replace(
      '0}',
      `${data}}`,
    )
    const body =
      binding === 'JSONRPC' ? `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":${message}}` : message
    await onStage({ job: SEED_JOB }, async ({ raw }) => {
      const response = await raw(path, { method: 'POST', headers: HEADERS, body })
      expect(await reasonOf(response)).toBe('INVALID_REQUEST')
    })
  })

  test('and a stream opened by either verb begins with the task', async () => {
    await onStage({ job: SEED_JOB }, async (stage) => {
      const { id } = await begun(stage, binding)
      const posted = await send(stage, binding, 'SubscribeToTask', { id })
      const got = await stage.raw(`/rest/tasks/${id}:subscribe`, { headers: HEADERS })
      const streams = await Promise.all([eventsOf(posted), eventsOf(got)])
      expect(streams[0][0]).toMatchObject({ task: { id } })
      expect(streams[1]).toEqual(streams[0])
    })
  })
})

test('who holds the card already is told so, without being sent it again', async () => {
  await onStage({ job: SEED_JOB }, async ({ raw }) => {
    const get = (ifNoneMatch?: string) =>
      raw('/.well-known/agent-card.json', {
        headers: ifNoneMatch === undefined ? {} : { 'If-None-Match': ifNoneMatch },
      })
    const first = await get()
    const etag = first.headers.get('etag') as string
    expect(etag).toMatch(/^"[\w-]+"$/)
    expect(first.headers.get('cache-control')).toBe('max-age=3600')
    for (const held of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await get(held)
      expect([again.status, await again.text()]).toEqual([304, ''])
      expect(again.headers.get('etag')).toBe(etag)
      expect(again.headers.get('cache-control')).toBe('max-age=3600')
    }
    expect((await get('"other"')).status).toBe(200)
  })
})

test('another card has another tag', async () => {
  const tags = new Set<string | null>()
  for (const settings of [{}, { push: false as const }])
    await onStage({ job: SEED_JOB, settings }, async ({ raw }) => {
      tags.add((await raw('/.well-known/agent-card.json')).headers.get('etag'))
    })
  expect(tags.size).toBe(2)
})

test('the error profile decides the HTTP status over HTTP+JSON', async () => {
  const settings = { errorProfile: '1.0.0' as const }
  await onStage({ job: SEED_JOB, settings }, async (stage) => {
    const plain = { 'Content-Type': 'text/plain' }
    const ask = (binding: Binding) => send(stage, binding, 'SendMessage', { message: MESSAGE }, plain)
    expect((await ask('HTTP+JSON')).status).toBe(415)
    expect((await ask('JSONRPC')).status).toBe(200)
  })
})
