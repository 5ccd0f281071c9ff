/** A client's world whose agent is a function: for tests of what clients do with answers, whoever gives them. */
import type { Clock } from '../kernel/clock.ts'
import { randomStream } from '../kernel/random.ts'
import { US_PER_SECOND } from '../kernel/units.ts'
import { inVirtualTime, type Leftovers } from '../kernel/virtual-time.ts'
import type { ClientWorld } from '../mechanisms/a2a-world.ts'
import type { Observation } from '../mechanisms/mechanism.ts'
import type { AgentCard, Binding, Task, TaskState } from '../protocol/a2a.ts'
import { A2AError, type ErrorName } from '../protocol/errors.ts'
import { errorBody } from '../protocol/http-json.ts'
import { errorEnvelope } from '../protocol/json-rpc.ts'
import { operationOf } from '../protocol/operations.ts'
import { HTTP_JSON_PATH, JSON_RPC_PATH } from '../protocol/paths.ts'
import type { TaskView, ViewChange } from '../protocol/view.ts'
import type { Channel } from '../records/record.ts'

/** A request as an agent in a test looks at it. */
export interface Asked {
  /** Counts from 1. */
  number: number
  /** `GetTask`, or the request line. */
  operation: string
  headers: Headers
  /** What JSON-RPC puts around its params is taken off; undefined without a body. */
  params: Record<string, unknown> | undefined
  signal: AbortSignal | undefined
  atUs: number
  /** An answer with a result, in the binding's own frame. */
  result: (result: object, init?: ResponseInit) => Response
  /** An A2A error, as the binding has it. */
  error: (name: ErrorName, init?: ResponseInit) => Response
  /** A stream of what `lines` gives; `event` frames one event. */
  stream: (write: (out: StreamOut) => void | Promise<void>) => Response
}

export interface StreamOut {
  raw(text: string): void
  event(event: object, before?: string): void
  end(): void
  break(error: Error): void
}

/** What the client told the world. */
export type Told = { change: ViewChange; by: Channel; exchange: number | undefined; atUs: number }

export interface Scene {
  world: ClientWorld
  clock: Clock
  /** All requests so far. */
  asked: readonly Asked[]
  told: readonly Told[]
  /** Posts to the webhook that was opened last. */
  post: (body: object, exchange?: number) => void
  /** As when the world does not need the client any more. */
  dismiss: (reason: Error) => void
  at: (seconds: number) => Promise<void>
}

export interface SceneOptions {
  binding?: Binding
  capabilities?: AgentCard['capabilities']
  /** @throws what `fetch` throws */
  agent: (asked: Asked) => Response | Promise<Response>
  /** What the world says of what it is told; a task in a terminal state is over unless this says else. */
  observation?: (change: ViewChange, by: Channel) => Partial<Observation>
}

const ORIGIN = 'https://agent.example'

export const TASK: Task = {
  id: 'T'.repeat(26),
  contextId: 'C'.repeat(26),
  status: { state: 'TASK_STATE_WORKING', timestamp: '2026-01-01T00:00:00.000Z' },
}

export const taskIn = (state: TaskState): Task => ({ ...TASK, status: { ...TASK.status, state } })

