/** An agent in virtual time, spoken to by hand-written requests. */
import { type Agent, createAgent } from '../agent/agent.ts'
import type { Behaviour } from '../agent/behaviours/behaviour.ts'
import { scenarioJob } from '../agent/behaviours/scenario-job.ts'
import { type AgentSettings, settingsWith } from '../agent/settings.ts'
import type { Moment } from '../agent/tasks.ts'
import type { Clock } from '../kernel/clock.ts'
import { randomStream } from '../kernel/random.ts'
import { US_PER_SECOND } from '../kernel/units.ts'
import { inVirtualTime, type Leftovers } from '../kernel/virtual-time.ts'
import type { Binding, StreamResponse, Task } from '../protocol/a2a.ts'
import { requestOf } from '../protocol/http-json.ts'
import type { Operation } from '../protocol/operation.ts'
import { createJournal } from '../records/journal.ts'
import type { RunRecord } from '../records/record.ts'
import type { Job } from '../scenario/scenario.ts'

export const ORIGIN = 'https://agent.example'

/** What came back, alike in both bindings: a result, or the error by its reason. */
export type Outcome = { result: unknown } | { error: { reason: string; message: string } }

export interface Stage {
  clock: Clock
  agent: Agent
  moments: readonly Moment[]
  records: () => readonly RunRecord[]
  /** Sends a request as it stands, under the origin. */
  raw: (path: string, init?: RequestInit) => Promise<Response>
  /** The response to an operation, written as the binding writes it. */
  call: (binding: Binding, operation: Operation, params: Record<string, unknown>) => Promise<Response>
  /** The outcome of an operation that is no stream. */
  ask: (binding: Binding, operation: Operation, params: Record<string, unknown>) => Promise<Outcome>
  /** Sends with `returnImmediately` and gives the task of the reply. */
  send: (configuration?: Record<string, unknown>) => Promise<Task>
  /** GetTask over HTTP+JSON. */
  get: (id: string) => Promise<Task>
  at: (seconds: number) => Promise<void>
}

/** What the agent does with a message, for short: a job. */
export type StageOptions = (
  { job: Job; behaviour?: undefined } | { job?: undefined; behaviour: Behaviour }
) & {
  /** What differs from the usual. */
  settings?: Partial<AgentSettings>
  fetch?: typeof globalThis.fetch
}

export const MESSAGE = {
  messageId: 'M'.repeat(26),
  role: 'ROLE_USER',
  parts: [{ text: 'Find a venue in Porto for 40' }],
}

const HEADERS = { 'A2A-Version': '1.0', 'Content-Type': 'application/json' }

/** Plays `scene` with a fresh agent and gives what it returned. */
export async function onStage<T>(
  { job, behaviour, settings, fetch = noFetch }: StageOptions,
  scene: (stage: Stage) => Promise<T>,
): Promise<{ value: T; records: readonly RunRecord[]; moments: readonly Moment[]; leftovers: Leftovers }> {
  const journal = createJournal()
  const moments: Moment[] = []
  const end = await inVirtualTime({ horizonUs: 1_000_000 * US_PER_SECOND }, async (clock) => {
    let drawn = 0
    const agent = createAgent({
      clock,
      origin: ORIGIN,
      behaviour: job === undefined ? behaviour : scenarioJob(job),
      settings: settingsWith(settings),
      hintsPolls: job?.pollHintUs !== undefined,
      random: (purpose) => randomStream(1, purpose),
      ids: () => `A${String(++drawn).padStart(25, '0')}`,
      fetch,
      journal,
      onMoment: (moment) => moments.push(moment),
    })
    const raw: Stage['raw'] = (path, init) => agent.handle(new Request(ORIGIN + path, init))
    const call: Stage['call'] = (binding, operation, params) => {
      if (binding === 'JSONRPC') {
        const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: operation, params })
        return raw('/a2a/v1', { method: 'POST', headers: HEADERS, body })
      }
      const { method, pathAndQuery, body } = requestOf(operation, params)
      const init = { method, headers: HEADERS }
      return raw(`/rest${pathAndQuery}`, body === undefined ? init : { ...init, body: JSON.stringify(body) })
    }
    const ask: Stage['ask'] = async (...args) => outcomeOf(await call(...args))
    return scene({
      clock,
      agent,
      moments,
      records: () => journal.records(),
      raw,
      call,
      ask,
      async send(configuration = {}) {
        const params = { message: MESSAGE, configuration: { ...configuration, returnImmediately: true } }
        return resultOf<{ task: Task }>(await ask('HTTP+JSON', 'SendMessage', params)).task
      },
      get: async (id) => resultOf<Task>(await ask('HTTP+JSON', 'GetTask', { id })),
      at: (seconds) => clock.sleep(seconds * US_PER_SECOND - clock.nowUs()),
    })
  })
  if (end.kind !== 'settled')
    throw new Error(`the scene reached the horizon; waiting: ${end.waiting.join(', ')}`)
  return { value: end.value, records: journal.records(), moments, leftovers: end.leftovers }
}

export function resultOf<T>(outcome: Outcome): T {
  if ('error' in outcome) throw new Error(`${outcome.error.reason}: ${outcome.error.message}`)
  return outcome.result as T
}

async function outcomeOf(response: Response): Promise<Outcome> {
  const text = await response.text()
  if (text === '') return { result: {} }
  const body = JSON.parse(text) as { error?: WireError; jsonrpc?: string; result?: unknown }
  if (body.error !== undefined) {
    const { message, data, details } = body.error
    return { error: { message, reason: (data ?? details)?.[0]?.reason ?? '' } }
  }
  return { result: body.jsonrpc === undefined ? body : body.result }
}

interface WireError {
  message: string
  data?: { reason: string }[]
  details?: { reason: string }[]
}

/** The chunks of a stream as they are written, and the events they carry, in either binding. */
export async function* chunksOf(
  response: Response,
): AsyncGenerator<{ chunk: string; event: StreamResponse }> {
  const decoder = new TextDecoder()
  for await (const octets of response.body as ReadableStream<Uint8Array>) {
    const chunk = decoder.decode(octets)
    const said = JSON.parse(chunk.slice('data: '.length)) as StreamResponse & { result?: StreamResponse }
    yield { chunk, event: said.result ?? said }
  }
}

export async function eventsOf(response: Response): Promise<StreamResponse[]> {
  const events: StreamResponse[] = []
  for await (const { event } of chunksOf(response)) events.push(event)
  return events
}

const noFetch: typeof globalThis.fetch = () => Promise.reject(new Error('nobody was to be called'))

/** The job of the published table, whose sizes are known to the octet. */
export const SEED_JOB: Job = {
  message: { octets: 307 },
  durationUs: 100 * US_PER_SECOND,
  afterPauses: [],
  pollHintUs: undefined,
  updates: [
    { atUs: 0, change: { of: 'status', state: 'working', content: undefined } },
    {
      atUs: 20 * US_PER_SECOND,
      change: { of: 'status', state: 'working', content: { text: 'Searching venues.' } },
    },
    {
      atUs: 100 * US_PER_SECOND,
      change: {
        of: 'artifact',
        artifact: 'venues-shortlist',
        content: { octets: 28 },
        append: false,
        lastChunk: false,
      },
    },
    {
      atUs: 100 * US_PER_SECOND,
      change: {
        of: 'artifact',
        artifact: 'venues-shortlist',
        content: { data: { k: 'vvvvvvvvvvvvvv' } },
        append: true,
        lastChunk: true,
      },
    },
    { atUs: 100 * US_PER_SECOND, change: { of: 'status', state: 'completed', content: { octets: 26 } } },
  ],
}
