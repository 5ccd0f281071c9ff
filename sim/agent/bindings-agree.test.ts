/**
 * Two thin bindings around one core: one sequence of calls, errors included,
 * through both, and every answer compared by content. Ids are drawn in the same
 * order, so even they must be equal.
 */
import { expect, test } from 'vitest'
import { US_PER_SECOND } from '../kernel/units.ts'
import type { Binding, Task } from '../protocol/a2a.ts'
import { type ErrorName, errorNameOf } from '../protocol/errors.ts'
import { requestOf } from '../protocol/http-json.ts'
import type { Operation } from '../protocol/operation.ts'
import { chunksOf, MESSAGE, onStage, type Stage } from '../testing/agent-stage.ts'
import { chunk, jobOf, seconds, status } from '../testing/scenario.ts'
import type { AgentSettings } from './settings.ts'

const WEBHOOK = { url: 'https://client.example/hook' }
/** An extension the agent requires. */
const URI = 'https://a2a.example/extensions/budget'
const AT_ONCE = { returnImmediately: true }

const JOB = jobOf([
  status(0, 'working'),
  status(seconds(20), 'working', 'Searching venues.'),
  chunk(seconds(60), 'shortlist'),
  chunk(seconds(100), 'shortlist', { append: true, lastChunk: true }),
  status(seconds(100), 'completed', 'Here are the venues.'),
])

/** What an answer comes to, whatever the binding. */
type Answered =
  | { result: unknown }
  | { events: [atSeconds: number, event: unknown][] }
  | { error: ErrorName; message: string; details: object[] | undefined }

/** What one can ask about: the task begun first, its context, and another. */
interface Known {
  id: string
  contextId: string
  /** The task begun last. */
  last: string
}

/** One call: the instant in seconds, the operation, its params, and how it ends: `ok`, `stream`, or an error by name. */
type Step = [number, Operation, (known: Known) => Record<string, unknown>, 'ok' | 'stream' | ErrorName]

const say = (extra: object = {}) => ({ message: { ...MESSAGE, ...extra }, configuration: AT_ONCE })

