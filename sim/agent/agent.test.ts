/** Every operation and every refusal, in both bindings. */
import { describe, expect, test } from 'vitest'
import { US_PER_SECOND } from '../kernel/units.ts'
import type { Binding, Task } from '../protocol/a2a.ts'
import type { Operation } from '../protocol/operation.ts'
import { MESSAGE, onStage, ORIGIN, type Outcome, resultOf, SEED_JOB } from '../testing/agent-stage.ts'
import { jobOf, status } from '../testing/scenario.ts'

const BINDINGS: Binding[] = ['HTTP+JSON', 'JSONRPC']
const WEBHOOK = { url: 'https://client.example/hook' }
const HEADERS = { 'A2A-Version': '1.0', 'Content-Type': 'application/json' }

const reasonOf = (outcome: Outcome): string => ('error' in outcome ? outcome.error.reason : 'ok')

/** One call of a sequence: the instant, the operation, its params given the task of the first send, and how it ends. */
type Step = [number, Operation, (id: string) => Record<string, unknown>, string]

const AT_ONCE = { configuration: { returnImmediately: true } }
const image = { ...MESSAGE, parts: [{ raw: 'aGk=', mediaType: 'image/png' }] }

/** A life of a task with every kind of answer but streams, the errors included. */
const SEQUENCE: Step[] = [
  [0, 'SendMessage', () => ({ message: MESSAGE, ...AT_ONCE }), 'ok'],
  [0, 'GetTask', (id) => ({ id }), 'ok'],
  [0, 'GetTask', (id) => ({ id, historyLength: 0 }), 'ok'],
  [0, 'GetTask', (id) => ({ id, historyLength: 5 }), 'ok'],
  [0, 'GetTask', (id) => ({ id, historyLength: -1 }), 'INVALID_PARAMS'],
  [0, 'GetTask', () => ({ id: 'a task that is not: never, /was?' }), 'TASK_NOT_FOUND'],
  [0, 'CreateTaskPushNotificationConfig', (id) => ({ taskId: id, id: 'mine', ...WEBHOOK }), 'ok'],
  [0, 'CreateTaskPushNotificationConfig', (id) => ({ taskId: id, ...WEBHOOK, token: 'secret' }), 'ok'],
  [0, 'CreateTaskPushNotificationConfig', (id) => ({ taskId: id, url: 'no address' }), 'INVALID_PARAMS'],
  [0, 'CreateTaskPushNotificationConfig', () => ({ taskId: 'none', ...WEBHOOK }), 'TASK_NOT_FOUND'],
  [0, 'GetTaskPushNotificationConfig', (id) => ({ taskId: id, id: 'mine' }), 'ok'],
  [0, 'GetTaskPushNotificationConfig', (id) => ({ taskId: id, id: 'other' }), 'TASK_NOT_FOUND'],
  [0, 'ListTaskPushNotificationConfigs', (id) => ({ taskId: id }), 'ok'],
  [0, 'DeleteTaskPushNotificationConfig', (id) => ({ taskId: id, id: 'mine' }), 'ok'],
  [0, 'DeleteTaskPushNotificationConfig', (id) => ({ taskId: id, id: 'mine' }), 'ok'],
  [0, 'DeleteTaskPushNotificationConfig', () => ({ taskId: 'none', id: 'mine' }), 'TASK_NOT_FOUND'],
  [0, 'ListTaskPushNotificationConfigs', (id) => ({ taskId: id }), 'ok'],
  [0, 'ListTaskPushNotificationConfigs', () => ({ taskId: 'none' }), 'TASK_NOT_FOUND'],
  [20, 'GetTask', (id) => ({ id }), 'ok'],
  [20, 'SendMessage', () => ({}), 'INVALID_PARAMS'],
  [20, 'SendMessage', () => ({ message: { ...MESSAGE, parts: [] } }), 'INVALID_PARAMS'],
  [20, 'SendMessage', () => ({ message: { ...MESSAGE, taskId: 'none' } }), 'TASK_NOT_FOUND'],
  [20, 'SendMessage', (id) => ({ message: { ...MESSAGE, taskId: id }, ...AT_ONCE }), 'ok'],
  [20, 'SendMessage', (id) => ({ message: { ...MESSAGE, taskId: id, contextId: 'c' } }), 'INVALID_PARAMS'],
  [20, 'SendMessage', () => ({ message: image }), 'CONTENT_TYPE_NOT_SUPPORTED'],
  [20, 'SendMessage', () => ({ message: { ...MESSAGE, contextId: 'none' } }), 'INVALID_PARAMS'],
  [20, 'SendStreamingMessage', () => ({ message: { ...MESSAGE, role: 'ROLE_AGENT' } }), 'INVALID_PARAMS'],
  [20, 'SubscribeToTask', () => ({ id: 'none' }), 'TASK_NOT_FOUND'],
  [20, 'ListTasks', () => ({}), 'ok'],
  [20, 'ListTasks', () => ({ pageSize: 0 }), 'INVALID_PARAMS'],
  [20, 'CancelTask', () => ({ id: 'none' }), 'TASK_NOT_FOUND'],
  [20, 'GetExtendedAgentCard', () => ({}), 'UNSUPPORTED_OPERATION'],
  [100, 'GetTask', (id) => ({ id }), 'ok'],
  [100, 'SubscribeToTask', (id) => ({ id }), 'UNSUPPORTED_OPERATION'],
  [100, 'SendMessage', (id) => ({ message: { ...MESSAGE, taskId: id } }), 'UNSUPPORTED_OPERATION'],
  [100, 'CancelTask', (id) => ({ id }), 'TASK_NOT_CANCELABLE'],
  [100, 'ListTasks', () => ({ includeArtifacts: true }), 'ok'],
  [100, 'SendMessage', () => ({ message: MESSAGE }), 'ok'],
]

