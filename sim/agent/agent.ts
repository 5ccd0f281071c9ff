/**
 * The imitation agent: one function from a request to its response, mounted on
 * an injected fetch, on msw or on a real port alike. What it does with a message
 * is its behaviour's business.
 *
 * Ties: before any request is answered, every change of the agent's own that is
 * due by then has been made, in the order of the scenario. Only the changes at
 * 0 s of a new task come after its send: the reply shows the task as created.
 */
import type { Clock } from '../kernel/clock.ts'
import type { RandomStream } from '../kernel/random.ts'
import type { Refusal } from '../policies/middlebox.ts'
import type { AgentCard } from '../protocol/a2a.ts'
import { A2AError } from '../protocol/errors.ts'
import { AGENT_CARD_PATH, HTTP_JSON_PATH, JSON_RPC_PATH } from '../protocol/paths.ts'
import { commentOf } from '../protocol/sse.ts'
import type { Journal } from '../records/journal.ts'
import { createActivity } from './activity.ts'
import { createAgenda } from './agenda.ts'
import type { Behaviour } from './behaviours/behaviour.ts'
import { createCardReply } from './bindings/card.ts'
import { answerHttpJson } from './bindings/http-json.ts'
import { answerJsonRpc } from './bindings/json-rpc.ts'
import { BODY_OCTETS_MAX, type ReceivedRequest } from './bindings/received-request.ts'
import { httpJsonError } from './bindings/replies.ts'
import { cardOf } from './card.ts'
import { createDoor } from './door.ts'
import { extendedCardOf } from './extended-card.ts'
import { activatedBy, EXTENSIONS_HEADER } from './extensions.ts'
import { createFrontDesk } from './front-desk.ts'
import { createOpenAnswers } from './open-answers.ts'
import { createOperations } from './operations.ts'
import { type AgentSettings, extensionsOf } from './settings.ts'
import type { Moment } from './tasks.ts'

export interface AgentOptions {
  clock: Clock
  /** Where the agent lives, as in `https://agent.example`. */
  origin: string
  behaviour: Behaviour
  /** What the card offers and the agent does. */
  settings: AgentSettings
  /** Whether tasks of this behaviour bring hints for polls of their own: the card lists what an agent may do. */
  hintsPolls?: boolean
  /** A new id of 26 characters at every call. */
  ids: () => string
  /** The agent's chance, one stream for each purpose: `stream lifetimes`, `webhook retries`. */
  random: (purpose: string) => RandomStream
  /** How webhook posts leave. */
  fetch: typeof globalThis.fetch
  /**
   * Takes `happened` for each update, `retry` for each further attempt of a
   * webhook post, `removed` for each webhook given up for good, and `slow-down`
   * for each poll that is told so.
   */
  journal: Journal
  /** What the network takes for a refusal, where the agent's capacity has an end. */
  turnedAway?: (refusal: Refusal) => Error
  /** Hears of each moment of a task's life before anybody else can. */
  onMoment: (moment: Moment) => void
}

export interface Agent {
  card: AgentCard
  handle: (request: Request) => Promise<Response>
  /**
   * Somebody outside says that a task's user has given the authorisation it
   * waits for (specification 7.6): no message can say so. False if the task
   * waits for none.
   */
  authorised: (taskId: string) => boolean
  /** Makes every change of the agent's own that is due by now, as before a request: for whoever acts on it at an instant. */
  catchUp: () => void
  /**
   * What the agent loses when its process ends and a new one begins; each loss
   * includes those before it. `streams`: whatever answers are open, held ones
   * too (a stream breaks, a held answer never comes: whoever restarts the agent
   * cuts its connections). `posts`: webhook posts that wait for their turn or
   * for a retry; the webhooks stay. `tasks`: everything.
   */
  restart: (loses: 'streams' | 'posts' | 'tasks') => void
  /**
   * Resolves when the agent has nothing more to do by itself: every task is
   * over and no webhook post is on its way. With a task that never ends, or
   * that nobody answers, it never does.
   */
  idle: () => Promise<void>
}

