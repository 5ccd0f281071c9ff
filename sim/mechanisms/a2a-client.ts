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
  TaskState,
} from '@a2a-js/sdk'
import { type Client, ClientFactory, JsonRpcTransportFactory, RestTransportFactory } from '@a2a-js/sdk/client'
import type { SendMessageConfiguration, TaskState as WireState } from '../protocol/a2a.ts'
import type { TaskView, ViewChange } from '../protocol/view.ts'
import { ClientError, type ClientWorld } from './mechanism.ts'

/** A task as a reply shows it. */
export interface SeenTask {
  taskId: string
  view: TaskView
}

/** Every member throws a ClientError for what the official client throws. */
export interface A2AClient {
  /** SendMessage. @throws ClientError if the agent answers with a bare message: a job needs a task */
  send(configuration: SendMessageConfiguration): Promise<SeenTask>
  /** GetTask, all of it, history included, as the client asks by default. */
  get(taskId: string): Promise<SeenTask>
  /** SendStreamingMessage: what each event changes, until the agent or the caller ends the stream. */
  stream(): AsyncGenerator<ViewChange, void, undefined>
}

/** The official client over the world's own `fetch`, with the world's card: nothing is fetched to connect. */
export async function connect(world: ClientWorld): Promise<A2AClient> {
  const transport = { fetchImpl: world.fetch }
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory(transport), new RestTransportFactory(transport)],
    preferredTransports: [world.binding],
  })
  const client: Client = await factory.createFromAgentCard(AgentCard.fromJSON(world.card))
  const options = { signal: world.signal }
  const request = (configuration: SendMessageConfiguration) =>
    SendMessageRequest.fromJSON({ ...world.request, configuration })
  return {
    async send(configuration) {
      const result = await client.sendMessage(request(configuration), options).catch(refuse)
      if ('messageId' in result) throw new ClientError('the agent answered with a message and began no task')
      return seen(result)
    },
    async get(taskId) {
      return seen(await client.getTask({ tenant: '', id: taskId }, options).catch(refuse))
    },
    async *stream() {
      const events = client.sendMessageStream(request({}), options)
      try {
        for (;;) {
          const { done, value } = await events.next().catch(refuse)
          if (done === true) return
          const change = changeOf(value)
          if (change !== undefined) yield change
        }
      } finally {
        await events.return()
      }
    },
  }
}

/** Whatever the official client throws, it is the client that cannot go on. */
function refuse(error: unknown): never {
  throw new ClientError(error instanceof Error ? error.message : String(error), { cause: error })
}

const seen = (task: Task): SeenTask => ({ taskId: task.id, view: viewOf(task) })

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

function changeOf({ payload }: StreamResponse): ViewChange | undefined {
  switch (payload?.$case) {
    case 'task':
      return { of: 'task', view: viewOf(payload.value) }
    case 'statusUpdate':
      return { of: 'status', ...statusOf(payload.value.status) }
    case 'artifactUpdate':
      return {
        of: 'artifact',
        artifactId: payload.value.artifact?.artifactId ?? '',
        says: payload.value.artifact?.parts.map(wordsOfPart) ?? [],
        append: payload.value.append,
      }
    case 'message':
    case undefined:
      return undefined
  }
}
