import type { Clock } from '../kernel/clock.ts'
import { drawUs } from '../kernel/distribution.ts'
import { randomText } from '../kernel/ids.ts'
import type { RandomStream } from '../kernel/random.ts'
import { connectionRefused } from '../network/failures.ts'
import type { Handler } from '../network/network.ts'
import type { StreamResponse, TaskPushNotificationConfig } from '../protocol/a2a.ts'
import type { ReceiverSettings } from '../scenario/scenario.ts'

/** Where the client listens for webhook posts. Its length is part of what a send with a webhook costs. */
export const RECEIVER_ORIGIN = 'https://client.example'

/** Every webhook address begins with this path. */
export const HOOKS_PATH = '/hooks/'

export interface Receiver {
  /** Opens an address; `accept` takes what a post there brought, and the post, once it has been worked on. */
  open: (accept: (body: unknown, post: Request) => void) => TaskPushNotificationConfig
  handle: Handler
  /** Resolves when no post is being worked on: its sender may be gone by then. */
  idle: () => Promise<void>
}

export interface ReceiverWorld {
  clock: Clock
  /** One stream for each purpose. */
  random: (purpose: string) => RandomStream
  /** Whether the client has read the id of its task. */
  knowsTask: () => boolean
}

/**
 * The client's webhook host. Each address has a token and Bearer credentials of
 * its own. Url, token and credentials are 35, 32 and 57 characters wide, so that
 * a send with a webhook has the same size in every run. Posts wait for a free
 * handler, are worked on, handed on, and only then answered: a sender that has
 * gone away by then has still delivered. With `none` nobody listens.
 */
export function createReceiver(settings: ReceiverSettings | 'none', world: ReceiverWorld): Receiver {
  const secrets = world.random('receiver secrets')
  const addresses = new Map<string, Address>()
  const listening = settings === 'none' ? nobodyListens : listen(settings, world, addresses)
  const work = new Set<Promise<Response>>()
  return {
    open(accept) {
      const path = `${HOOKS_PATH}${randomText(secrets, 6)}`
      const token = randomText(secrets, 32)
      const credentials = randomText(secrets, 57)
      addresses.set(path, { authorization: `Bearer ${credentials}`, accept })
      const authentication = { scheme: 'Bearer', credentials }
      return { url: `${RECEIVER_ORIGIN}${path}`, token, authentication }
    },
    handle(request) {
      const response = listening(request)
      const done = () => void work.delete(response)
      work.add(response)
      response.then(done, done)
      return response
    },
    async idle() {
      while (work.size > 0) await Promise.allSettled(work)
    },
  }
}

const nobodyListens: Handler = () => Promise.reject(connectionRefused())

interface Address {
  authorization: string
  accept: (body: unknown, post: Request) => void
}

function listen(
  { answer, service, handlers = Infinity, queue = Infinity, accepts, dedupe }: ReceiverSettings,
  { clock, random, knowsTask }: ReceiverWorld,
  addresses: ReadonlyMap<string, Address>,
): Handler {
  const chance = random('receiver service')
  const isRepeat = dedupe ? createRepeats() : () => false
  const waiting: (() => void)[] = []
  let busy = 0

  /** Waits for a free handler, keeps it busy for the service time, and gives it to the next. */
  async function serve(): Promise<void> {
    if (busy >= handlers) await new Promise<void>((resolve) => waiting.push(resolve))
    else busy += 1
    const serviceUs = drawUs(service, chance)
    if (serviceUs > 0) await clock.sleep(serviceUs)
    const next = waiting.shift()
    if (next === undefined) busy -= 1
    else next()
  }

  return async (request) => {
    const address = addresses.get(new URL(request.url).pathname)
    if (address === undefined) return empty(404)
    if (request.headers.get('authorization') !== address.authorization) return empty(401)
    const text = await request.text()
    const event = JSON.parse(text) as StreamResponse
    if (accepts === 'known' && !knowsTask()) return empty(404)
    if (busy >= handlers && waiting.length >= queue) return empty(503)
    await serve()
    // Who answers with an error has not taken the post.
    if (answer >= 200 && answer < 300 && !isRepeat(text, event)) address.accept(event, request)
    return empty(answer)
  }
}

/**
 * Tells posts that were there before. A2A gives a chunk of an artifact nothing
 * to tell it by: two that read alike may be one that came twice, so none is
 * ever taken for a repeat. A status has its timestamp.
 */
function createRepeats(): (text: string, event: StreamResponse) => boolean {
  const had = new Set<string>()
  return (text, event) => {
    if ('artifactUpdate' in event) return false
    if (had.has(text)) return true
    had.add(text)
    return false
  }
}

/** Without a length an empty answer would be chunked, unless its status allows no body. */
const empty = (status: number): Response =>
  new Response(null, { status, headers: status === 204 ? {} : { 'content-length': '0' } })