export function createAgent(options: AgentOptions): Agent {
  const { clock, origin, settings, hintsPolls = false, random } = options
  const { errorProfile = '1.0.1', tenants = [], streaming, push } = settings
  if (streaming !== false && streaming.heartbeat !== 'none') commentOf(streaming.heartbeat.octets)
  const extensions = extensionsOf(settings, hintsPolls)
  const card = cardOf(origin, {
    streaming: streaming !== false,
    push: push !== false,
    extendedCard: settings.extendedCard !== undefined,
    access: settings.access !== undefined,
    extensions,
    tenants,
  })
  const cardReply = createCardReply(card)
  const agenda = createAgenda(clock)
  const activity = createActivity()
  const openAnswers = createOpenAnswers()
  const { perform, authorised, forgetPosts, forgetTasks } = createOperations(
    {
      ...options,
      agenda,
      activity,
      openAnswers,
      lifetimes: random('stream lifetimes'),
      posts:
        push === false
          ? undefined
          : { ...options, activity, sending: push, retryChance: random('webhook retries') },
    },
    {
      settings,
      recognisesRepeats: settings.recognisesRepeats ?? false,
      inputModes: card.defaultInputModes,
      extendedCard: extendedCardOf(card, settings.extendedCard),
    },
  )
  const desk =
    settings.capacity === undefined
      ? undefined
      : createFrontDesk(settings.capacity, {
          ...options,
          catchUp: () => agenda.catchUp(),
          services: random('service'),
          turnedAway: options.turnedAway ?? (() => new Error('the agent has no room')),
        })
  const enter = createDoor({ ...settings, extensions }, perform, clock, desk)

  function answer(request: ReceivedRequest): Response | Promise<Response> {
    const { method, path } = request
    if (path.startsWith(`${HTTP_JSON_PATH}/`))
      return answerHttpJson({ ...request, path: path.slice(HTTP_JSON_PATH.length) }, enter, errorProfile)
    if (path === JSON_RPC_PATH && method === 'POST') return answerJsonRpc(request, enter)
    if (path === AGENT_CARD_PATH && method === 'GET') return cardReply(request.headers)
    const nothing = new A2AError('MethodNotFoundError', `nothing is at ${method} ${path}; ${whereToLook}`)
    return httpJsonError(nothing, errorProfile)
  }

  return {
    card,
    async handle(request) {
      const received = await receive(request)
      // From here to the response is one step: time cannot move on in between.
      agenda.catchUp()
      const response = answer(received)
      const activated = activatedBy(received.headers, extensions)
      return activated.length === 0 ? response : withExtensions(await response, activated)
    },
    authorised(taskId) {
      agenda.catchUp()
      return authorised(taskId)
    },
    catchUp: () => agenda.catchUp(),
    restart(loses) {
      agenda.catchUp()
      openAnswers.breakOffAll()
      desk?.forget()
      switch (loses) {
        case 'streams':
          return
        case 'posts':
          return forgetPosts()
        case 'tasks':
          return forgetTasks()
      }
    },
    idle: activity.idle,
  }
}

function withExtensions(response: Response, activated: readonly string[]): Response {
  response.headers.set(EXTENSIONS_HEADER, activated.join(', '))
  return response
}

const whereToLook = `the agent answers at ${HTTP_JSON_PATH}/…, POST ${JSON_RPC_PATH} and GET ${AGENT_CARD_PATH}`

async function receive(request: Request): Promise<ReceivedRequest> {
  const { method, headers, url } = request
  const begin = url.indexOf('/', url.indexOf('//') + 2)
  const question = url.indexOf('?', begin)
  return {
    method,
    path: question === -1 ? url.slice(begin) : url.slice(begin, question),
    query: question === -1 ? undefined : url.slice(question + 1),
    headers,
    ...(await bodyOf(request)),
    gone: () => request.signal,
  }
}

/**
 * No more is read than may be: not a body that says it is too long, and of one
 * in chunks, which does not say, only until it is.
 */
async function bodyOf(request: Request): Promise<Pick<ReceivedRequest, 'body' | 'bodyOctets'>> {
  const { body, headers } = request
  if (body === null) return { body: '', bodyOctets: 0 }
  const declared = Number(headers.get('content-length') ?? 0)
  if (declared > BODY_OCTETS_MAX) return { body: '', bodyOctets: declared }
  if (headers.has('transfer-encoding')) return bodyInChunks(body)
  const text = await request.text()
  return { body: text, bodyOctets: Buffer.byteLength(text) }
}

async function bodyInChunks(chunks: ReadableStream<Uint8Array>) {
  const read: Uint8Array[] = []
  let bodyOctets = 0
  for await (const chunk of chunks) {
    bodyOctets += chunk.byteLength
    if (bodyOctets > BODY_OCTETS_MAX) return { body: '', bodyOctets }
    read.push(chunk)
  }
  return { body: new TextDecoder().decode(Buffer.concat(read)), bodyOctets }
}
