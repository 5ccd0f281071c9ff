/**
 * What a program sees when something goes wrong on the network: the errors of
 * Node's own `fetch`, down to their causes and codes, because real clients
 * decide by them whether to try again.
 */
import { constants } from 'node:os'

/** Throw this from a handler to say that nobody listens: the connection never comes about. */
export const connectionRefused = (): Error => systemError('ECONNREFUSED', 'connect', 'connect ECONNREFUSED')

/** Whether a handler refused the connection rather than broke down. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof Error && (error as NodeJS.ErrnoException).code === 'ECONNREFUSED'

/** Throw this from a handler to have whoever stands in front of it answer instead: there is no room. */
export class TurnedAway extends Error {
  override readonly name = 'TurnedAway'
  readonly status: number
  readonly retryAfterUs: number | undefined

  constructor(status: number, retryAfterUs: number | undefined) {
    super(`turned away with ${status}`)
    this.status = status
    this.retryAfterUs = retryAfterUs
  }
}

/** No host of that name is on the network. */
export const unknownHost = (hostname: string): TypeError =>
  fetchFailed(
    Object.assign(systemError('ENOTFOUND', 'getaddrinfo', `getaddrinfo ENOTFOUND ${hostname}`), { hostname }),
  )

/** The host is there and nobody listens at that address. */
export const refusedBy = ({ host, hostname, port, protocol }: URL): TypeError =>
  fetchFailed(
    Object.assign(systemError('ECONNREFUSED', 'connect', `connect ECONNREFUSED ${host}`), {
      address: hostname,
      port: Number(port) || (protocol === 'https:' ? 443 : 80),
    }),
  )

/** The connection was reset before any answer. What broke the handler is the cause's cause. */
export const resetBy = (cause: unknown): TypeError => fetchFailed(connectionReset(cause))

/** The connection was closed before any answer. */
export const closedBy = (cause: unknown): TypeError => fetchFailed(otherSideClosed(cause))

/** The connection was closed in the middle of the body. What broke the body is the cause's cause. */
export const terminatedBy = (cause: unknown): TypeError => terminated(otherSideClosed(cause))

/** The connection was reset in the middle of the body. */
export const terminatedByReset = (cause: unknown): TypeError => terminated(connectionReset(cause))

/** The asker waited too long for the head. */
export const headersTimeout = (): TypeError =>
  fetchFailed(clientError('HeadersTimeoutError', 'UND_ERR_HEADERS_TIMEOUT', 'Headers Timeout Error'))

/** The asker waited too long between two pieces of the body. */
export const bodyTimeout = (): TypeError =>
  terminated(clientError('BodyTimeoutError', 'UND_ERR_BODY_TIMEOUT', 'Body Timeout Error'))

/** What `AbortSignal.timeout` gives as its reason. */
export const timedOut = (): DOMException =>
  new DOMException('The operation was aborted due to timeout', 'TimeoutError')

/** Every way in which `fetch` fails before the answer. */
export const fetchFailed = (cause: Error): TypeError => new TypeError('fetch failed', { cause })

/** What `errno` says on this system. Name look-up has a number of its own, libuv's. */
const ERRNO = {
  ECONNREFUSED: -constants.errno.ECONNREFUSED,
  ECONNRESET: -constants.errno.ECONNRESET,
  ENOTFOUND: -3008,
}

const terminated = (cause: Error): TypeError => new TypeError('terminated', { cause })

const clientError = (name: string, code: string, message: string, cause?: unknown): Error =>
  Object.assign(new Error(message, cause === undefined ? {} : { cause }), { name, code })

const otherSideClosed = (cause: unknown): Error =>
  clientError('SocketError', 'UND_ERR_SOCKET', 'other side closed', cause)

const connectionReset = (cause: unknown): Error => systemError('ECONNRESET', 'read', 'read ECONNRESET', cause)

const systemError = (code: keyof typeof ERRNO, syscall: string, message: string, cause?: unknown): Error =>
  Object.assign(new Error(message, cause === undefined ? {} : { cause }), {
    errno: ERRNO[code],
    code,
    syscall,
  })
