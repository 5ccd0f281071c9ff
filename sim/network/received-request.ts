/** `Request` without what is made anew below: its types declare fields, which accessors may not override. */
const Base: new (input: string | URL | Request, init?: RequestInit) => Omit<Request, 'signal' | 'clone'> =
  Request

/** What a request's copies share: whether its requester went away, and the number of its exchange. */
interface Requester {
  gone: AbortController | undefined
  exchange: number | undefined
}

/**
 * A request as its handler sees it. `signal` aborts when the handler's side
 * notices that the requester went away. The signal is made when somebody asks
 * for it: giving one to every `Request` would triple what a request costs.
 * Copies by `clone()` share it; copies by `new Request(request)` do not.
 */
export class ReceivedRequest extends Base implements Request {
  readonly #requester: Requester

  constructor(
    input: string | URL | Request,
    init?: RequestInit,
    requester: Requester = { gone: undefined, exchange: undefined },
  ) {
    super(input, init)
    this.#requester = requester
  }

  get signal(): AbortSignal {
    return (this.#requester.gone ??= new AbortController()).signal
  }

  clone(): ReceivedRequest {
    return new ReceivedRequest(Request.prototype.clone.call(this), undefined, this.#requester)
  }

  /** Known once the exchange has begun. */
  get exchange(): number | undefined {
    return this.#requester.exchange
  }

  set exchange(number: number | undefined) {
    this.#requester.exchange = number
  }

  /** Tells the handler that nobody waits for its answer any more. */
  requesterWentAway(): void {
    ;(this.#requester.gone ??= new AbortController()).abort()
  }
}
