import { hasBody, reasonOf } from './octets.ts'

/** `Response` without what is made anew below: its types declare fields, which accessors may not override. */
const Base: new (
  body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null,
  init: ResponseInit,
) => Omit<Response, 'url' | 'redirected' | 'clone'> = Response

/** What a requester knows of an answer before its body. */
export interface AnswerHead {
  method: string
  url: string
  redirected: boolean
  /** The handler's own response: its status and headers are taken, its body is not. */
  response: Response
}

/** Statuses with which a `Response` refuses any body, even an empty one. */
const BODYLESS = new Set([101, 204, 205, 304])

/** An answer as its requester sees it. Unlike the answer of a real `fetch` its headers hold no `date` and no `connection`. */
export class ReceivedResponse extends Base implements Response {
  readonly #head: AnswerHead

  /** @param body what there is of the body: octets that have all arrived, or a stream that brings them */
  constructor(head: AnswerHead, body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null) {
    const { method, response } = head
    const { status, headers } = response
    const mayHaveBody = hasBody(method, status) && !BODYLESS.has(status)
    super(mayHaveBody ? body : null, { status, statusText: reasonOf(response), headers })
    this.#head = head
  }

  get url(): string {
    return this.#head.url
  }

  get redirected(): boolean {
    return this.#head.redirected
  }

  clone(): ReceivedResponse {
    return new ReceivedResponse(
      this.#head,
      Response.prototype.clone.call(this).body as ReadableStream<Uint8Array> | null,
    )
  }
}