/** Plays `scene` in virtual time. */
export async function inClientWorld<T>(
  { binding = 'HTTP+JSON', capabilities = EVERYTHING, agent, observation = () => ({}) }: SceneOptions,
  scene: (scene: Scene) => Promise<T>,
): Promise<{ value: T; leftovers: Leftovers }> {
  const end = await inVirtualTime({ horizonUs: 1_000_000 * US_PER_SECOND }, async (clock) => {
    const dismissal = new AbortController()
    const asked: Asked[] = []
    const told: Told[] = []
    const exchanges = new WeakMap<Response, number>()
    let accept: (body: unknown, exchange: number | undefined) => void = () => {}
    const world: ClientWorld = {
      clock,
      async fetch(input, init) {
        init?.signal?.throwIfAborted()
        const request = askedOf(asked.length + 1, binding, new Request(input).url, init, clock.nowUs())
        asked.push(request)
        const response = await unlessAborted(Promise.resolve(agent(request)), init?.signal ?? undefined)
        exchanges.set(response, request.number)
        return response
      },
      exchangeOf: (response) => exchanges.get(response),
      card: cardOf(binding, capabilities),
      binding,
      request: {
        message: { messageId: 'M'.repeat(26), role: 'ROLE_USER', parts: [{ text: 'Find a venue.' }] },
      },
      random: (purpose) => randomStream(1, purpose),
      observe(change, by, exchange) {
        told.push({ change, by, exchange, atUs: clock.nowUs() })
        const state = change.of === 'task' ? change.view.state : change.of === 'status' ? change.state : ''
        return { news: true, terminal: state === 'TASK_STATE_COMPLETED', ...observation(change, by) }
      },
      receive(itsAccept) {
        accept = itsAccept
        return { url: 'https://client.example/hooks/1', token: 'secret' }
      },
      handOver: () => {},
      signal: dismissal.signal,
    }
    return scene({
      world,
      clock,
      asked,
      told,
      post: (body, exchange) => accept(body, exchange),
      dismiss: (reason) => dismissal.abort(reason),
      at: (seconds) => clock.sleep(seconds * US_PER_SECOND - clock.nowUs()),
    })
  })
  if (end.kind !== 'settled') throw new Error(`the horizon was reached; waiting: ${end.waiting.join(', ')}`)
  return { value: end.value, leftovers: end.leftovers }
}

const EVERYTHING = { streaming: true, pushNotifications: true }

export const cardOf = (binding: Binding, capabilities: AgentCard['capabilities']): AgentCard => ({
  name: 'Test',
  description: 'Answers as the test says.',
  supportedInterfaces: [
    {
      url: ORIGIN + (binding === 'JSONRPC' ? JSON_RPC_PATH : HTTP_JSON_PATH),
      protocolBinding: binding,
      protocolVersion: '1.0',
    },
  ],
  version: '1',
  capabilities,
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [],
})

function askedOf(
  number: number,
  binding: Binding,
  url: string,
  init: RequestInit | undefined,
  atUs: number,
): Asked {
  const { method = 'GET', body, headers, signal } = init ?? {}
  const text = typeof body === 'string' ? body : ''
  const sent = text === '' ? undefined : (JSON.parse(text) as Record<string, unknown>)
  const isRpc = binding === 'JSONRPC' && sent !== undefined
  const id = isRpc ? (sent['id'] as number) : 0
  const framed = (result: object) => JSON.stringify(isRpc ? { jsonrpc: '2.0', id, result } : result)
  return {
    number,
    operation: operationOf(method, new URL(url).pathname, text),
    headers: new Headers(headers),
    params: isRpc ? (sent['params'] as Record<string, unknown>) : sent,
    signal: signal ?? undefined,
    atUs,
    result: (result, more) => new Response(framed(result), more),
    error: (name, more) =>
      isRpc
        ? new Response(errorEnvelope(id, new A2AError(name)), more)
        : new Response(errorBody(new A2AError(name), '1.0.1'), { status: 400, ...more }),
    stream(write) {
      const body = new ReadableStream<Uint8Array>({
        async start(controller) {
          signal?.addEventListener('abort', () => controller.error(signal.reason))
          const raw = (piece: string) => controller.enqueue(new TextEncoder().encode(piece))
          await write({
            raw,
            event: (event, before = '') => raw(`${before}data: ${framed(event)}\n\n`),
            end: () => controller.close(),
            break: (error) => controller.error(error),
          })
        },
      })
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    },
  }
}

/** As `fetch`, whose callers may go away while they wait. */
const unlessAborted = <T>(coming: Promise<T>, signal: AbortSignal | undefined): Promise<T> =>
  new Promise((resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
    coming.then(resolve, reject)
  })

/** A task as a view, for comparison. */
export const viewIn = (state: TaskState): TaskView => ({
  state,
  timestamp: TASK.status.timestamp ?? '',
  messageId: '',
  artifacts: new Map(),
})
