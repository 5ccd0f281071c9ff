/** The official client drives every operation and meets every error, in both bindings. */
import {
  AgentCard,
  type Message,
  SendMessageRequest,
  StreamResponse,
  type Task,
  TaskState,
} from '@a2a-js/sdk'
import {
  type Client,
  ClientFactory,
  createAuthenticatingFetchWithRetry,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client'
import {
  ContentTypeNotSupportedError,
  ExtendedAgentCardNotConfiguredError,
  ExtensionSupportRequiredError,
  InvalidAgentResponseError,
  PushNotificationNotSupportedError,
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
  VersionNotSupportedError,
} from '@a2a-js/sdk/errors'
import { describe, expect, test } from 'vitest'
import type { Binding, StreamResponse as WireEvent } from '../protocol/a2a.ts'
import { A2AError } from '../protocol/errors.ts'
import { wordsOf } from '../protocol/words.ts'
import { MESSAGE, onStage, SEED_JOB, type Stage, type StageOptions } from '../testing/agent-stage.ts'
import type { Grant } from './access.ts'
import { httpJsonError, jsonRpcError } from './bindings/replies.ts'

const BINDINGS: Binding[] = ['HTTP+JSON', 'JSONRPC']

const WEBHOOK = {
  tenant: '',
  id: 'mine',
  url: 'https://client.example/hook',
  token: 't',
  authentication: undefined,
}

interface Scene extends Stage {
  client: Client
  /** Sends and returns at once. */
  begin: () => Promise<Task>
}

/** The client asks nothing of an agent whose card does not offer it: so its card offers everything, and the agent answers. */
const EVERYTHING = { streaming: true, pushNotifications: true, extendedAgentCard: true }

/** What lies between the client and the agent. */
interface Way {
  change?: (request: Request) => Request
  wrap?: (fetch: typeof globalThis.fetch) => typeof globalThis.fetch
}

/** Plays a scene with a client of this binding. */
function withClient<T>(
  binding: Binding,
  options: Pick<StageOptions, 'settings' | 'fetch'> & Way,
  scene: (scene: Scene) => Promise<T>,
): Promise<T> {
  const { change = (request) => request, wrap = (fetch) => fetch, ...stageOptions } = options
  return onStage({ job: SEED_JOB, ...stageOptions }, async (stage) => {
    const fetchImpl = wrap(async (input, init) => stage.agent.handle(change(new Request(input, init))))
    const factory = new ClientFactory({
      transports: [new JsonRpcTransportFactory({ fetchImpl }), new RestTransportFactory({ fetchImpl })],
      preferredTransports: [binding],
    })
    const card = { ...stage.agent.card, capabilities: EVERYTHING }
    const client = await factory.createFromAgentCard(AgentCard.fromJSON(card))
    const begin = async () => taskOf(await client.sendMessage(request({}, { returnImmediately: true })))
    return scene({ ...stage, client, begin })
  }).then(({ value }) => value)
}

const request = (message: object = {}, configuration: object = {}) =>
  SendMessageRequest.fromJSON({ message: { ...MESSAGE, ...message }, configuration })

function taskOf(result: Message | Task): Task {
  if ('messageId' in result) throw new Error('a message where a task was expected')
  return result
}

async function eventsOf(events: AsyncIterable<StreamResponse>): Promise<string[]> {
  const words: string[] = []
  for await (const event of events) words.push(wordsOf(StreamResponse.toJSON(event) as WireEvent))
  return words
}

describe.each(BINDINGS)('%s: every operation', (binding) => {
  test('SendMessage, at once and waiting; GetTask', () =>
    withClient(binding, {}, async ({ client, begin, at }) => {
      const { id, status, history } = await begin()
      expect([status?.state, history.length]).toEqual([TaskState.TASK_STATE_SUBMITTED, 1])
      await at(30)
      const get = (historyLength?: number) => client.getTask({ tenant: '', id, historyLength })
      expect((await get()).status?.state).toBe(TaskState.TASK_STATE_WORKING)
      expect((await get()).history).toHaveLength(1)
      expect((await get(0)).history).toEqual([])
      const done = taskOf(await client.sendMessage(request()))
      expect(done.status?.state).toBe(TaskState.TASK_STATE_COMPLETED)
      expect(done.artifacts[0]?.parts).toHaveLength(2)
    }))

  test('SendStreamingMessage and SubscribeToTask', () =>
    withClient(binding, {}, async ({ client, begin, at }) => {
      const updates = [
        'working',
        'working',
        'artifact venues-shortlist',
        'artifact venues-shortlist',
        'completed',
      ]
      expect(await eventsOf(client.sendMessageStream(request()))).toEqual(['task', ...updates])
      const { id } = await begin()
      await at(150)
      expect(await eventsOf(client.resubscribeTask({ tenant: '', id }))).toEqual([
        'task',
        ...updates.slice(2),
      ])
    }))

  test('ListTasks, page by page; CancelTask', () =>
    withClient(binding, {}, async ({ client, begin, at }) => {
      const begun: string[] = []
      for (const atSeconds of [0, 1, 2, 3, 4]) {
        await at(atSeconds)
        begun.unshift((await begin()).id)
      }
      await at(5)
      const filters = {
        tenant: '',
        contextId: '',
        status: TaskState.TASK_STATE_UNSPECIFIED,
        statusTimestampAfter: '',
      }
      const listed: string[] = []
      let pageToken = ''
      do {
        const page = await client.listTasks({ ...filters, pageSize: 2, pageToken })
        expect([page.pageSize, page.totalSize]).toEqual([2, 5])
        listed.push(...page.tasks.map(({ id }) => id))
        pageToken = page.nextPageToken
      } while (pageToken !== '')
      expect(listed).toEqual(begun)

      const cancel = () => client.cancelTask({ tenant: '', id: begun[2] as string, metadata: {} })
      expect((await cancel()).status?.state).toBe(TaskState.TASK_STATE_CANCELED)
      expect(await cancel()).toEqual(await cancel())
      const working = await client.listTasks({
        ...filters,
        status: TaskState.TASK_STATE_WORKING,
        pageToken: '',
      })
      expect(working.tasks.map(({ id }) => id)).toEqual(begun.toSpliced(2, 1))
    }))

  test('GetExtendedAgentCard, once the agent has asked who is there', () => {
    const wrap: Way['wrap'] = (fetchImpl) =>
      createAuthenticatingFetchWithRetry(fetchImpl, {
        headers: () => Promise.resolve({}),
        shouldRetryWithHeaders: (_request, { status }) =>
          Promise.resolve(status === 401 ? { Authorization: 'Bearer hers' } : undefined),
      })
    const ada = { owner: 'ada', bearerToken: 'hers', grants: ['tasks:read'] satisfies Grant[] }
    const skill = { id: 'book', name: 'Book', description: 'Books a venue.', tags: ['venues'] }
    const settings = { access: { callers: [ada] }, extendedCard: [skill] }
    return withClient(binding, { settings, wrap }, async ({ client, agent }) => {
      const { skills, securitySchemes } = await client.getAgentCard()
      expect(skills.map(({ id }) => id)).toEqual([...agent.card.skills.map(({ id }) => id), 'book'])
      expect(Object.keys(securitySchemes)).toEqual(Object.keys(agent.card.securitySchemes ?? {}))
      await expect(client.sendMessage(request())).rejects.toThrow('tasks:write')
    })
  })

  test('the four of push configurations', () =>
    withClient(binding, { fetch: () => Promise.resolve(new Response(null)) }, async ({ client, begin }) => {
      const taskId = (await begin()).id
      const mine = { tenant: '', taskId, id: 'mine' }
      const list = async () =>
        (await client.listTaskPushNotificationConfig({ tenant: '', taskId, pageSize: 0, pageToken: '' }))
          .configs
      const authentication = { scheme: 'Bearer', credentials: 'c' }
      const stored = await client.createTaskPushNotificationConfig({ ...WEBHOOK, taskId, authentication })
      expect(stored).toEqual({ ...WEBHOOK, taskId, authentication })
      expect(await client.getTaskPushNotificationConfig(mine)).toEqual(stored)
      expect(await list()).toEqual([stored])
      await client.deleteTaskPushNotificationConfig(mine)
      expect(await list()).toEqual([])
    }))
})

/** How each error comes about, by its class in the SDK. The five of JSON-RPC itself are one there. */
const ERRORS: [
  abstract new () => Error,
  Parameters<typeof withClient>[1],
  (scene: Scene) => Promise<unknown>,
][] = [
  [
    TaskNotFoundError,
    {},
    ({ client }) => client.getTask({ tenant: '', id: 'none', historyLength: undefined }),
  ],
  [
    TaskNotCancelableError,
    {},
    async ({ client, begin, at }) => {
      const { id } = await begin()
      await at(100)
      return client.cancelTask({ tenant: '', id, metadata: {} })
    },
  ],
  [
    PushNotificationNotSupportedError,
    { settings: { push: false } },
    ({ client }) => client.createTaskPushNotificationConfig({ ...WEBHOOK, taskId: 'any' }),
  ],
  [
    UnsupportedOperationError,
    { settings: { streaming: false } },
    ({ client }) => eventsOf(client.resubscribeTask({ tenant: '', id: 'any' })),
  ],
  [
    ContentTypeNotSupportedError,
    { change: (request) => changed(request, 'content-type', 'text/plain') },
    ({ begin }) => begin(),
  ],
  [
    VersionNotSupportedError,
    { change: (request) => changed(request, 'a2a-version', '0.3') },
    ({ begin }) => begin(),
  ],
  [
    ExtendedAgentCardNotConfiguredError,
    { settings: { extendedCard: 'not configured' } },
    ({ client }) => client.getAgentCard(),
  ],
  [
    ExtensionSupportRequiredError,
    {
      settings: { extensions: [{ uri: 'https://a.example/x', required: true }] },
    },
    ({ begin }) => begin(),
  ],
  [RequestMalformedError, {}, ({ client }) => client.sendMessage(request({ parts: [] }))],
]

function changed(request: Request, header: string, value: string): Request {
  request.headers.set(header, value)
  return request
}

describe.each(BINDINGS)('%s: every error by its class', (binding) => {
  test.each(ERRORS.map((row) => [row[0].name, ...row] as const))('%s', (_, type, options, provoke) =>
    withClient(binding, options, async (scene) => {
      const error = await provoke(scene).then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
      expect(error).toBeInstanceOf(type)
    }),
  )

  // The agent's own answers are never invalid: this one stands for those of an agent whose are.
  test('InvalidAgentResponseError', () => {
    const error = new A2AError('InvalidAgentResponseError')
    const reply = () => (binding === 'JSONRPC' ? jsonRpcError(1, error) : httpJsonError(error, '1.0.1'))
    return withClient(binding, { wrap: () => () => Promise.resolve(reply()) }, ({ begin }) =>
      expect(begin()).rejects.toBeInstanceOf(InvalidAgentResponseError),
    )
  })
})
