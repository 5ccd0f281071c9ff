/**
 * The official SDK's own server core as one more agent: the same job at the
 * same address. Its request handler, stores, event bus and push sender are used
 * as they come; the executor that plays the job and the adapter to `Request`
 * and `Response` are the least they need. It speaks JSON-RPC only: the routes
 * of HTTP+JSON are not exported.
 */
import { AgentCard, StreamResponse, Task, formatSSEEvent } from '@a2a-js/sdk'
import {
  AgentEvent,
  type AgentExecutor,
  DefaultPushNotificationSender,
  DefaultRequestHandler,
  type ExecutionEventBus,
  InMemoryPushNotificationStore,
  InMemoryTaskStore,
  JsonRpcTransportHandler,
  ServerCallContext,
} from '@a2a-js/sdk/server'
import type { Clock } from '../kernel/clock.ts'
import type { Handler } from '../network/network.ts'
import type { AgentCard as WireCard, StreamResponse as WireEvent } from '../protocol/a2a.ts'
import { EVENT_STREAM, JSON_TYPE } from '../protocol/media-types.ts'
import { WIRE_STATE } from '../protocol/states.ts'
import type { Change, Job } from '../scenario/scenario.ts'

/** @param card what the imitation agent says of itself: the core looks its capabilities up there */
export function createSdkAgent({ clock, card, job }: { clock: Clock; card: WireCard; job: Job }): Handler {
  const webhooks = new InMemoryPushNotificationStore()
  const core = new DefaultRequestHandler(
    AgentCard.fromJSON(card),
    new InMemoryTaskStore(),
    executorOf(job, clock),
    undefined,
    webhooks,
    new DefaultPushNotificationSender(webhooks),
  )
  const rpc = new JsonRpcTransportHandler(core)
  const reply = (answer: object) => Response.json(answer, { headers: { 'content-type': JSON_TYPE } })
  return async (request) => {
    const body = await request.text()
    const requestedVersion = request.headers.get('a2a-version') ?? ''
    const answer = await rpc.handle(body, new ServerCallContext({ requestedVersion }))
    if (!(Symbol.asyncIterator in answer)) return reply(answer)
    try {
      // What is wrong with the request shows when the first event is asked for.
      const first = await answer.next()
      return new Response(streamOf(first, answer), { headers: { 'content-type': EVENT_STREAM } })
    } catch (error) {
      const { id } = JSON.parse(body) as { id: number }
      return reply({ jsonrpc: '2.0', id, error: JsonRpcTransportHandler.mapToJSONRPCError(error) })
    }
  }
}

/** The core keeps only what is read, so a stream whose reader has left is read to its end all the same. */
function streamOf(
  first: IteratorResult<object, void>,
  rest: AsyncGenerator<object, void, undefined>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let gone = false
  async function pour(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    for (let next = first; next.done !== true; next = await rest.next())
      if (!gone) controller.enqueue(encoder.encode(formatSSEEvent(next.value)))
    if (!gone) controller.close()
  }
  return new ReadableStream({
    start(controller) {
      void pour(controller)
    },
    cancel() {
      gone = true
    },
  })
}

/** Plays a job as an executor does: publish, sleep, publish. */
function executorOf(job: Job, clock: Clock): AgentExecutor {
  const canceled = new Set<string>()
  const now = () => clock.dateOf(clock.nowUs()).toISOString()
  return {
    async execute({ taskId, contextId, userMessage }, bus) {
      const startUs = clock.nowUs()
      const status = { state: WIRE_STATE.submitted, timestamp: now() }
      bus.publish(AgentEvent.task(Task.fromJSON({ id: taskId, contextId, status, history: [userMessage] })))
      for (const { atUs, change } of job.updates) {
        await clock.sleep(startUs + atUs - clock.nowUs())
        if (canceled.has(taskId)) return
        publish(bus, eventOf(change, { taskId, contextId, timestamp: now() }))
      }
    },
    async cancelTask(taskId, bus) {
      canceled.add(taskId)
      const status = { state: WIRE_STATE.canceled, timestamp: now() }
      publish(bus, { statusUpdate: { taskId, contextId: '', status } })
    },
  }
}

function eventOf(
  change: Change,
  { taskId, contextId, timestamp }: { taskId: string; contextId: string; timestamp: string },
): WireEvent {
  const part =
    change.content !== undefined && 'text' in change.content ? { text: change.content.text } : undefined
  if (change.of === 'status') {
    const message = part && { messageId: 'M', role: 'ROLE_AGENT' as const, parts: [part] }
    const status = { state: WIRE_STATE[change.state], timestamp, ...(message && { message }) }
    return { statusUpdate: { taskId, contextId, status } }
  }
  const { artifact: artifactId, append, lastChunk } = change
  const artifact = { artifactId, parts: [part ?? { text: '' }] }
  return { artifactUpdate: { taskId, contextId, artifact, append, lastChunk } }
}

/** Through the SDK's own reader of JSON, so that its numbers for states are not repeated here. */
function publish(bus: ExecutionEventBus, event: WireEvent): void {
  const { payload } = StreamResponse.fromJSON(event)
  if (payload?.$case === 'statusUpdate') bus.publish(AgentEvent.statusUpdate(payload.value))
  if (payload?.$case === 'artifactUpdate') bus.publish(AgentEvent.artifactUpdate(payload.value))
}
