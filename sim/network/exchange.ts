/** One exchange: a request on its way to a host, and the answer on its way back. */
import type { Clock } from '../kernel/clock.ts'
import type { CutHow } from '../policies/middlebox.ts'
import type { Journal } from '../records/journal.ts'
import type { Party } from '../records/record.ts'
import { answerInFront, joined, type AnswerMessage } from './answer-message.ts'
import type { Conditions } from '../path/conditions.ts'
import type { Connections } from '../path/connections.ts'
import { createDribble, dribbleAnswer } from '../path/dribble.ts'
import { isEventStream } from './event-stream.ts'
import { fetchFailed, unknownHost } from './failures.ts'
import { createHostSide, type Host } from './host-side.ts'
import type { IncomingBody } from './incoming-body.ts'
import { createLink } from '../path/link.ts'
import { hasBody, type SentBody } from './octets.ts'
import { Passage } from '../path/passage.ts'
import { createRecording } from './recording.ts'
import { Requester } from './requester.ts'
import type { Route } from '../path/route.ts'
import type { Sending } from './sending.ts'
import { startTwin } from './twin.ts'
import { createUpload } from './upload.ts'

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
  describe: Describe
  conditions?: Conditions | undefined
  connections: Connections
  began(exchange: Exchange): void
  /** Nothing of this exchange is under way any more. */
  over(exchange: Exchange): void
  /** Nobody waits for it any more, but its host or a hop will never hear of that. */
  unheard(exchange: Exchange): void
}

/** What the network may do to an exchange under way. */
export interface Exchange {
  from: Party
  to: Party
  /** Cuts its answer at the host's door, if that is an event stream. */
  cutStream(how: CutHow, by: string): void
  /** Resets its connection at the host's door. */
  reset(by: string): void
  /** The run is over: records the exchange as it stands. What comes after leaves no trace in the records. */
  close(): void
}

/** Who asks whom for what, and by which way. */
export interface Errand {
  /** The number of the exchange. */
  number: number
  from: Party
  host: Host
  route: Route
  sending: Sending
}

/**
 * Begins an exchange. Octets are counted when they are written, by whichever
 * side; they arrive after the latency of their direction. The request counts as
 * written now. Whatever the host writes until it hears that the requester went
 * away counts as well.
 *
 * @param concluded the requester is done with it, and its connection free for others
 * @returns what `fetch` gives; it rejects with the errors of failures.ts, or with the reason of an abort
 */