const SEQUENCE: Step[] = [
  [0, 'SendMessage', () => say(), 'ok'],
  [0, 'GetTask', ({ id }) => ({ id }), 'ok'],
  [0, 'GetTask', ({ id }) => ({ id, historyLength: 0 }), 'ok'],
  [0, 'GetTask', ({ id }) => ({ id, historyLength: 5 }), 'ok'],
  [0, 'GetTask', ({ id }) => ({ id, historyLength: -1 }), 'InvalidParamsError'],
  [0, 'GetTask', () => ({ id: 'a task that is not: never, /was?' }), 'TaskNotFoundError'],
  [0, 'SendMessage', () => ({}), 'InvalidParamsError'],
  [0, 'SendMessage', () => say({ parts: [] }), 'InvalidParamsError'],
  [0, 'SendMessage', () => say({ parts: [{ text: 'a', url: 'b' }] }), 'InvalidParamsError'],
  [0, 'SendMessage', () => say({ parts: [{ filename: 'a' }] }), 'InvalidParamsError'],
  [0, 'SendMessage', () => say({ role: 'ROLE_AGENT' }), 'InvalidParamsError'],
  [0, 'SendMessage', () => say({ messageId: '' }), 'InvalidParamsError'],
  [0, 'SendMessage', () => say({ taskId: 'none' }), 'TaskNotFoundError'],
  [0, 'SendMessage', () => say({ contextId: 'none' }), 'InvalidParamsError'],
  [0, 'SendStreamingMessage', () => say({ parts: 'words' }), 'InvalidParamsError'],
  [0, 'SendStreamingMessage', () => say({ taskId: 'none' }), 'TaskNotFoundError'],
  [1, 'SendMessage', ({ contextId }) => say({ contextId, parts: [{ text: 'Again' }] }), 'ok'],
  [2, 'CreateTaskPushNotificationConfig', ({ id }) => ({ taskId: id, id: 'mine', ...WEBHOOK }), 'ok'],
  [2, 'CreateTaskPushNotificationConfig', ({ id }) => ({ taskId: id, ...WEBHOOK, token: 'secret' }), 'ok'],
  [
    2,
    'CreateTaskPushNotificationConfig',
    ({ id }) => ({ taskId: id, url: 'no address' }),
    'InvalidParamsError',
  ],
  [2, 'CreateTaskPushNotificationConfig', ({ id }) => ({ taskId: id }), 'InvalidParamsError'],
  [2, 'CreateTaskPushNotificationConfig', () => ({ taskId: 'none', ...WEBHOOK }), 'TaskNotFoundError'],
  [2, 'GetTaskPushNotificationConfig', ({ id }) => ({ taskId: id, id: 'mine' }), 'ok'],
  [2, 'GetTaskPushNotificationConfig', ({ id }) => ({ taskId: id, id: 'other' }), 'TaskNotFoundError'],
  [2, 'GetTaskPushNotificationConfig', () => ({ taskId: 'none', id: 'mine' }), 'TaskNotFoundError'],
  [2, 'ListTaskPushNotificationConfigs', ({ id }) => ({ taskId: id }), 'ok'],
  [2, 'ListTaskPushNotificationConfigs', () => ({ taskId: 'none' }), 'TaskNotFoundError'],
  [3, 'DeleteTaskPushNotificationConfig', ({ id }) => ({ taskId: id, id: 'mine' }), 'ok'],
  [3, 'DeleteTaskPushNotificationConfig', ({ id }) => ({ taskId: id, id: 'mine' }), 'ok'],
  [3, 'DeleteTaskPushNotificationConfig', () => ({ taskId: 'none', id: 'mine' }), 'TaskNotFoundError'],
  [3, 'ListTaskPushNotificationConfigs', ({ id }) => ({ taskId: id }), 'ok'],
  [20, 'GetTask', ({ id }) => ({ id }), 'ok'],
  [20, 'SubscribeToTask', () => ({ id: 'none' }), 'TaskNotFoundError'],
  [30, 'SendMessage', ({ id }) => say({ taskId: id, parts: [{ data: { seats: 50 } }] }), 'ok'],
  [30, 'SendMessage', ({ id, contextId }) => say({ taskId: id, contextId }), 'ok'],
  [30, 'SendMessage', ({ id }) => say({ taskId: id, contextId: 'none' }), 'InvalidParamsError'],
  [
    30,
    'SendMessage',
    () => say({ parts: [{ raw: 'aGk=', mediaType: 'image/png' }] }),
    'ContentTypeNotSupportedError',
  ],
  [30, 'ListTasks', () => ({}), 'ok'],
  [30, 'ListTasks', () => ({ pageSize: 1, includeArtifacts: true, historyLength: 0 }), 'ok'],
  [
    30,
    'ListTasks',
    () => ({ status: 'TASK_STATE_WORKING', statusTimestampAfter: '2026-01-01T00:00:01Z' }),
    'ok',
  ],
  [30, 'ListTasks', ({ contextId }) => ({ contextId }), 'ok'],
  [30, 'ListTasks', () => ({ contextId: 'none' }), 'ok'],
  [30, 'ListTasks', () => ({ pageSize: 101 }), 'InvalidParamsError'],
  [30, 'ListTasks', () => ({ pageSize: 0 }), 'InvalidParamsError'],
  [30, 'ListTasks', () => ({ pageToken: 'a token that is none, is it?' }), 'InvalidParamsError'],
  [30, 'ListTasks', () => ({ status: 'working' }), 'InvalidParamsError'],
  [30, 'ListTasks', () => ({ statusTimestampAfter: 'yesterday' }), 'InvalidParamsError'],
  [30, 'GetExtendedAgentCard', () => ({}), 'UnsupportedOperationError'],
  [30, 'SubscribeToTask', ({ id }) => ({ id }), 'stream'],
  [100, 'GetTask', ({ id }) => ({ id }), 'ok'],
  [100, 'CancelTask', ({ id }) => ({ id }), 'TaskNotCancelableError'],
  [100, 'CancelTask', () => ({ id: 'none' }), 'TaskNotFoundError'],
  [100, 'SubscribeToTask', ({ id }) => ({ id }), 'UnsupportedOperationError'],
  [100, 'SendMessage', ({ id }) => say({ taskId: id }), 'UnsupportedOperationError'],
  [110, 'SendStreamingMessage', () => say(), 'stream'],
  [220, 'SendMessage', () => ({ message: MESSAGE }), 'ok'],
  [320, 'SendMessage', () => say(), 'ok'],
  [330, 'CancelTask', ({ last }) => ({ id: last, metadata: { why: 'too late' } }), 'ok'],
  [330, 'CancelTask', ({ last }) => ({ id: last }), 'ok'],
  [330, 'GetTask', ({ last }) => ({ id: last }), 'ok'],
  [320, 'SendStreamingMessage', ({ contextId }) => say({ contextId, referenceTaskIds: ['other'] }), 'stream'],
]

interface WireError {
  message: string
  /** Of JSON-RPC. */
  data?: object[]
  /** Of HTTP+JSON. */
  details?: object[]
}

/** Each binding back to the same words: JSON-RPC names an error by its code, HTTP+JSON by its reason. */
async function answered(stage: Stage, response: Response): Promise<Answered> {
  if (response.headers.get('content-type') === 'text/event-stream') {
    const events: [number, unknown][] = []
    for await (const { event } of chunksOf(response))
      events.push([stage.clock.nowUs() / US_PER_SECOND, event])
    return { events }
  }
  const text = await response.text()
  if (text === '') return { result: {} }
  const body = JSON.parse(text) as { jsonrpc?: string; result?: unknown; error?: WireError }
  if (body.error === undefined) return { result: body.jsonrpc === undefined ? body : body.result }
  const { message, data, details = data } = body.error
  return { error: errorNameOf(body) as ErrorName, message, details }
}

