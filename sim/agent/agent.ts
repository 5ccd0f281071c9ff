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
import type { AgentCard, AgentExtension } from '../protocol/a2a.ts'
import { A2AError, type ErrorProfile } from '../protocol/errors.ts'
import { AGENT_CARD_PATH, HTTP_JSON_PATH, JSON_RPC_PATH } from '../protocol/paths.ts'
import type { Journal } from '../records/journal.ts'
import type { AccessSettings } from './access.ts'
import { createAgenda } from './agenda.ts'
import type { Behaviour } from './behaviours/behaviour.ts'
import { createCardReply } from './bindings/card.ts'
import { answerHttpJson } from './bindings/http-json.ts'
import { answerJsonRpc } from './bindings/json-rpc.ts'
import { BODY_OCTETS_MAX, type ReceivedRequest } from './bindings/received-request.ts'
import { httpJsonError } from './bindings/replies.ts'
import { cardOf } from './card.ts'
import { createDoor } from './door.ts'
import { extendedCardOf, type ExtendedCardSettings } from './extended-card.ts'
import { activatedBy, EXTENSIONS_HEADER } from './extensions.ts'
import { createOperations } from './operations.ts'
import { type StreamSettings, USUAL_STREAMS } from './streams.ts'
import type { Moment } from './tasks.ts'

export interface AgentSettings {
  /** `true` stands for the usual streams: closed by a question, without heartbeats, for readers as slow as they like. */
  streaming: boolean | StreamSettings
  push: boolean
  /** Whose table of errors holds; v1.0.1 unless told otherwise. */
  errorProfile?: ErrorProfile
  /** Who may come in; everybody, as one anonymous caller, unless told otherwise. */
  access?: AccessSettings
  /** The extensions the card lists; none unless told otherwise. */
  extensions?: readonly AgentExtension[]
  /** What callers with credentials read in the extended card; there is none unless told otherwise. */
  extendedCard?: ExtendedCardSettings
  /** Those the card has interfaces for, and no others are served; any is unless told otherwise. */
  tenants?: readonly string[]
}

export interface AgentOptions {
  clock: Clock
  /** Where the agent lives, as in `https://agent.example`. */
  origin: string
  behaviour: Behaviour
  /** What the card offers and the agent does. */
  settings: AgentSettings
  /** A new id of 26 characters at every call. */
  ids: () => string
  /** How webhook posts leave. */
  fetch: typeof globalThis.fetch
  /** Takes `happened` for each update and `retry` for each further attempt of a webhook post. */
  journal: Journal
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
}

export function createAgent(options: AgentOptions): Agent {
  const { clock, origin, settings } = options
  const { errorProfile = '1.0.1', extensions = [], tenants = [] } = settings
  const streaming = settings.streaming === true ? USUAL_STREAMS : settings.streaming
  const card = cardOf(origin, {
    streaming: streaming !== false,
    push: settings.push,
    extendedCard: settings.extendedCard !== undefined,
    access: settings.access !== undefined,
    extensions,
    tenants,
  })
  const cardReply = createCardReply(card)
  const agenda = createAgenda(clock)
  const { perform, authorised } = createOperations(
    { ...options, agenda },
    {
      streaming,
      push: settings.push,
      inputModes: card.defaultInputModes,
      extendedCard: extendedCardOf(card, settings.extendedCard),
    },
  )
  const enter = createDoor(settings, perform)

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
