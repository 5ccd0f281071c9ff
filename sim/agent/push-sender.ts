import type { Clock } from '../kernel/clock.ts'
import type { RandomStream } from '../kernel/random.ts'
import { US_PER_SECOND } from '../kernel/units.ts'
import { createBackoff } from '../policies/backoff.ts'
import type { PushSending } from '../policies/policy.ts'
import type { StreamResponse, TaskPushNotificationConfig } from '../protocol/a2a.ts'
import { jsonOf } from '../protocol/json-text.ts'
import { A2A_JSON } from '../protocol/media-types.ts'
import { isInterrupted, isTerminal } from '../protocol/states.ts'
import type { Journal } from '../records/journal.ts'
import type { Activity } from './activity.ts'

export interface PostWorld {
  clock: Clock
  fetch: typeof globalThis.fetch
  journal: Journal
  activity: Activity
  sending: PushSending
  /** The chance in the waits between attempts. */
  retryChance: RandomStream
}

/** What a webhook's posts depend on beside the world. */
export interface WebhookLife {
  /** The instant from which there is nothing to post about any more. */
  untilUs: () => number
  /** Takes the webhook's configuration away, and with it the chain. */
  remove: () => void
}

/** The posts to one webhook. */
export interface WebhookChain {
  post(event: StreamResponse): void
  /** Drops what waits for its turn or for a further attempt. An attempt under way is not called back, but nothing follows it. */
  forget(): void
  /** As `forget`, and nothing is posted any more. */
  close(): void
}

/** What became of one post. */
type Delivery = 'delivered' | 'given up' | 'forgotten'

type Attempt = { of: 'delivered' } | { of: 'failed'; retryAfterUs: number }

/**
 * Posts the events of a task to one webhook. In order: each post begins when
 * the one before it was delivered or dropped. Otherwise each when its event
 * happens, whatever becomes of the others.
 *
 * A delivery is one post with all its attempts. The waits of its retries begin
 * anew with each and count from when the attempt before failed: a refused
 * connection fails at once, silence when the attempt's time is over (that of
 * `retry` if it has one of its own). A receiver that answers 429 or 503 with
 * Retry-After is not asked earlier than it says; that makes one wait longer, and
 * no attempt more or fewer. Whatever happens to a post, the task does not
 * notice. Each further attempt leaves a `retry` in the journal; a webhook given
 * up for good leaves `removed`.
 */
