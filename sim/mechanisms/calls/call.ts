/**
 * One call of the official client under way: what breaks it off, and what came
 * back on the wire beside what the client tells. The client hands the signal of
 * a call through to `fetch` as it is, so the signal tells whose request that is,
 * however many calls overlap.
 */
import { RETRY_AFTER_HEADER } from '../../protocol/delivery-extension.ts'
import { EVENT_STREAM } from '../../protocol/media-types.ts'
import type { ClientWorld } from '../a2a-world.ts'
import { type EventWatch, watchedBody } from './event-watch.ts'

/** The head of what came back. */
export interface CallAnswer {
  status: number
  statusText: string
  headers: Headers
  exchange: number | undefined
  /** The body of an error; empty for all other answers. */
  errorText: string
}

export interface Call {
  /** For people: `GetTask`. */
  operation: string
  /** To be given to the official client with the call. */
  signal: AbortSignal
  /** `undefined` until the head of an answer has come. */
  answer(): CallAnswer | undefined
  /** The limit that broke it off, if one did. */
  timedOutAfterUs(): number | undefined
  /** @throws the reason of whoever wants no more of it, if somebody does */
  throwIfUnwanted(): void
  /** Must be called once it is over, however it ended. */
  end(): void
}

export interface CallOptions {
  /** By the client's clock. An answer that comes at this very instant still counts. */
  timeoutUs?: number | undefined
  /** Breaks it off, as the world's own signal does. */
  signal?: AbortSignal | undefined
  /** Reads along where the answer is an event stream, and limits the call to its opening. */
  events?: EventWatch
}

interface CallUnderWay extends Call {
  fetch: typeof fetch
  take(response: Response): Promise<Response>
}

const underWay = new WeakMap<AbortSignal, CallUnderWay>()

/** The `fetch` of an official client: each request leaves by that of the world its call belongs to, and what it brings is noted. */
export const fetchOfCalls: typeof fetch = async (input, init) => {
  const call = init?.signal instanceof AbortSignal ? underWay.get(init.signal) : undefined
  if (call === undefined) throw new Error('the official client made a request that belongs to no call')
  return call.take(await call.fetch(input, init))
}

export function beginCall(
  world: Pick<ClientWorld, 'clock' | 'signal' | 'fetch' | 'exchangeOf'>,
  operation: string,
  { timeoutUs, signal, events }: CallOptions = {},
): Call {
  const { clock } = world
  const listensTo = signal === undefined ? [world.signal] : [world.signal, signal]
  // Nothing but the world's end breaks such a call off, and no other is known by that signal: making one of its own costs more than a poll's way through the wire.
  const isPlain = timeoutUs === undefined && signal === undefined && !underWay.has(world.signal)
  const controller = isPlain ? undefined : new AbortController()
  let answer: CallAnswer | undefined
  let timedOutAfterUs: number | undefined

  const breakOff = (event: Event): void => controller?.abort((event.target as AbortSignal).reason)
  if (controller !== undefined)
    for (const one of listensTo)
      if (one.aborted) controller.abort(one.reason)
      else one.addEventListener('abort', breakOff, { once: true })

  let stopTimer = (): void => {}
  if (timeoutUs !== undefined) {
    const limitUs = timeoutUs
    const dueUs = clock.nowUs() + limitUs
    // What is scheduled for that instant already, such as an answer's arrival, goes first.
    stopTimer = clock.at(dueUs, () => {
      stopTimer = clock.at(dueUs, () => {
        timedOutAfterUs = limitUs
        controller?.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'))
      })
    })
  }

  const call: CallUnderWay = {
    fetch: world.fetch,
    operation,
    signal: controller?.signal ?? world.signal,
    answer: () => answer,
    timedOutAfterUs: () => timedOutAfterUs,
    throwIfUnwanted() {
      for (const one of listensTo) one.throwIfAborted()
    },
    end() {
      stopTimer()
      if (controller === undefined) underWay.delete(world.signal)
      else for (const one of listensTo) one.removeEventListener('abort', breakOff)
    },
    async take(response) {
      const { status, statusText, headers } = response
      answer = { status, statusText, headers, exchange: world.exchangeOf(response), errorText: '' }
      if (events !== undefined && response.ok && isEventStream(headers) && response.body !== null) {
        stopTimer()
        return new Response(watchedBody(response.body, events), { status, statusText, headers })
      }
      if (response.ok || status === NOT_MODIFIED) return response
      // The official client forgets the reasons of errors it does not know.
      answer.errorText = await response.text().catch(() => '')
      return new Response(answer.errorText, { status, statusText, headers })
    },
  }
  underWay.set(call.signal, call)
  return call
}

export const NOT_MODIFIED = 304

const isEventStream = (headers: Headers): boolean =>
  headers.get('content-type')?.startsWith(EVENT_STREAM) === true

/** The wait an answer asks for; `undefined` if it asks for none, or in words nobody here uses. */
export function retryAfterUsOf({ headers }: CallAnswer): number | undefined {
  const text = headers.get(RETRY_AFTER_HEADER) ?? ''
  return /^\d+(\.\d+)?$/.test(text) ? Math.round(Number(text) * 1e6) : undefined
}
