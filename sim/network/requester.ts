/** The requester's end of one exchange: what `fetch` returns, the limits it sets itself, and how it lets go. */
import type { Cancel, Clock } from '../kernel/clock.ts'
import { createHopWatch, type CutReason, type HopWatch } from '../policies/hop-watch.ts'
import type { ClientLimits } from '../policies/middlebox.ts'
import { joined, type AnswerMessage } from './answer-message.ts'
import type { Connection } from './connections.ts'
import { onceDue } from './deadline.ts'
import { createEventReader, isEventStream } from './event-stream.ts'
import {
  bodyTimeout,
  closedBy,
  headersTimeout,
  refusedBy,
  resetBy,
  terminatedBy,
  terminatedByReset,
  timedOut,
} from './failures.ts'
import { createIncomingBody, type IncomingBody } from './incoming-body.ts'
import { receivedResponse } from './received-response.ts'
import type { Recording } from './recording.ts'
import { isRedirect } from './redirect.ts'
import type { Sending } from './sending.ts'

export interface Requester {
  /** Settles as `fetch` does. */
  answer: Promise<Response>
  arrive(message: AnswerMessage): void
  /** It wants no more of it, for this reason. */
  letGo(reason: unknown): void
  /** Waiting for the rest, done with it, or left behind by the end of the run. */
  stage(): 'under way' | 'done' | 'run over'
  /** The run is over: records the exchange as it stands. */
  runIsOver(): void
}

export interface RequesterOptions {
  clock: Clock
  sending: Sending
  limits: ClientLimits | undefined
  connection: Connection
  recording: Recording
  /** The words of a stream's event. */
  says: (event: string) => string
  /** Its view is final, and it has the answer or has lost it. */
  ended(): void
  /** It has let go: the host must be told. */
  left(reason: unknown): void
}

/** Deadlines of its own come after all others of an instant: a hop's 504 is in time. */
const AFTER_HOPS = 2

export function createRequester(options: RequesterOptions): Requester {
  const { clock, sending, limits, connection, recording } = options
  const { method, url, request, signal } = sending
  const { record } = recording
  let stage: ReturnType<Requester['stage']> = 'under way'
  let closesConnection = sending.closesConnection
  let body: IncomingBody | undefined
  let readEvents: ReturnType<typeof createEventReader> | undefined
  let resolve!: (response: Response) => void
  let reject!: (reason: unknown) => void
  const answer = new Promise<Response>((resolveAnswer, rejectAnswer) => {
    resolve = resolveAnswer
    reject = rejectAnswer
  })
  const stopWaiting = clock.waiting(`${record.from} waits for ${method} ${url.href}`)
  const patience = limits === undefined ? undefined : createPatience(clock, limits, runOut)
  signal?.addEventListener('abort', giveUp, { once: true })

  /** The record is written before any code of the requester's can see the end. */
  function conclude(outcome: 'complete' | 'aborted' | 'failed'): void {
    const endUs = clock.nowUs()
    stage = 'done'
    signal?.removeEventListener('abort', giveUp)
    patience?.stop()
    stopWaiting()
    if (outcome === 'complete' && !closesConnection) connection.free(endUs)
    else connection.close(endUs)
    recording.end(outcome, endUs)
    if (outcome !== 'aborted') options.ended()
  }

  function giveUp(): void {
    letGo(signal?.reason)
  }

  function runOut(why: CutReason, answered: boolean): void {
    recording.cutBy('client limits')
    letGo(why === 'lifetime' ? timedOut() : answered ? bodyTimeout() : headersTimeout())
  }

  function letGo(reason: unknown): void {
    if (stage === 'done') return
    if (stage === 'under way') conclude('aborted')
    stage = 'done'
    signal?.removeEventListener('abort', giveUp)
    reject(reason)
    body?.abandon(reason)
    options.left(reason)
  }

  function headArrives({ response, body: withHead, ends }: Extract<AnswerMessage, { of: 'head' }>): void {
    record.status = response.status
    if (response.headers.get('connection')?.toLowerCase() === 'close') closesConnection = true
    // Node's fetch drops the connection of an answer that sends it elsewhere.
    if (isRedirect(response.status) && request.redirect !== 'manual') closesConnection = true
    if (isEventStream(response.headers)) {
      record.arrivals = []
      readEvents = createEventReader(options.says)
    }
    const redirected = sending.redirects > 0
    const head = { method, url: url.href, redirected, response, exchange: record.number }
    if (ends) {
      withHead.forEach(noteEvents)
      conclude('complete')
      resolve(receivedResponse(head, joined(withHead)))
      return
    }
    body = createIncomingBody(letGo)
    withHead.forEach(chunkArrives)
    resolve(receivedResponse(head, body.stream))
  }

  function noteEvents(chunk: Uint8Array): void {
    if (readEvents !== undefined) record.arrivals?.push(...readEvents(chunk, clock.nowUs()))
  }

  function chunkArrives(chunk: Uint8Array): void {
    noteEvents(chunk)
    body?.arrive(chunk)
  }

  function breakOff(message: Extract<AnswerMessage, { of: 'broken' }>): void {
    const { how, cause } = message
    conclude('failed')
    if (body === undefined) reject(how === 'reset' ? resetBy(cause) : closedBy(cause))
    else body.breakOff(how === 'reset' ? terminatedByReset(cause) : terminatedBy(cause))
  }

  return {
    answer,
    arrive(message) {
      if (stage !== 'under way') return
      switch (message.of) {
        case 'head':
          patience?.octets()
          headArrives(message)
          return
        case 'octets':
          patience?.octets()
          message.chunks.forEach(chunkArrives)
          return
        case 'end':
          if (message.connection === 'closes') closesConnection = true
          conclude('complete')
          body?.finish()
          return
        case 'broken':
          breakOff(message)
          return
        case 'refused':
          // Without a connection nothing was ever written.
          recording.neverConnected()
          connection.wasNone()
          conclude('failed')
          reject(refusedBy(url))
      }
    },
    letGo,
    stage: () => stage,
    runIsOver() {
      stage = 'run over'
      patience?.stop()
      stopWaiting()
      recording.leaveOpen()
    },
  }
}

interface Patience {
  octets(): void
  stop: Cancel
}

/** What a client allows one exchange is what a hop does, and is decided alike. */
function createPatience(
  clock: Clock,
  { timeoutUs: lifetimeUs, firstByteUs, idleUs }: ClientLimits,
  runOut: (why: CutReason, answered: boolean) => void,
): Patience {
  const watch: HopWatch = createHopWatch({ idleUs, firstByteUs, lifetimeUs }, clock.nowUs())
  const stop = onceDue(
    clock,
    () => watch.dueUs()?.atUs,
    () => runOut(watch.dueUs()?.why ?? 'lifetime', watch.answered()),
    AFTER_HOPS,
  )
  return { octets: () => watch.octets(clock.nowUs()), stop }
}
