/** The requester's end of one exchange: what `fetch` returns, the limits it sets itself, and how it lets go. */
import type { Cancel, Clock } from '../kernel/clock.ts'
import { createHopWatch, type CutReason, type HopWatch } from '../policies/hop-watch.ts'
import type { ClientLimits } from '../policies/middlebox.ts'
import { joined, type AnswerMessage } from './answer-message.ts'
import type { Connection } from '../path/connections.ts'
import { onceDue } from '../path/deadline.ts'
import { createEventReader, isEventStream, type EventReader } from './event-stream.ts'
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

export interface RequesterOptions {
  clock: Clock
  sending: Sending
  limits: ClientLimits | undefined
  connection: Connection
  recording: Recording
  /** The words of a stream's event. */
  says: (event: string) => string
  /** Its view is final, and it has the answer or has lost it. */
  ended: () => void
  /** It has let go: the host must be told. */
  left(reason: unknown): void
}

/** Deadlines of its own come after all others of an instant: a hop's 504 is in time. */
const AFTER_HOPS = 2

/** Waiting for the rest, done with it, or left behind by the end of the run. */
type Stage = 'under way' | 'done' | 'run over'

/** A class, because each exchange has one: methods cost it nothing, functions of its own would. */
export class Requester {
  /** Settles as `fetch` does. */
  readonly answer: Promise<Response>
  readonly #options: RequesterOptions
  readonly #stopWaiting: Cancel
  /** A function, not an object that listens: those cost the collector dearly on Node 20. */
  readonly #giveUp = (): void => this.letGo(this.#options.sending.signal?.reason)
  readonly #patience: Patience | undefined
  #resolve!: (response: Response) => void
  #reject!: (reason: unknown) => void
  #stage: Stage = 'under way'
  #closesConnection: boolean
  #body: IncomingBody | undefined
  #readEvents: EventReader | undefined

  constructor(options: RequesterOptions) {
    const { clock, sending, limits, recording } = options
    this.#options = options
    this.#closesConnection = sending.closesConnection
    this.answer = new Promise<Response>((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    this.#stopWaiting = clock.waiting(
      `${recording.record.from} waits for ${sending.method} ${sending.url.href}`,
    )
    if (limits !== undefined)
      this.#patience = createPatience(clock, limits, (why, answered) => this.#runOut(why, answered))
    sending.signal?.addEventListener('abort', this.#giveUp, { once: true })
  }

  stage(): Stage {
    return this.#stage
  }

  arrive(message: AnswerMessage): void {
    if (this.#stage !== 'under way') return
    switch (message.of) {
      case 'head':
        this.#patience?.octets()
        this.#headArrives(message)
        return
      case 'octets':
        this.#patience?.octets()
        this.#chunksArrive(message.chunks)
        return
      case 'end':
        if (message.connection === 'closes') this.#closesConnection = true
        this.#conclude('complete')
        this.#body?.finish()
        return
      case 'broken':
        this.#breakOff(message)
        return
      case 'refused':
        // Without a connection nothing was ever written.
        this.#options.recording.neverConnected()
        this.#options.connection.wasNone()
        this.#conclude('failed')
        this.#reject(refusedBy(this.#options.sending.url))
    }
  }

  /** It wants no more of it, for this reason. */
  letGo(reason: unknown): void {
    if (this.#stage === 'done') return
    if (this.#stage === 'under way') this.#conclude('aborted')
    this.#stage = 'done'
    this.#options.sending.signal?.removeEventListener('abort', this.#giveUp)
    this.#reject(reason)
    this.#body?.abandon(reason)
    this.#options.left(reason)
  }

  /** The run is over: records the exchange as it stands. */
  runIsOver(): void {
    this.#stage = 'run over'
    this.#patience?.stop()
    this.#stopWaiting()
    this.#options.recording.leaveOpen()
  }

  /** The record is written before any code of the requester's can see the end. */
  #conclude(outcome: 'complete' | 'aborted' | 'failed'): void {
    const { clock, sending, connection, recording, ended } = this.#options
    const endUs = clock.nowUs()
    this.#stage = 'done'
    sending.signal?.removeEventListener('abort', this.#giveUp)
    this.#patience?.stop()
    this.#stopWaiting()
    if (outcome === 'complete' && !this.#closesConnection) connection.free(endUs)
    else connection.close(endUs)
    recording.end(outcome, endUs)
    if (outcome !== 'aborted') ended()
  }

  #runOut(why: CutReason, answered: boolean): void {
    this.#options.recording.cutBy('client limits')
    this.letGo(why === 'lifetime' ? timedOut() : answered ? bodyTimeout() : headersTimeout())
  }

  #headArrives({ response, body: withHead, ends }: Extract<AnswerMessage, { of: 'head' }>): void {
    const { sending, recording, says } = this.#options
    const { method, url, request, redirects } = sending
    const { record } = recording
    record.status = response.status
    if (response.headers.get('connection')?.toLowerCase() === 'close') this.#closesConnection = true
    // Node's fetch drops the connection of an answer that sends it elsewhere.
    if (isRedirect(response.status) && request.redirect !== 'manual') this.#closesConnection = true
    if (isEventStream(response.headers)) {
      record.arrivals = []
      this.#readEvents = createEventReader(says)
    }
    const head = { method, url: url.href, redirected: redirects > 0, response, exchange: record.number }
    if (ends) {
      this.#chunksArrive(withHead)
      this.#conclude('complete')
      this.#resolve(receivedResponse(head, joined(withHead)))
      return
    }
    this.#body = createIncomingBody((reason) => this.letGo(reason))
    this.#chunksArrive(withHead)
    this.#resolve(receivedResponse(head, this.#body.stream))
  }

  #chunksArrive(chunks: readonly Uint8Array[]): void {
    const { clock, recording } = this.#options
    for (const chunk of chunks) {
      if (this.#readEvents !== undefined)
        recording.record.arrivals?.push(...this.#readEvents(chunk, clock.nowUs()))
      this.#body?.arrive(chunk)
    }
  }

  #breakOff({ how, cause }: Extract<AnswerMessage, { of: 'broken' }>): void {
    this.#conclude('failed')
    if (this.#body === undefined) this.#reject(how === 'reset' ? resetBy(cause) : closedBy(cause))
    else this.#body.breakOff(how === 'reset' ? terminatedByReset(cause) : terminatedBy(cause))
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
