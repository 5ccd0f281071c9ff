import type { Clock } from '../kernel/clock.ts'
import { US_PER_SECOND } from '../kernel/units.ts'
import type { StreamResponse, TaskPushNotificationConfig } from '../protocol/a2a.ts'
import { jsonOf } from '../protocol/json-text.ts'
import { A2A_JSON } from '../protocol/media-types.ts'
import type { Journal } from '../records/journal.ts'

/** How long one attempt may take; the specification recommends 10 to 30 s (13.2). */
const TIMEOUT_US = 10 * US_PER_SECOND

/** The waits between the attempts of one post: three attempts in all, then it is dropped. */
const RETRY_WAITS_US = [1 * US_PER_SECOND, 2 * US_PER_SECOND]

/** The posts to one webhook: each begins when the one before it was delivered or dropped, so their order holds. */
export interface WebhookChain {
  post(event: StreamResponse): void
  /** Nothing further is sent; an attempt under way is not called back. */
  close(): void
}

/**
 * Whatever happens to a post, the task does not notice. Each further attempt
 * leaves a `retry` in the journal.
 */
export function openWebhookChain(
  config: TaskPushNotificationConfig,
  { clock, fetch, journal }: { clock: Clock; fetch: typeof globalThis.fetch; journal: Journal },
): WebhookChain {
  const headers = headersOf(config)
  const waiting: StreamResponse[] = []
  let busy = false
  let closed = false

  async function sendAll(): Promise<void> {
    busy = true
    for (let event = waiting.shift(); event !== undefined; event = waiting.shift())
      await deliver(jsonOf(event))
    busy = false
  }

  async function deliver(body: string): Promise<void> {
    if (await attempt(body)) return
    for (const waitUs of RETRY_WAITS_US) {
      await clock.sleep(waitUs)
      if (closed) return
      journal.append({ kind: 'retry', atUs: clock.nowUs(), operation: 'webhook' })
      if (await attempt(body)) return
    }
  }

  /** True once the receiver has acknowledged with 2xx. A redirect is none: it could lead anywhere. */
  async function attempt(body: string): Promise<boolean> {
    const patience = new AbortController()
    const relax = clock.at(clock.nowUs() + TIMEOUT_US, () => patience.abort())
    try {
      const response = await fetch(config.url, {
        method: 'POST',
        headers,
        body,
        redirect: 'manual',
        signal: patience.signal,
      })
      await response.arrayBuffer()
      return response.ok
    } catch (error) {
      if (isFailureToDeliver(error)) return false
      throw error
    } finally {
      relax()
    }
  }

  return {
    post(event) {
      if (closed) return
      waiting.push(event)
      if (!busy) void sendAll()
    },
    close() {
      closed = true
      waiting.length = 0
    },
  }
}

/** The two ways `fetch` says that a request came to nothing; anything else is a fault of ours. */
const isFailureToDeliver = (error: unknown): boolean =>
  error instanceof TypeError || (error instanceof Error && error.name === 'AbortError')

/**
 * `Authorization` as the specification demands (4.3.3). How the token travels it
 * leaves open since v1.0.1: the header of v1.0.0's example is what receivers know.
 */
function headersOf({ authentication, token }: TaskPushNotificationConfig): Record<string, string> {
  const headers: Record<string, string> = { 'Content-Type': A2A_JSON }
  if (authentication !== undefined)
    headers['Authorization'] = [authentication.scheme, authentication.credentials ?? ''].join(' ').trim()
  if (token !== undefined) headers['X-A2A-Notification-Token'] = token
  return headers
}
