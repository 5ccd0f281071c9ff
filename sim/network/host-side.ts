/** The host's end of one exchange: hands the request over and writes the answer, counting each octet. */
import type { Clock } from '../kernel/clock.ts'
import type { Party } from '../records/record.ts'
import { answerInFront, type AnswerMessage } from './answer-message.ts'
import type { Conditions } from '../path/conditions.ts'
import { connectionRefused, isRefusal, terminatedBy, TurnedAway } from './failures.ts'
import type { Handler } from './network.ts'
import { hasBody, isChunked } from './octets.ts'
import type { ReceivedRequest } from './received-request.ts'
import type { Recording } from './recording.ts'
import type { Sending } from './sending.ts'

/** Who answers for an origin. */
export interface Host {
  party: Party
  handle: Handler
}

export interface HostSide {
  /** The request has arrived. */
  serve(): Promise<void>
  /** A request arrives that somebody on the way sent twice. Its answer goes nowhere and counts nowhere. */
  serveTwin(twin: ReceivedRequest): Promise<void>
  /** It will not write any more: it has finished, broken down, or been told that nobody listens. */
  isDone(): boolean
  /** Word has come that nobody listens any more. */
  requesterLeft(): void
  /** Whatever it still writes counts no more. */
  runIsOver(): void
}

/**
 * How many rounds of promises an answer is given to show that all of it is
 * there, so that it can be handed over in one piece. Only a matter of speed: a
 * body that takes longer is handed over as a stream.
 */
const ROUNDS_FOR_WHOLE_BODY = 8

export interface HostSideOptions {
  clock: Clock
  conditions: Conditions | undefined
  host: Host
  sending: Sending
  recording: Recording
  write: (message: AnswerMessage) => void
}

export function createHostSide(options: HostSideOptions): HostSide {
  const { clock, conditions, host, sending, recording, write } = options
  const { method, request } = sending
  let done = false
  let runIsOver = false
  let reads: ReadableStreamDefaultReader<Uint8Array> | undefined

  /** Throws and answers as the host, or as whoever takes its place just now. */
  function handle(received: ReceivedRequest): Promise<Response> {
    const condition = conditions?.host(host.party, recording.record.operation, clock.nowUs())
    switch (condition?.of) {
      case 'down':
        return Promise.reject(connectionRefused())
      case 'answers':
        return Promise.resolve(answerOf(condition))
      case 'up':
      case 'no name':
      case undefined:
        return host.handle(received).catch((error: unknown) => {
          if (error instanceof TurnedAway) return answerOf(error)
          throw error
        })
    }
  }

  /** Of whoever stands in front of the host. */
  function answerOf({
    status,
    retryAfterUs,
  }: {
    status: number
    retryAfterUs: number | undefined
  }): Response {
    const { response, body } = answerInFront(status, retryAfterUs)
    return new Response(hasBody(method, status) ? body : null, response)
  }

  function broke(error: unknown): void {
    if (done) return
    done = true
    if (isRefusal(error)) write({ of: 'refused' })
    else {
      recording.cutBy(host.party)
      write({ of: 'broken', how: 'reset', cause: error })
    }
  }

  async function writeAnswer(response: Response): Promise<void> {
    const chunked = isChunked(method, response)
    const declared = response.headers.get('content-length')
    recording.answerHead(method, sending.saysClose, response)
    const withHead: Uint8Array[] = []
    let octets = 0
    let headIsWritten = false
    let end: { brokenBy: unknown } | 'whole' | undefined

    function writeChunk(chunk: Uint8Array): void {
      octets += chunk.byteLength
      recording.answerBody(chunk.byteLength, chunked)
      if (headIsWritten) write({ of: 'octets', chunks: [chunk] })
      else withHead.push(chunk)
    }

    function finish(how: { brokenBy: unknown } | 'whole'): void {
      done = true
      end = how
      if (how !== 'whole') recording.cutBy(host.party)
      else if (chunked) recording.lastChunk()
      if (headIsWritten) writeEnd(how)
    }

    function writeEnd(how: { brokenBy: unknown } | 'whole'): void {
      if (how === 'whole') write({ of: 'end', connection: 'stays' })
      else write({ of: 'broken', how: 'closed', cause: how.brokenBy })
    }

    async function writeBody(body: ReadableStream<Uint8Array>): Promise<void> {
      try {
        reads = body.getReader()
        for (;;) {
          const { done: ended, value } = await reads.read()
          if (done || runIsOver) return
          if (ended) break
          if (!(value instanceof Uint8Array))
            throw new TypeError(`an answer's body must come as Uint8Array, not as ${typeof value}`)
          if (value.byteLength > 0) writeChunk(value)
        }
        if (declared !== null && Number(declared) !== octets)
          throw new RangeError(
            `the answer declares content-length ${declared} and its body has ${octets} octets`,
          )
        finish('whole')
      } catch (error) {
        if (!done) finish({ brokenBy: error })
      }
    }

    if (!hasBody(method, response.status)) {
      finish('whole')
      void response.body?.cancel().catch(() => {})
    } else if (response.body === null) finish('whole')
    else {
      void writeBody(response.body)
      for (let round = 0; round < ROUNDS_FOR_WHOLE_BODY && end === undefined; round++) await Promise.resolve()
    }
    headIsWritten = true
    write({ of: 'head', response, chunked, body: withHead, ends: end === 'whole' })
    if (typeof end === 'object') writeEnd(end)
  }

  return {
    async serve() {
      let response: Response
      try {
        response = await handle(request)
      } catch (error) {
        broke(error)
        return
      }
      if (done || runIsOver) await response.body?.cancel().catch(() => {})
      else if (response.type === 'error') broke(new Error('the handler answered with Response.error()'))
      else await writeAnswer(response)
    },
    async serveTwin(twin) {
      const dropped = handle(twin).then((response) => response.body?.cancel())
      // Nobody waits for its answer, so nobody hears of its failure; one that is held ends with its requester.
      await Promise.race([dropped, goneOf(twin)]).catch(() => {})
    },
    isDone: () => done,
    requesterLeft() {
      if (done) return
      done = true
      request.requesterWentAway()
      if (sending.body.kind === 'upload') sending.body.incoming.breakOff(terminatedBy(undefined))
      reads?.cancel().catch(() => {})
    },
    runIsOver() {
      runIsOver = true
    },
  }
}

/** Resolves when nobody waits for the answer any more. */
function goneOf({ signal }: ReceivedRequest): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
