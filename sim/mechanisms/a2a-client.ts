/**
 * The official A2A client, reduced to what mechanisms do with it. The only
 * file that knows the SDK's in-memory shapes (numeric enums, `$case` oneofs).
 */
import {
  AgentCard,
  type Part,
  SendMessageRequest,
  type StreamResponse,
  type Task,
  TaskPushNotificationConfig,
  TaskState,
} from '@a2a-js/sdk'
import {
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client'
import type { Clock } from '../kernel/clock.ts'
import type { Message, SendMessageConfiguration, TaskState as WireState } from '../protocol/a2a.ts'
import {
  HOLD_HEADER,
  holdHeader,
  LAST_EVENT_ID_HEADER,
  POLL_HINT_HEADER,
  POLL_HINT_KEY,
} from '../protocol/delivery-extension.ts'
import type { TaskView, ViewChange } from '../protocol/view.ts'
import { beginCall, type Call, fetchOfCalls, NOT_MODIFIED, retryAfterUsOf } from './calls/call.ts'
import { failCall } from './calls/call-error.ts'
import { createEventWatch } from './calls/event-watch.ts'
import {
  type A2AClient,
  CallError,
  type GetOptions,
  type SeenTask,
  type SendOptions,
  type ServerWords,
  type StreamedChange,
  type StreamOptions,
} from './client.ts'
import type { ClientWorld } from './a2a-world.ts'
import type { BegunTask } from './mechanism.ts'

/**
 * The official client over the world's own `fetch`. A run has one, as a program
 * has, whatever parts its policy has: they fetch the card once, and number their
 * JSON-RPC requests in one row. By its clock a run is known.
 *
 * @throws CallError if the card must be fetched first and cannot be
 */
export const connect = async (world: ClientWorld): Promise<A2AClient> => over(await clientOf(world), world)

function over(client: Client, world: ClientWorld): A2AClient {
  const send = async (
    message: Message,
    configuration: SendMessageConfiguration,
    { timeoutUs, holdUs }: SendOptions,
  ): Promise<SeenTask> => {
    const call = beginCall(world, 'SendMessage', { timeoutUs })
    const request = SendMessageRequest.fromJSON({ ...world.request, message, configuration })
    try {
      const result = await client.sendMessage(request, optionsOf(call, { [HOLD_HEADER]: held(holdUs) }))
      if (!('messageId' in result)) return seen(result, call)
    } catch (error) {
      failCall(call, error)
    } finally {
      call.end()
    }
    const failure = { of: 'answer', status: 200, retryAfterUs: undefined } as const
    throw new CallError('the agent answered with a message and began no task', failure)
  }

  const sendStreaming = (
    message: Message,
    configuration: SendMessageConfiguration,
    options: StreamOptions,
  ): ReturnType<A2AClient['stream']> => {
    const request = SendMessageRequest.fromJSON({ ...world.request, message, configuration })
    return streamed(world, 'SendStreamingMessage', options, (call) =>
      client.sendMessageStream(request, optionsOf(call)),
    )
  }

  return {
    until: (signal) => over(client, { ...world, signal }),
    send: (configuration, options = {}) => send(world.request.message, configuration, options),
    answer: (task, message, wait) =>
      send({ ...message, ...task }, { returnImmediately: wait === undefined }, wait ?? {}),
    async get(taskId, { etag, holdUs, timeoutUs }: GetOptions = {}) {
      const call = beginCall(world, 'GetTask', { timeoutUs })
      const headers = { 'if-none-match': etag, [HOLD_HEADER]: held(holdUs) }
      try {
        const task = await client.getTask({ tenant: '', id: taskId }, optionsOf(call, headers))
        return { of: 'task', task: seen(task, call) }
      } catch (error) {
        call.throwIfUnwanted()
        if (call.answer()?.status !== NOT_MODIFIED) failCall(call, error)
        return { of: 'not-modified', says: wordsOf(call) }
      } finally {
        call.end()
      }
    },
    stream: (configuration, options = {}) => sendStreaming(world.request.message, configuration, options),
    answerStreaming: (task, message, options = {}) => sendStreaming({ ...message, ...task }, {}, options),
    subscribe: (taskId, options = {}) =>
      streamed(world, 'SubscribeToTask', options, (call) =>
        client.resubscribeTask(
          { tenant: '', id: taskId },
          optionsOf(call, { [LAST_EVENT_ID_HEADER]: options.lastEventId }),
        ),
      ),
    async register(taskId, config) {
      const call = beginCall(world, 'CreateTaskPushNotificationConfig')
      try {
        await client.createTaskPushNotificationConfig(
          TaskPushNotificationConfig.fromJSON({ ...config, taskId }),
          optionsOf(call),
        )
      } catch (error) {
        failCall(call, error)
      } finally {
        call.end()
      }
    },
  }
}

const clients = new WeakMap<Clock, Promise<Client>>()

function clientOf(world: ClientWorld): Promise<Client> {
  const { clock } = world
  const there = clients.get(clock)
  if (there !== undefined) return there
  const client = createClient(world)
  clients.set(clock, client)
  client.catch(() => clients.delete(clock))
  return client
}

async function createClient(world: ClientWorld): Promise<Client> {
  const call = beginCall(world, 'the request for the agent card')
  const cardFetch: typeof fetch = (input, init) => fetchOfCalls(input, { ...init, signal: call.signal })
  const transport = { fetchImpl: fetchOfCalls }
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory(transport), new RestTransportFactory(transport)],
    preferredTransports: [world.binding],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl: cardFetch }),
  })
  try {
    return world.fetchesCard === true
      ? await factory.createFromUrl(originOf(world.card))
      : await factory.createFromAgentCard(AgentCard.fromJSON(world.card))
  } catch (error) {
    return failCall(call, error)
  } finally {
    call.end()
  }
}

