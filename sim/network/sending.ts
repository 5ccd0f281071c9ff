/** What a program asks `fetch` to send, taken apart once so that nothing is read twice. */
import { fetchFailed } from './failures.ts'
import { createIncomingBody, type IncomingBody } from './incoming-body.ts'
import { closesConnection, requestHeadOctets, saysClose, type SentBody } from './octets.ts'
import { ReceivedRequest } from './received-request.ts'

export interface Sending {
  method: string
  url: URL
  /** The request as its handler will see it. */
  request: ReceivedRequest
  /** The requester's own signal. */
  signal: AbortSignal | undefined
  body: SendingBody
  /** Octets of the head, given what turned out to be the body. */
  headOctets(body: SentBody): number
  /** The request asks for the connection to be closed behind the answer. */
  saysClose: boolean
  /** The connection closes behind the answer, asked for or not. */
  closesConnection: boolean
  /** How many redirects led here. */
  redirects: number
}

export type SendingBody =
  | { kind: 'none' }
  /** All of it is there. `content` is what a redirect sends once more. */
  | { kind: 'whole'; content: Content; octets: number }
  /** It comes piece by piece; `incoming` is where the handler reads it. */
  | { kind: 'upload'; source: ReadableStream<Uint8Array>; incoming: IncomingBody; framing: Framing }

/** `fetch` sends a stream without any octet as no body at all. */
type Framing = 'none' | 'chunks' | 'chunks unless empty'

/** A request whose header lines are all there are, as when `node:http` wrote it. */
export interface WrittenRequest {
  method: string
  url: URL
  headers: Headers
  /** Request line, header lines and the empty line. */
  headOctets: number
  /** In the pieces in which it was written. */
  body: ReadableStream<Uint8Array> | null
  signal: AbortSignal
}

type Content = string | Uint8Array<ArrayBuffer>

/** Header lines that Node's fetch refuses to send. */
const REFUSED = ['transfer-encoding', 'keep-alive', 'upgrade', 'expect']

/**
 * Takes apart the arguments of `fetch`. A body inside a `Request` counts as
 * one of known length: whether it was given as a stream, a `Request` does not tell.
 *
 * @throws TypeError as `fetch` does, for an address or a header that cannot be sent
 */
export async function sendingOf(input: string | URL | Request, init: RequestInit = {}): Promise<Sending> {
  const signal = signalOf(input, init)
  const given = init.body ?? undefined

  // The handler's request has a signal of its own: word of an abort takes its time to get there.
  if (given === undefined) {
    const request = new ReceivedRequest(input, { ...init, signal: null })
    return request.body === null ? sending(request, signal, { kind: 'none' }) : gathered(request, signal)
  }
  const content = contentOf(given)
  if (content !== undefined) {
    const octets = typeof content === 'string' ? Buffer.byteLength(content) : content.byteLength
    const request = new ReceivedRequest(input, { ...init, signal: null })
    return sending(request, signal, { kind: 'whole', content, octets })
  }
  if (given instanceof Blob || given instanceof FormData)
    return gathered(new ReceivedRequest(input, { ...init, signal: null }), signal)

  const source =
    given instanceof ReadableStream ? given : ReadableStream.from(given as AsyncIterable<Uint8Array>)
  const incoming = createIncomingBody(() => {})
  const request = new ReceivedRequest(input, {
    ...init,
    body: incoming.stream,
    duplex: 'half',
    signal: null,
  } as RequestInit)
  return sending(request, signal, { kind: 'upload', source, incoming, framing: 'chunks unless empty' })
}

/** Takes apart a request that another client than `fetch` has written out. */
export function sendingOfWritten(written: WrittenRequest): Sending {
  const { method, url, headers, signal } = written
  const saysClose = headers.get('connection')?.toLowerCase() === 'close'
  const init = { method, headers }
  const basics = {
    method,
    url,
    signal,
    headOctets: () => written.headOctets,
    saysClose,
    closesConnection: saysClose,
    redirects: 0,
  }
  if (written.body === null)
    return { ...basics, request: new ReceivedRequest(url, init), body: { kind: 'none' } }
  const incoming = createIncomingBody(() => {})
  const request = new ReceivedRequest(url, { ...init, body: incoming.stream, duplex: 'half' } as RequestInit)
  const framing = headers.has('transfer-encoding') ? 'chunks' : 'none'
  return { ...basics, request, body: { kind: 'upload', source: written.body, incoming, framing } }
}

function sending(request: ReceivedRequest, signal: AbortSignal | undefined, body: SendingBody): Sending {
  const { method, headers, cache, mode, referrer } = request
  const url = new URL(request.url)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw fetchFailed(new Error(`the virtual network carries http and https, not ${url.protocol}`))
  for (const name of REFUSED) if (headers.has(name)) throw fetchFailed(new Error(`invalid ${name} header`))
  const sentBody = body.kind === 'whole' ? body.octets : body.kind === 'upload' ? 'chunked' : 'none'
  return {
    method,
    url,
    request,
    signal,
    body,
    headOctets: (actual) => requestHeadOctets({ method, url, headers, body: actual, cache, mode, referrer }),
    saysClose: saysClose({ method, headers }),
    closesConnection: closesConnection({ method, headers, body: sentBody }),
    redirects: 0,
  }
}

/** For bodies whose octets show only in reading: form data, blobs, and what came inside a `Request`. */
async function gathered(unread: ReceivedRequest, signal: AbortSignal | undefined): Promise<Sending> {
  const content = new Uint8Array(await unread.arrayBuffer())
  const request = new ReceivedRequest(unread, { body: content })
  return sending(request, signal, { kind: 'whole', content, octets: content.byteLength })
}

function signalOf(input: string | URL | Request, init: RequestInit): AbortSignal | undefined {
  if (init.signal === undefined) return input instanceof Request ? input.signal : undefined
  if (init.signal === null || init.signal instanceof AbortSignal) return init.signal ?? undefined
  throw new TypeError('fetch: the signal of the request is not an AbortSignal')
}

/** The octets of a body that is there as a whole; `undefined` if it has to be read. */
function contentOf(body: NonNullable<RequestInit['body']>): Content | undefined {
  if (typeof body === 'string') return body
  if (body instanceof URLSearchParams) return body.toString()
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength).slice()
  if (body instanceof ArrayBuffer) return new Uint8Array(body).slice()
  return undefined
}