export function openWebhookChain(
  config: TaskPushNotificationConfig,
  { clock, fetch, journal, activity, sending, retryChance }: PostWorld,
  life: WebhookLife,
): WebhookChain {
  const headers = headersOf(config, sending.signature)
  const timeoutUs = sending.retry.timeoutUs ?? sending.timeoutUs
  const waiting: StreamResponse[] = []
  let busy = false
  let closed = false
  let failedInARow = 0
  /** Aborts for the deliveries that are under way when their posts are forgotten. */
  let memory = new AbortController()

  async function sendAll(): Promise<void> {
    const { signal } = memory
    const done = activity.begin()
    busy = true
    while (!signal.aborted) {
      const event = waiting.shift()
      if (event === undefined) break
      await send(event, signal)
    }
    if (!signal.aborted) busy = false
    done()
  }

  async function send(event: StreamResponse, signal: AbortSignal): Promise<void> {
    switch (await deliver(jsonOf(event), signal)) {
      case 'delivered':
        failedInARow = 0
        return
      case 'given up':
        failedInARow += 1
        if (sending.giveUp === 'remove' || failedInARow === sending.disableAfter) giveUpForGood()
        return
      case 'forgotten':
        return
    }
  }

  async function sendBeside(event: StreamResponse): Promise<void> {
    const done = activity.begin()
    await send(event, memory.signal)
    done()
  }

  function giveUpForGood(): void {
    if (closed) return
    journal.append({ kind: 'removed', atUs: clock.nowUs() })
    life.remove()
  }

  async function deliver(body: string, signal: AbortSignal): Promise<Delivery> {
    const backoff = createBackoff(sending.retry, retryChance)
    const beganUs = clock.nowUs()
    for (;;) {
      if (clock.nowUs() >= life.untilUs()) return 'forgotten'
      const attempted = await attempt(body)
      if (signal.aborted) return 'forgotten'
      if (attempted.of === 'delivered') return 'delivered'
      const waitUs = backoff.next(clock.nowUs() - beganUs)
      if (waitUs === undefined) return 'given up'
      const pauseUs = Math.max(waitUs, attempted.retryAfterUs)
      if (clock.nowUs() + pauseUs >= life.untilUs()) return 'forgotten'
      const isForgotten = await clock.sleep(pauseUs, signal).then(
        () => false,
        () => true,
      )
      if (isForgotten) return 'forgotten'
      journal.append({ kind: 'retry', atUs: clock.nowUs(), operation: 'webhook' })
    }
  }

  /** Delivered once the receiver has acknowledged with 2xx. A redirect is none: it could lead anywhere. */
  async function attempt(body: string): Promise<Attempt> {
    const patience = new AbortController()
    const relax = clock.at(clock.nowUs() + timeoutUs, () => patience.abort())
    try {
      const response = await fetch(config.url, {
        method: 'POST',
        headers,
        body,
        redirect: 'manual',
        signal: patience.signal,
      })
      await response.arrayBuffer()
      return response.ok ? { of: 'delivered' } : { of: 'failed', retryAfterUs: retryAfterUsOf(response) }
    } catch (error) {
      if (isFailureToDeliver(error)) return { of: 'failed', retryAfterUs: 0 }
      throw error
    } finally {
      relax()
    }
  }

  function forget(): void {
    waiting.length = 0
    busy = false
    memory.abort()
    memory = new AbortController()
  }

  return {
    post(event) {
      if (closed || !isWanted(event, sending.events)) return
      if (!sending.ordered) void sendBeside(event)
      else {
        waiting.push(event)
        if (!busy) void sendAll()
      }
    },
    forget,
    close() {
      closed = true
      forget()
    },
  }
}

function isWanted(event: StreamResponse, wanted: PushSending['events']): boolean {
  const state = 'statusUpdate' in event ? event.statusUpdate.status.state : undefined
  switch (wanted) {
    case 'all':
      return true
    case 'status':
      return state !== undefined
    case 'pauses-and-final':
      return state !== undefined && (isInterrupted(state) || isTerminal(state))
    case 'final':
      return state !== undefined && isTerminal(state)
  }
}

/** The two ways `fetch` says that a request came to nothing; anything else is a fault of ours. */
const isFailureToDeliver = (error: unknown): boolean =>
  error instanceof TypeError || (error instanceof Error && error.name === 'AbortError')

/** What a receiver that is overloaded asks for, in seconds; 0 if it asks for nothing. */
function retryAfterUsOf({ status, headers }: Response): number {
  const seconds = headers.get('retry-after') ?? ''
  if ((status !== 429 && status !== 503) || !/^\d+(\.\d+)?$/.test(seconds)) return 0
  return Math.round(Number(seconds) * US_PER_SECOND)
}

/**
 * `Authorization` as the specification demands (4.3.3). How the token travels it
 * leaves open since v1.0.1: the header of v1.0.0's example is what receivers know.
 */
function headersOf(
  { authentication, token }: TaskPushNotificationConfig,
  signature: PushSending['signature'],
): Record<string, string> {
  const headers: Record<string, string> = { 'Content-Type': A2A_JSON }
  if (authentication !== undefined)
    headers['Authorization'] = [authentication.scheme, authentication.credentials ?? ''].join(' ').trim()
  if (token !== undefined && signature === 'token') headers['X-A2A-Notification-Token'] = token
  return headers
}