const originOf = ({ supportedInterfaces: [first] }: ClientWorld['card']): string =>
  new URL(first?.url ?? '').origin

const held = (us: number | undefined): string | undefined => (us === undefined ? undefined : holdHeader(us))

/** What the SDK is told with a call; headers without a value are left out. */
function optionsOf(call: Call, headers: Record<string, string | undefined> = {}) {
  const said = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return { signal: call.signal, serviceParameters: Object.fromEntries(said) }
}

async function* streamed(
  world: ClientWorld,
  operation: string,
  { onSign, signal, timeoutUs }: StreamOptions,
  open: (call: Call) => AsyncGenerator<StreamResponse, void, undefined>,
): AsyncGenerator<StreamedChange, void, undefined> {
  const watch = createEventWatch((sign) => onSign?.(sign))
  const call = beginCall(world, operation, { timeoutUs, signal, events: watch })
  const events = open(call)
  try {
    for (;;) {
      const { done, value } = await events.next().catch((error: unknown) => failCall(call, error))
      if (done === true) return
      const eventId = watch.idOfNext()
      const event = eventOf(value)
      if (event !== undefined) yield { ...event, exchange: call.answer()?.exchange, eventId }
    }
  } finally {
    await events.return()
    call.end()
  }
}

const seen = (task: Task, call: Call): SeenTask => {
  const hintMs: unknown = task.metadata?.[POLL_HINT_KEY]
  const says = wordsOf(call)
  return {
    ...begun(task),
    view: viewOf(task),
    exchange: call.answer()?.exchange,
    says: typeof hintMs === 'number' ? { ...says, hintUs: Math.round(hintMs * 1000) } : says,
  }
}

const begun = ({ id, contextId }: Task): BegunTask => ({ taskId: id, contextId })

/** What the head of the answer says. */
function wordsOf(call: Call): ServerWords {
  const answer = call.answer()
  if (answer === undefined) return { hintUs: undefined, retryAfterUs: undefined, etag: undefined }
  const hintMs = Number(answer.headers.get(POLL_HINT_HEADER) ?? NaN)
  return {
    hintUs: Number.isFinite(hintMs) ? Math.round(hintMs * 1000) : undefined,
    retryAfterUs: retryAfterUsOf(answer),
    etag: answer.headers.get('etag') ?? undefined,
  }
}

const statusOf = (status: Task['status']) => ({
  state: TaskState[status?.state ?? TaskState.TASK_STATE_UNSPECIFIED] as WireState,
  timestamp: status?.timestamp ?? '',
  messageId: status?.message?.messageId ?? '',
})

function wordsOfPart({ content }: Part): string {
  switch (content?.$case) {
    case 'text':
    case 'url':
      return content.value
    case 'raw':
      return content.value.toString('base64')
    case 'data':
      return JSON.stringify(content.value)
    case undefined:
      return ''
  }
}

const viewOf = (task: Task): TaskView => ({
  ...statusOf(task.status),
  artifacts: new Map(task.artifacts.map(({ artifactId, parts }) => [artifactId, parts.map(wordsOfPart)])),
})

/** One event; `undefined` for a bare message, which is no task. */
function eventOf({ payload }: StreamResponse): { change: ViewChange; task: BegunTask } | undefined {
  switch (payload?.$case) {
    case 'task':
      return { change: { of: 'task', view: viewOf(payload.value) }, task: begun(payload.value) }
    case 'statusUpdate': {
      const { taskId, contextId, status } = payload.value
      return { change: { of: 'status', ...statusOf(status) }, task: { taskId, contextId } }
    }
    case 'artifactUpdate': {
      const { taskId, contextId, artifact, append } = payload.value
      const says = artifact?.parts.map(wordsOfPart) ?? []
      return {
        change: { of: 'artifact', artifactId: artifact?.artifactId ?? '', says, append },
        task: { taskId, contextId },
      }
    }
    case 'message':
    case undefined:
      return undefined
  }
}
