/**
 * How many octets HTTP/1.1 messages take between Node's `fetch` and a
 * `node:http` server, to the octet. Nothing is sent here: the numbers follow
 * from what either side puts into a message. `wire-vs-sockets.test.ts` holds
 * them against real sockets.
 *
 * Not counted: TCP, TLS, connection set-up.
 */
import { STATUS_CODES } from 'node:http'

/** A request as a program handed it to `fetch`: before fetch adds its own lines. */
export interface SentRequest {
  method: string
  url: URL
  /** The lines the program gave, and the content type that `Request` derives from some bodies. */
  headers: Headers
  body: SentBody
  cache: Request['cache']
  mode: Request['mode']
  referrer: string
}

/** Nothing, a known number of octets, or a stream that goes out chunk by chunk. */
export type SentBody = 'none' | 'chunked' | number

/** An answer as a handler gave it: before `node:http` adds its own lines. */
export interface SentResponse {
  status: number
  statusText: string
  headers: Headers
}

/** The last chunk, of size 0, and the empty line behind it. */
export const LAST_CHUNK_OCTETS = '0\r\n\r\n'.length

/** What a chunked body adds to a chunk of `size` octets: its size in hex and two line ends. */
export const chunkFramingOctets = (size: number): number => size.toString(16).length + 4

const lineOctets = (name: string, value: string): number => name.length + value.length + ': \r\n'.length

const ACCEPT = lineOctets('accept', '*/*')
const ACCEPT_LANGUAGE = lineOctets('accept-language', '*')
const ACCEPT_ENCODING_HTTP = lineOctets('accept-encoding', 'gzip, deflate')
const ACCEPT_ENCODING_HTTPS = lineOctets('accept-encoding', 'br, gzip, deflate')
const ACCEPT_ENCODING_RANGE = lineOctets('accept-encoding', 'identity')
const USER_AGENT = lineOctets('user-agent', 'node')
const NO_PRAGMA = lineOctets('pragma', 'no-cache')
const NO_CACHE = lineOctets('cache-control', 'no-cache')
const MAX_AGE_0 = lineOctets('cache-control', 'max-age=0')
const CHUNKED = lineOctets('transfer-encoding', 'chunked')
/** A `Date` line has one length whatever the day. */
const DATE = lineOctets('date', 'Thu, 01 Jan 2026 00:00:00 GMT')
const CLOSE = lineOctets('connection', 'close')
const KEEP_ALIVE = lineOctets('connection', 'keep-alive') + lineOctets('keep-alive', 'timeout=5')

/** Lines that fetch writes itself, whatever the program gave. */
const OWN_LINES = new Set(['host', 'connection', 'content-length', 'sec-fetch-mode'])

/** Methods whose requests say `content-length: 0` when they have no body. */
const EXPECT_BODY = new Set(['POST', 'PUT', 'PATCH', 'QUERY', 'PROPFIND', 'PROPPATCH'])

/** Lines that make a request conditional, by which fetch takes its cache out of play. */
const CONDITIONS = ['if-modified-since', 'if-none-match', 'if-unmodified-since', 'if-match', 'if-range']

/** The request line, all header lines and the empty line of a request by `fetch`. */
export function requestHeadOctets(request: SentRequest): number {
  const { method, url, headers, body, mode } = request
  let octets = `${method} ${url.pathname}${url.search} HTTP/1.1\r\n`.length
  octets += lineOctets('host', url.host)
  octets += lineOctets('connection', saysClose(request) ? 'close' : 'keep-alive')
  octets += lineOctets('sec-fetch-mode', mode)
  octets += cacheOctets(request)
  octets += refererOctets(request)

  const given = new Set<string>()
  for (const [name, value] of headers) {
    given.add(name)
    if (!OWN_LINES.has(name)) octets += lineOctets(name, value)
  }
  if (!given.has('accept')) octets += ACCEPT
  if (!given.has('accept-language')) octets += ACCEPT_LANGUAGE
  if (!given.has('user-agent')) octets += USER_AGENT
  // Beside a line of the program `identity` is a second value on it, not a second line.
  if (given.has('range')) octets += given.has('accept-encoding') ? ', identity'.length : ACCEPT_ENCODING_RANGE
  else if (!given.has('accept-encoding'))
    octets += url.protocol === 'https:' ? ACCEPT_ENCODING_HTTPS : ACCEPT_ENCODING_HTTP

  if (body === 'chunked') octets += CHUNKED
  else if (body !== 'none' && body > 0) octets += lineOctets('content-length', String(body))
  else if (EXPECT_BODY.has(method)) octets += lineOctets('content-length', '0')
  return octets + '\r\n'.length
}

function cacheOctets({ cache, headers }: SentRequest): number {
  const bypassed =
    cache === 'no-store' ||
    cache === 'reload' ||
    (cache === 'default' && CONDITIONS.some((name) => headers.has(name)))
  if (bypassed) return (headers.has('pragma') ? 0 : NO_PRAGMA) + (headers.has('cache-control') ? 0 : NO_CACHE)
  return cache === 'no-cache' && !headers.has('cache-control') ? MAX_AGE_0 : 0
}

/** By the default referrer policy: the whole address within an origin, the origin alone across origins. */
function refererOctets({ url, referrer }: SentRequest): number {
  if (referrer === '' || referrer === 'about:client') return 0
  const from = new URL(referrer)
  if (from.origin === url.origin) {
    from.hash = from.username = from.password = ''
    return lineOctets('referer', from.href)
  }
  if (from.protocol === 'https:' && url.protocol === 'http:') return 0
  return lineOctets('referer', `${from.origin}/`)
}

/** What an answer has to know of its request. */
export interface Asked {
  method: string
  /** The request asked for the connection to be closed behind the answer. */
  toClose: boolean
}

/** The status line, all header lines and the empty line of an answer by `node:http`. */
export function responseHeadOctets({ method, toClose }: Asked, response: SentResponse): number {
  const { status, headers } = response
  let octets = `HTTP/1.1 ${status} ${reasonOf(response)}\r\n`.length
  for (const [name, value] of headers) octets += lineOctets(name, value)
  if (!headers.has('date')) octets += DATE
  if (!headers.has('connection')) octets += toClose ? CLOSE : KEEP_ALIVE
  if (isChunked(method, response) && !headers.has('transfer-encoding')) octets += CHUNKED
  return octets + '\r\n'.length
}

/** The words behind the status code. */
export const reasonOf = ({ status, statusText }: SentResponse): string =>
  statusText !== '' ? statusText : (STATUS_CODES[status] ?? 'unknown')

/** Whether an answer may have a body at all. */
export const hasBody = (method: string, status: number): boolean =>
  method !== 'HEAD' && status !== 204 && status !== 304

/** Whether an answer's body goes out in chunks: whenever it may have one and its length was not declared. */
export const isChunked = (method: string, { status, headers }: SentResponse): boolean =>
  hasBody(method, status) && !headers.has('content-length')

/** Whether a request by `fetch` asks for the connection to be closed behind its answer. */
export const saysClose = ({ method, headers }: Pick<SentRequest, 'method' | 'headers'>): boolean =>
  method === 'HEAD' || headers.get('connection')?.toLowerCase() === 'close'

/** Whether fetch closes the connection behind the answer: it also does after a body on a method that expects none. */
export const closesConnection = (request: Pick<SentRequest, 'method' | 'headers' | 'body'>): boolean =>
  saysClose(request) || (request.body !== 'none' && request.body !== 0 && !EXPECT_BODY.has(request.method))