export function beginExchange(
  surroundings: Surroundings,
  errand: Errand,
  concluded: () => void,
): Promise<Response> {
  const { clock, describe, conditions, connections } = surroundings
  const { number, from, host, route, sending } = errand
  const { method, url, request } = sending
  request.exchange = number
  const startUs = clock.nowUs()
  const operationBy = (body: string): string => describe.operation(method, url.pathname + url.search, body)
  const recording = createRecording(surroundings.journal, {
    number,
    from,
    to: host.party,
    operation: operationBy(textOf(sending)),
    startUs,
  })
  const { record } = recording

  const names = conditions?.host(host.party, record.operation, startUs)
  if (names?.of === 'no name' && !connections.isIdle(from, url.origin, startUs)) {
    recording.end('failed', startUs)
    concluded()
    return Promise.reject(unknownHost(url.hostname))
  }

  const up = createLink(clock, route.up, arrivedOrLost)
  const down = createLink(clock, route.down, () => {})
  const dribble = {
    up: route.dribble.up && createDribble(clock, route.dribble.up),
    down: route.dribble.down && createDribble(clock, route.dribble.down),
  }

  const requester = new Requester({
    clock,
    sending,
    limits: route.limits,
    connection: connections.take(from, host.party, url.origin, startUs),
    recording,
    says: (event) => describe.event(event),
    ended() {
      concluded()
      arrivedOrLost(0)
    },
    left(reason) {
      concluded()
      down.open()
      dribble.down?.clear()
      upload?.cancel(reason)
      send(() => passage.leave())
    },
  })
  const hostSide = createHostSide({
    clock,
    conditions,
    host,
    sending,
    recording,
    write(message) {
      if (message.of === 'head') answered = message.response
      passage.answer(message)
    },
  })
  const passage = new Passage({
    clock,
    hops: route.hops,
    serve: () => void hostSide.serve(),
    tellHost: () => hostSide.requesterLeft(),
    send: (message) => down.send(() => arrive(message)),
    answerInFront: writeInFront,
    lastChunk: () => recording.lastChunk(),
    cutBy: (name) => recording.cutBy(name),
    fellSilent: (atUs) => recording.fellSilent(atUs),
  })
  const upload =
    sending.body.kind === 'upload'
      ? createUpload(sending.body, recording.record, {
          wanted: () => requester.stage() === 'under way',
          head: writeHead,
          octets: (chunk) => sendBody(chunk.byteLength, (incoming) => incoming.arrive(chunk)),
          read: (text) => (record.operation = operationBy(text)),
          end: () => sendBody(0, (incoming) => incoming.finish()),
        })
      : undefined
  let answered: Response | undefined
  /** Messages that have set out for the host and not arrived. */
  let underWay = 0

  const exchange: Exchange = {
    from,
    to: host.party,
    cutStream(how, by) {
      if (answered !== undefined && isEventStream(answered.headers) && isUnderWay()) passage.cut(how, by)
    },
    reset(by) {
      if (isUnderWay()) passage.cut('reset', by)
    },
    close() {
      up.open()
      down.open()
      dribble.up?.clear()
      dribble.down?.clear()
      passage.open()
      if (requester.stage() === 'done') {
        hostSide.requesterLeft()
        return
      }
      requester.runIsOver()
      hostSide.runIsOver()
    },
  }

  surroundings.began(exchange)
  if (upload !== undefined) upload.send().catch((error: unknown) => requester.letGo(uploadFailed(error)))
  else {
    const octets = sending.body.kind === 'whole' ? sending.body.octets : 0
    record.octets.requestBody = octets
    writeHead(sending.body.kind === 'whole' ? octets : 'none')
  }
  return requester.answer

  function writeHead(body: SentBody): void {
    record.octets.requestHead += sending.headOctets(body)
    send(() => passage.request(), typeof body === 'number' ? body : 0, sendTwin)
  }

  /** To the host's end of the way: `octets` of a body and, behind them, `arrives`. */
  function send(arrives: () => void, octets = 0, twice?: (atUs: number) => void): void {
    underWay += 1
    const arrived = (): void => {
      arrives()
      arrivedOrLost(1)
    }
    const { up: pieces } = dribble
    if (pieces === undefined) up.send(arrived, twice)
    else
      up.send(() => {
        pieces.write(octets, () => {})
        pieces.behind(arrived)
      }, twice)
  }

  function sendTwin(atUs: number): void {
    const twin = request.clone()
    startTwin(surroundings, exchange, atUs, () => hostSide.serveTwin(twin))
  }

  function sendBody(octets: number, arrives: (incoming: IncomingBody) => void): void {
    if (sending.body.kind !== 'upload') return
    const { incoming } = sending.body
    send(() => {
      if (passage.reachesHost()) arrives(incoming)
    }, octets)
  }

  function arrive(message: AnswerMessage): void {
    if (dribble.down === undefined || requester.stage() !== 'under way') requester.arrive(message)
    else dribbleAnswer(dribble.down, message, slicer, (part) => requester.arrive(part))
  }

  function writeInFront(status: number, retryAfterUs: number | undefined): AnswerMessage {
    const { response, body } = answerInFront(status, retryAfterUs)
    recording.answerHead(method, sending.saysClose, response)
    const withBody = hasBody(method, status)
    if (withBody) recording.answerBody(body.byteLength, false)
    return { of: 'head', response, chunked: false, body: withBody ? [body] : [], ends: true }
  }

  /** Both ends hear of what the network does only while both are there. */
  function isUnderWay(): boolean {
    return requester.stage() === 'under way' && !hostSide.isDone()
  }

  /** It is over once the requester is done with it and nothing that it sent is under way any more. */
  function arrivedOrLost(messages: number): void {
    underWay -= messages
    if (underWay > 0 || requester.stage() !== 'done') return
    if (hostSide.isDone() && !passage.isWatched()) surroundings.over(exchange)
    else surroundings.unheard(exchange)
  }
}

/** Cuts chunks into pieces; one that all of them fit into is not copied. */
function slicer(chunks: readonly Uint8Array[]): (from: number, to: number) => Uint8Array {
  const all = joined(chunks)
  return (from, to) => all.subarray(from, to)
}

const uploadFailed = (error: unknown): TypeError =>
  fetchFailed(error instanceof Error ? error : new Error(String(error)))

/** The text of a body that is there as a whole. */
function textOf({ body }: Sending): string {
  if (body.kind !== 'whole') return ''
  return typeof body.content === 'string' ? body.content : new TextDecoder().decode(body.content)
}
