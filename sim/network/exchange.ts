/** One exchange: a request on its way to a host, and the answer on its way back. */
import type { Clock } from '../kernel/clock.ts'
import type { Journal } from '../records/journal.ts'
import type { ExchangeRecord, Party } from '../records/record.ts'
import type { Connections } from './connections.ts'
import { createDelayLine } from './delay-line.ts'
import { createEventReader, isEventStream } from './event-stream.ts'
import { fetchFailed, isRefusal, refusedBy, resetBy, terminatedBy } from './failures.ts'
import { createIncomingBody, type IncomingBody } from './incoming-body.ts'
import type { Handler, Latency } from './network.ts'
import { chunkFramingOctets, hasBody, isChunked, LAST_CHUNK_OCTETS, responseHeadOctets } from './octets.ts'
import type { SentBody } from './octets.ts'
import { isRedirect } from './redirect.ts'
import { receivedResponse } from './received-response.ts'
import type { Sending } from './sending.ts'

/** Who answers for an origin. */
export interface Host {
  party: Party
  handle: Handler
}

/** How requests and stream events are named in the records. */
export interface Describe {
  /** `body` is the text of the request, empty if it has none or is uploaded as a stream. */
  operation(method: string, pathAndQuery: string, body: string): string
  /** `event` is the text of one event of a `text/event-stream`, framing included. Must not throw, whatever it is. */
  event(event: string): string
}

/** What an exchange needs of the network it happens on. */
export interface Surroundings {
  clock: Clock
  journal: Journal
  latency(from: Party, to: Party): Latency
  describe: Describe
  connections: Connections
  began(exchange: Exchange): void
  /** Nothing of this exchange is under way any more. */
  over(exchange: Exchange): void
}

/** What the network may do to an exchange under way. */
export interface Exchange {
  /** The run is over: records the exchange as it stands. What comes after leaves no trace in the records. */
  close(): void
}

/**
 * How many rounds of promises an answer is given to show that all of it is
 * there, so that it can be handed over in one piece. Only a matter of speed: a
 * body that takes longer is handed over as a stream.
 */
const ROUNDS_FOR_WHOLE_BODY = 8

/** Where the requester stands: waiting for the rest, done with it, or left behind by the end of the run. */
type Stage = 'under way' | 'done' | 'run over'

/**
 * Begins an exchange. Octets are counted when they are written, by whichever
 * side; they arrive after the latency of their direction. The request counts as
 * written now. Whatever the host writes until it hears that the requester went
 * away counts as well.
 *
 * Rejects as `fetch` does: with the errors of failures.ts, or with the reason of an abort.
 */