/** All answers of the sequence, and what was posted to webhooks meanwhile. */
async function play(binding: Binding): Promise<{ answers: Answered[]; posted: unknown[] }> {
  const posted: unknown[] = []
  const fetch: typeof globalThis.fetch = (_url, init) => {
    posted.push([init?.headers, init?.body])
    return Promise.resolve(new Response(null, { status: 204 }))
  }
  const { value } = await onStage({ job: JOB, fetch }, async (stage) => {
    const answers: Answered[] = []
    let known: Known = { id: '', contextId: '', last: '' }
    for (const [atSeconds, operation, params] of SEQUENCE) {
      await stage.at(Math.max(atSeconds, stage.clock.nowUs() / US_PER_SECOND))
      const answer = await answered(stage, await stage.call(binding, operation, params(known)))
      const begun = 'result' in answer ? (answer.result as { task?: Task }).task : undefined
      if (known.id === '') known = { ...known, ...(begun as Task & { contextId: string }) }
      if (begun !== undefined) known = { ...known, last: begun.id }
      answers.push(answer)
    }
    return answers
  })
  return { answers: value, posted }
}

/** What the door says, which looks at headers, and at the tenant wherever the binding puts it. */
const AT_THE_DOOR: [headers: Record<string, string>, Operation, Record<string, unknown>, string][] = [
  [{}, 'GetTask', { id: 'none' }, 'UnauthenticatedError'],
  [{ Authorization: 'Bearer wrong' }, 'GetTask', { id: 'none' }, 'UnauthenticatedError'],
  [{ 'X-API-Key': 'key' }, 'CancelTask', { id: 'none' }, 'PermissionDeniedError'],
  [{ 'X-API-Key': 'key' }, 'GetTask', { id: 'none' }, 'ExtensionSupportRequiredError'],
  [{ 'X-API-Key': 'key', 'A2A-Extensions': URI }, 'GetTask', { id: 'none' }, 'TaskNotFoundError'],
  [{ 'X-API-Key': 'key', 'A2A-Extensions': URI }, 'ListTasks', { tenant: 'west' }, 'ok'],
  [{ 'X-API-Key': 'key', 'A2A-Extensions': URI }, 'ListTasks', { tenant: 'north' }, 'InvalidParamsError'],
  [{ 'X-API-Key': 'key', 'A2A-Extensions': URI }, 'GetExtendedAgentCard', {}, 'ok'],
  [
    { 'X-API-Key': 'key', 'A2A-Extensions': URI, 'A2A-Version': '0.3' },
    'ListTasks',
    {},
    'VersionNotSupportedError',
  ],
]

async function knock(binding: Binding): Promise<{ answers: Answered[]; headers: unknown[] }> {
  const settings: Partial<AgentSettings> = {
    access: { callers: [{ owner: 'ada', apiKey: 'key', grants: ['tasks:read'] }] },
    extensions: [{ uri: URI, required: true }],
    extendedCard: [{ id: 'book', name: 'Book', description: 'Books a venue.', tags: ['venues'] }],
    tenants: ['west'],
  }
  const { value } = await onStage({ job: JOB, settings }, async (stage) => {
    const answers: Answered[] = []
    const told: unknown[] = []
    for (const [given, operation, params] of AT_THE_DOOR) {
      const headers = { 'A2A-Version': '1.0', 'Content-Type': 'application/json', ...given }
      const { method, pathAndQuery, body } = requestOf(operation, params)
      const response =
        binding === 'HTTP+JSON'
          ? await stage.raw(`/rest${pathAndQuery}`, {
              method,
              headers,
              ...(body && { body: JSON.stringify(body) }),
            })
          : await stage.raw('/a2a/v1', {
              method: 'POST',
              headers,
              body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: operation, params }),
            })
      told.push(['www-authenticate', 'a2a-extensions'].map((name) => response.headers.get(name)))
      answers.push(await answered(stage, response))
    }
    return { answers, headers: told }
  })
  return value
}

test('the door says the same in both bindings', async () => {
  const httpJson = await knock('HTTP+JSON')
  expect(httpJson.answers.map(endOf)).toEqual(AT_THE_DOOR.map(([, , , end]) => end))
  expect(await knock('JSONRPC')).toEqual(httpJson)
})

const endOf = (answer: Answered): string =>
  'error' in answer ? answer.error : 'events' in answer ? 'stream' : 'ok'

test('one sequence of calls through both bindings gives equal results and equal errors', async () => {
  const httpJson = await play('HTTP+JSON')
  const jsonRpc = await play('JSONRPC')
  expect(SEQUENCE.length).toBeGreaterThanOrEqual(40)
  expect(httpJson.answers.map(endOf)).toEqual(SEQUENCE.map(([, , , end]) => end))
  expect(jsonRpc).toEqual(httpJson)
  expect(httpJson.posted).not.toEqual([])
})