test('one sequence through both bindings gives the same results and errors', async () => {
  const played = []
  for (const binding of BINDINGS) {
    const fetch = () => Promise.resolve(new Response(null, { status: 204 }))
    const { value } = await onStage({ job: SEED_JOB, fetch }, async ({ ask, at }) => {
      let id = ''
      const outcomes: Outcome[] = []
      for (const [seconds, operation, params] of SEQUENCE) {
        await at(seconds)
        const outcome = await ask(binding, operation, params(id))
        if (id === '') ({ id } = resultOf<{ task: Task }>(outcome).task)
        outcomes.push(outcome)
      }
      return outcomes
    })
    played.push(value)
  }
  const [httpJson, jsonRpc] = played as [Outcome[], Outcome[]]
  expect(jsonRpc).toEqual(httpJson)
  SEQUENCE.forEach(([, operation, , reason], step) => {
    expect(`${operation}: ${reasonOf(httpJson[step] as Outcome)}`).toBe(`${operation}: ${reason}`)
  })
})

describe.each(BINDINGS)('%s', (binding) => {
  test('a send that does not return immediately answers with the finished task', async () => {
    const { leftovers } = await onStage({ job: SEED_JOB }, async ({ ask, clock }) => {
      const { task } = resultOf<{ task: Task }>(await ask(binding, 'SendMessage', { message: MESSAGE }))
      expect(clock.nowUs()).toBe(100 * US_PER_SECOND)
      expect(task.status.state).toBe('TASK_STATE_COMPLETED')
      expect(task.artifacts?.[0]?.parts).toHaveLength(2)
      expect(task.history).toHaveLength(1)
    })
    expect(leftovers).toEqual({ events: 0, timers: 0, waiting: [] })
  })

  test('it answers with a question, too', async () => {
    const job = jobOf([status(5, 'input-required', 'For how many?'), status(9, 'completed')])
    await onStage({ job }, async ({ ask, clock }) => {
      const params = { message: MESSAGE, configuration: { historyLength: 0 } }
      const { task } = resultOf<{ task: Task }>(await ask(binding, 'SendMessage', params))
      expect(clock.nowUs()).toBe(5)
      expect(task.status.message?.parts).toEqual([{ text: 'For how many?' }])
      expect(task.history).toBeUndefined()
    })
  })

  test('a task in a context the agent began keeps it', async () => {
    await onStage({ job: SEED_JOB }, async ({ ask, send }) => {
      const { contextId } = await send()
      const params = { message: { ...MESSAGE, contextId }, configuration: { returnImmediately: true } }
      const { task } = resultOf<{ task: Task }>(await ask(binding, 'SendMessage', params))
      expect(task.contextId).toBe(contextId)
    })
  })

  test('what the card does not offer is refused', async () => {
    const settings = { streaming: false, push: false } as const
    const { moments } = await onStage({ job: SEED_JOB, settings }, async ({ agent, ask }) => {
      expect(agent.card.capabilities).toMatchObject({ streaming: false, pushNotifications: false })
      const reason = async (operation: Operation, params: Record<string, unknown>) =>
        reasonOf(await ask(binding, operation, params))

      expect(await reason('SendStreamingMessage', { message: MESSAGE })).toBe('UNSUPPORTED_OPERATION')
      expect(await reason('SubscribeToTask', { id: 'any' })).toBe('UNSUPPORTED_OPERATION')
      const refused = 'PUSH_NOTIFICATION_NOT_SUPPORTED'
      const configuration = { taskPushNotificationConfig: WEBHOOK }
      expect(await reason('SendMessage', { message: MESSAGE, configuration })).toBe(refused)
      expect(await reason('CreateTaskPushNotificationConfig', { taskId: 't', ...WEBHOOK })).toBe(refused)
      expect(await reason('GetTaskPushNotificationConfig', { taskId: 't', id: 'c' })).toBe(refused)
      expect(await reason('ListTaskPushNotificationConfigs', { taskId: 't' })).toBe(refused)
      expect(await reason('DeleteTaskPushNotificationConfig', { taskId: 't', id: 'c' })).toBe(refused)
    })
    expect(moments).toEqual([])
  })

  test('the version must be 1.0, in the header or in the query, whatever its patch', async () => {
    const path = binding === 'JSONRPC' ? '/a2a/v1' : '/rest/tasks/none'
    const call = { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 'none' } }
    const init = binding === 'JSONRPC' ? { method: 'POST', body: JSON.stringify(call) } : {}
    await onStage({ job: SEED_JOB }, async ({ raw }) => {
      const reason = async (query: string, version?: string) => {
        const headers = {
          'Content-Type': 'application/json',
          ...(version !== undefined && { 'A2A-Version': version }),
        }
        return (await (await raw(path + query, { ...init, headers })).text()).match(/"reason":"(\w+)"/)?.[1]
      }
      for (const [query, version] of [['', '1.0'], ['', '1.0.7'], ['?A2A-Version=1.0']] as const)
        expect(await reason(query, version)).toBe('TASK_NOT_FOUND')
      for (const [query, version] of [
        [''],
        ['', ''],
        ['', '0.3'],
        ['', '1.1'],
        ['?A2A-Version=0.3'],
      ] as const)
        expect(await reason(query, version)).toBe('VERSION_NOT_SUPPORTED')
    })
  })

  test('an error before a stream begins is plain JSON, and every reply tells its length', async () => {
    await onStage({ job: SEED_JOB }, async ({ call, send }) => {
      const { id } = await send()
      const type = binding === 'JSONRPC' ? 'application/json' : 'application/a2a+json'
      for (const response of [
        await call(binding, 'SubscribeToTask', { id: 'none' }),
        await call(binding, 'GetTask', { id }),
        // Length is counted in octets, not in characters.
        await call(binding, 'SendMessage', {
          message: { ...MESSAGE, parts: [{ text: 'São Tomé' }] },
          configuration: { returnImmediately: true },
        }),
      ]) {
        expect(response.headers.get('content-type')).toBe(type)
        const octets = (await response.arrayBuffer()).byteLength
        expect(response.headers.get('content-length')).toBe(String(octets))
      }
    })
  })
})