export function beginExchange(
  surroundings: Surroundings,
  from: Party,
  host: Host,
  sending: Sending,
): Promise<Response> {
  const { clock, journal, describe } = surroundings
  const { method, url, request, signal } = sending
  const latency = surroundings.latency(from, host.party)
  const up = createDelayLine(clock, latency.upUs)
  const down = createDelayLine(clock, latency.downUs)
  const startUs = clock.nowUs()
  const connection = surroundings.connections.take(from, host.party, url.origin, startUs)
  const stopWaiting = clock.waiting(`${from} waits for ${method} ${url.href}`)

  const octets = { requestHead: 0, requestBody: 0, responseHead: 0, responseBody: 0 }
  const record: ExchangeRecord = {
    kind: 'exchange',
    from,
    to: host.party,
    operation: operationBy(textOf(sending)),
    startUs,
    endUs: undefined,
    status: undefined,
    octets,
    outcome: 'open',
  }

  function operationBy(body: string): string {
    return describe.operation(method, url.pathname + url.search, body)
  }

  let stage: Stage = 'under way'
  /** The host will not write any more: it has finished, broken down, or been told that nobody listens. */
  let hostIsDone = false
  let uploads: ReadableStreamDefaultReader<Uint8Array> | undefined
  let hostReads: ReadableStreamDefaultReader<Uint8Array> | undefined
  let requesterReads: IncomingBody | undefined
  let closesConnection = sending.closesConnection
  let resolve!: (response: Response) => void
  let reject!: (reason: unknown) => void

  const answer = new Promise<Response>((resolveAnswer, rejectAnswer) => {
    resolve = resolveAnswer
    reject = rejectAnswer
  })
  const exchange: Exchange = {
    close() {
      up.open()
      down.open()
      if (stage === 'done') {
        tellHost()
        return
      }
      stage = 'run over'
      stopWaiting()
      journal.append(record)
    },
  }

  surroundings.began(exchange)
  signal?.addEventListener('abort', giveUp, { once: true })
  if (sending.body.kind === 'upload') void upload(sending.body)
  else {
    octets.requestBody = sending.body.kind === 'whole' ? sending.body.octets : 0
    writeRequestHead(sending.body.kind === 'whole' ? sending.body.octets : 'none')
  }
  return answer

  // The request

  function writeRequestHead(body: SentBody): void {
    octets.requestHead += sending.headOctets(body)
    up.send(() => void serve())
  }

  /**
   * Sends the head with the first octet, as Node does, because a stream may turn
   * out to be empty. Only the whole body tells what is asked for.
   */
  async function upload(body: Extract<Sending['body'], { kind: 'upload' }>): Promise<void> {
    const { source, incoming, framing } = body
    const decoder = new TextDecoder()
    let text = ''
    let begun = false
    try {
      uploads = source.getReader()
      for (;;) {
        const { done, value: chunk } = await uploads.read()
        if (stage !== 'under way') return
        if (done) break
        if (chunk.byteLength === 0) continue
        if (!begun) writeRequestHead('chunked')
        begun = true
        octets.requestBody += chunk.byteLength
        if (framing !== 'none') octets.requestHead += chunkFramingOctets(chunk.byteLength)
        text += decoder.decode(chunk, { stream: true })
        up.send(() => incoming.arrive(chunk))
      }
      record.operation = operationBy(text)
      if (!begun) writeRequestHead('none')
      if (framing === 'chunks' || (begun && framing === 'chunks unless empty'))
        octets.requestHead += LAST_CHUNK_OCTETS
      up.send(() => incoming.finish())
    } catch (error) {
      letGo(fetchFailed(error instanceof Error ? error : new Error(String(error))))
    }
  }

  // The host's side

  async function serve(): Promise<void> {
    let response: Response
    try {
      response = await host.handle(request)
    } catch (error) {
      hostBroke(error)
      return
    }
    if (hostIsDone || stage === 'run over') {
      await response.body?.cancel().catch(() => {})
      return
    }
    if (response.type === 'error') hostBroke(new Error('the handler answered with Response.error()'))
    else await writeAnswer(response)
  }

  function hostBroke(error: unknown): void {
    if (hostIsDone) return
    hostIsDone = true
    if (isRefusal(error)) {
      // Without a connection nothing was ever written.
      octets.requestHead = octets.requestBody = 0
      down.send(() => fail(refusedBy(url), 'no connection'))
      return
    }
    down.send(() => fail(resetBy(error)))
  }

  async function writeAnswer(response: Response): Promise<void> {
    const chunked = isChunked(method, response)
    const declared = response.headers.get('content-length')
    const writtenUs = clock.nowUs()
    octets.responseHead += responseHeadOctets({ method, toClose: sending.saysClose }, response)
    if (response.headers.get('connection')?.toLowerCase() === 'close') closesConnection = true
    // Node's fetch drops the connection of an answer that sends it elsewhere.
    if (isRedirect(response.status) && request.redirect !== 'manual') closesConnection = true

    /** What was written together with the head travels with it. */
    const withHead: Uint8Array[] = []
    const readEvents = createEventReader((event) => describe.event(event))
    let end: 'not yet' | 'with head' | 'on its own' = 'not yet'
    let broken: { by: unknown } | undefined
    let headIsThere = false
    const travelsWithHead = (): boolean => !headIsThere && clock.nowUs() === writtenUs

    function write(chunk: Uint8Array): void {
      octets.responseBody += chunk.byteLength
      if (chunked) octets.responseHead += chunkFramingOctets(chunk.byteLength)
      if (travelsWithHead()) withHead.push(chunk)
      else down.send(() => chunkArrives(chunk))
    }

    function finish(by?: { by: unknown }): void {
      hostIsDone = true
      broken = by
      if (broken === undefined && chunked) octets.responseHead += LAST_CHUNK_OCTETS
      end = travelsWithHead() ? 'with head' : 'on its own'
      if (end === 'on its own') down.send(endArrives)
    }

    function headArrives(): void {
      headIsThere = true
      if (stage !== 'under way') return
      record.status = response.status
      if (isEventStream(response.headers)) record.arrivals = []
      const head = { method, url: url.href, redirected: sending.redirects > 0, response }
      if (end === 'with head' && broken === undefined) {
        withHead.forEach(noteArrival)
        conclude('complete')
        resolve(receivedResponse(head, joined(withHead)))
        return
      }
      requesterReads = createIncomingBody(letGo)
      withHead.forEach(chunkArrives)
      if (end === 'with head') endArrives()
      resolve(receivedResponse(head, requesterReads.stream))
    }

    function noteArrival(chunk: Uint8Array): void {
      record.arrivals?.push(...readEvents(chunk, clock.nowUs()))
    }

    function chunkArrives(chunk: Uint8Array): void {
      if (stage !== 'under way') return
      noteArrival(chunk)
      requesterReads?.arrive(chunk)
    }

    function endArrives(): void {
      if (stage !== 'under way') return
      conclude(broken === undefined ? 'complete' : 'failed')
      if (broken === undefined) requesterReads?.finish()
      else requesterReads?.breakOff(terminatedBy(broken.by))
    }

    async function writeBody(body: ReadableStream<Uint8Array>): Promise<void> {
      try {
        hostReads = body.getReader()
        for (;;) {
          const { done, value } = await hostReads.read()
          if (hostIsDone || stage === 'run over') return
          if (done) break
          if (!(value instanceof Uint8Array))
            throw new TypeError(`an answer's body must come as Uint8Array, not as ${typeof value}`)
          if (value.byteLength > 0) write(value)
        }
        if (declared !== null && Number(declared) !== octets.responseBody)
          throw new RangeError(
            `the answer declares content-length ${declared} and its body has ${octets.responseBody} octets`,
          )
        finish()
      } catch (error) {
        if (!hostIsDone) finish({ by: error })
      }
    }

    if (!hasBody(method, response.status)) {
      finish()
      void response.body?.cancel().catch(() => {})
    } else if (response.body === null) finish()
    else {
      void writeBody(response.body)
      if (latency.downUs === 0)
        for (let round = 0; round < ROUNDS_FOR_WHOLE_BODY && end === 'not yet'; round++)
          await Promise.resolve()
    }
    down.send(headArrives)
  }

  // The requester's side

  /** The requester's view of the exchange is final: the record is written before its code can see that. */
  function conclude(outcome: 'complete' | 'aborted' | 'failed', without?: 'no connection'): void {
    const endUs = clock.nowUs()
    stage = 'done'
    record.endUs = endUs
    record.outcome = outcome
    if (without === 'no connection') connection.refuse(clock.nowUs())
    else if (outcome === 'complete' && !closesConnection) connection.free(endUs)
    else connection.close(endUs)
    signal?.removeEventListener('abort', giveUp)
    stopWaiting()
    journal.append(record)
    if (outcome !== 'aborted') surroundings.over(exchange)
  }

  function fail(error: TypeError, without?: 'no connection'): void {
    if (stage !== 'under way') return
    conclude('failed', without)
    reject(error)
  }

  function giveUp(): void {
    letGo(signal?.reason)
  }

  /** The requester wants no more of it. */
  function letGo(reason: unknown): void {
    if (stage === 'done') return
    if (stage === 'under way') conclude('aborted')
    stage = 'done'
    signal?.removeEventListener('abort', giveUp)
    down.open()
    reject(reason)
    requesterReads?.abandon(reason)
    uploads?.cancel(reason).catch(() => {})
    up.send(tellHost)
  }

  function tellHost(): void {
    surroundings.over(exchange)
    if (hostIsDone) return
    hostIsDone = true
    request.requesterWentAway()
    if (sending.body.kind === 'upload') sending.body.incoming.breakOff(terminatedBy(undefined))
    hostReads?.cancel().catch(() => {})
  }
}

/** The text of a body that is there as a whole. */
function textOf({ body }: Sending): string {
  if (body.kind !== 'whole') return ''
  return typeof body.content === 'string' ? body.content : new TextDecoder().decode(body.content)
}

function joined(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const [only] = chunks
  if (chunks.length === 1 && only !== undefined) return only as Uint8Array<ArrayBuffer>
  const whole = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0))
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.byteLength
  }
  return whole
}
