/**
 * An answer as its requester sees it. Unlike the answer of a real `fetch` its
 * headers hold no `date` and no `connection`.
 */
import { hasBody, reasonOf } from './octets.ts'

/** What a requester knows of an answer before its body. */
export interface AnswerHead {
  method: string
  url: string
  redirected: boolean
  /** The number of the exchange. */
  exchange: number
  /** The handler's own response: its status and headers are taken, its body is not. */
  response: Response
}

/** Statuses with which a `Response` refuses any body, even an empty one. */
const BODYLESS = new Set([101, 204, 205, 304])

/** @param body octets that have all arrived, or a stream that brings them */
export function receivedResponse(
  head: AnswerHead,
  body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
): Response {
  const { method, response } = head
  if (!hasBody(method, response.status) || BODYLESS.has(response.status))
    return new ReceivedResponse(head, null)
  return body instanceof ReadableStream ? new ReceivedResponse(head, body) : new WholeResponse(head, body)
}

// The types of `Response` declare fields, which accessors and methods may not
// override: so the base is typed without what is made anew.

const Base: new (
  body: ReadableStream<Uint8Array> | null,
  init: ResponseInit,
) => Omit<Response, 'url' | 'redirected' | 'clone'> = Response

class ReceivedResponse extends Base implements Response {
  readonly head: AnswerHead

  constructor(head: AnswerHead, body: ReadableStream<Uint8Array> | null) {
    const { response } = head
    super(body, { status: response.status, statusText: reasonOf(response), headers: response.headers })
    this.head = head
  }

  get url(): string {
    return this.head.url
  }

  get redirected(): boolean {
    return this.head.redirected
  }

  clone(): Response {
    return new ReceivedResponse(this.head, Response.prototype.clone.call(this).body)
  }
}

/** The number of the exchange that brought it, copies included; `undefined` for what came by no exchange. */
export const exchangeOf = (response: Response): number | undefined =>
  response instanceof ReceivedResponse ? response.head.exchange : undefined

type BodyMembers = 'body' | 'bodyUsed' | 'arrayBuffer' | 'blob' | 'formData' | 'json' | 'text' | 'clone'

const WholeBase: new (head: AnswerHead, body: null) => Omit<ReceivedResponse, BodyMembers> = ReceivedResponse

const decoder = new TextDecoder()

/**
 * An answer that arrived in one piece. Its body becomes a stream only when
 * somebody asks for one: streams cost more than all the rest of an exchange.
 */
class WholeResponse extends WholeBase implements Response {
  readonly #octets: Uint8Array<ArrayBuffer>
  #wasRead = false
  /** Has the same body in a form that can do everything. */
  #opened: Response | undefined

  constructor(head: AnswerHead, octets: Uint8Array<ArrayBuffer>) {
    super(head, null)
    this.#octets = octets
  }

  get body(): Response['body'] {
    return this.#open().body
  }

  get bodyUsed(): boolean {
    return this.#wasRead || this.#opened?.bodyUsed === true
  }

  async text(): Promise<string> {
    return this.#opened === undefined ? decoder.decode(this.#read()) : this.#opened.text()
  }

  async json(): Promise<unknown> {
    return this.#opened === undefined
      ? (JSON.parse(decoder.decode(this.#read())) as unknown)
      : this.#opened.json()
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return this.#opened === undefined ? this.#read().slice().buffer : this.#opened.arrayBuffer()
  }

  /** Newer than Node 20, where it does no harm. */
  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await this.arrayBuffer())
  }

  blob(): Promise<Blob> {
    return this.#open().blob()
  }

  formData(): ReturnType<Response['formData']> {
    return this.#open().formData()
  }

  clone(): Response {
    if (this.#wasRead) return this.#open().clone()
    return this.#opened === undefined
      ? new WholeResponse(this.head, this.#octets)
      : new ReceivedResponse(this.head, this.#opened.clone().body)
  }

  #read(): Uint8Array<ArrayBuffer> {
    if (this.#wasRead) throw new TypeError('Body is unusable: Body has already been read')
    this.#wasRead = true
    return this.#octets
  }

  #open(): Response {
    if (this.#opened === undefined) {
      this.#opened = new Response(this.#octets.slice(), { headers: this.headers })
      if (this.#wasRead) void this.#opened.body?.cancel()
    }
    return this.#opened
  }
}