test('errors have the HTTP status of their kind over HTTP+JSON and 200 over JSON-RPC', async () => {
  await onStage({ job: SEED_JOB }, async ({ call }) => {
    expect((await call('HTTP+JSON', 'GetTask', { id: 'none' })).status).toBe(404)
    expect((await call('HTTP+JSON', 'SendMessage', {})).status).toBe(400)
    expect((await call('JSONRPC', 'GetTask', { id: 'none' })).status).toBe(200)
  })
})

test('what is not JSON, not an object, no operation or no address is an error of its own', async () => {
  await onStage({ job: SEED_JOB }, async ({ raw }) => {
    const reason = async (path: string, init: RequestInit = {}) => {
      const text = await (await raw(path, { headers: HEADERS, ...init })).text()
      return text.match(/"reason":"(\w+)"/)?.[1]
    }
    const post = (body: string, type = 'application/json') => ({
      method: 'POST',
      body,
      headers: { ...HEADERS, 'Content-Type': type },
    })
    expect(await reason('/rest/message:send', post('{'))).toBe('JSON_PARSE')
    expect(await reason('/rest/message:send', post('[]'))).toBe('INVALID_REQUEST')
    expect(await reason('/rest/message:send', post('{}', 'text/plain'))).toBe('CONTENT_TYPE_NOT_SUPPORTED')
    expect(await reason('/rest/message:send', post('{}', 'application/a2a+json; charset=utf-8'))).toBe(
      'INVALID_PARAMS',
    )
    expect(await reason('/rest/messages')).toBe('METHOD_NOT_FOUND')
    expect(await reason('/a2a/v1', post('{'))).toBe('JSON_PARSE')
    expect(await reason('/a2a/v1', post('[]'))).toBe('INVALID_REQUEST')
    expect(await reason('/a2a/v1', post('{"jsonrpc":"2.0","id":1,"method":"tasks/get"}'))).toBe(
      'METHOD_NOT_FOUND',
    )
    expect(await reason('/a2a/v1')).toBe('METHOD_NOT_FOUND')
    expect(await reason('/')).toBe('METHOD_NOT_FOUND')
  })
})

test('the card is where clients look, asks for no version, and names HTTP+JSON first', async () => {
  await onStage({ job: SEED_JOB }, async ({ raw, agent }) => {
    const response = await raw('/.well-known/agent-card.json')
    expect(response.headers.get('content-type')).toBe('application/json')
    const card = await response.json()
    expect(card).toEqual(agent.card)
    expect(agent.card.supportedInterfaces).toEqual([
      { url: `${ORIGIN}/rest`, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
      { url: `${ORIGIN}/a2a/v1`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    ])
  })
})
