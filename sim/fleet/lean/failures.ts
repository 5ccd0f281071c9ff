/** What a client can decide by when a call fails in the lean world: what the replay's client finds out from errors of `fetch`. */
import { CallError, type CallFailure } from '../../mechanisms/client.ts'
import { kindOf } from '../../protocol/errors.ts'
import type { Break } from './exchange.ts'
import type { LeanHead } from './messages.ts'

export const AGENT_HOST = 'agent.example'

/** What each break is, and what Node's `fetch` says of it. Of a body that breaks off it says the same. */
const BREAKS: Record<Break, { failure: CallFailure; why: string }> = {
  refused: { failure: { of: 'connection', neverSent: true }, why: `connect ECONNREFUSED ${AGENT_HOST}` },
  'no name': { failure: { of: 'connection', neverSent: true }, why: `getaddrinfo ENOTFOUND ${AGENT_HOST}` },
  reset: { failure: { of: 'connection' }, why: 'read ECONNRESET' },
  closed: { failure: { of: 'connection' }, why: 'other side closed' },
  'head too late': { failure: { of: 'timeout' }, why: 'Headers Timeout Error' },
  'silent too long': { failure: { of: 'timeout' }, why: 'Body Timeout Error' },
  'took too long': { failure: { of: 'timeout' }, why: 'it timed out' },
}

export function brokenCall(operation: string, how: Break): CallError {
  const { failure, why } = BREAKS[how]
  return new CallError(`${operation} broke off: ${why}`, failure)
}

/** @returns `undefined` for an answer that is no error */
export function refusedCall(
  operation: string,
  { status, says, retryAfterUs }: LeanHead,
): CallError | undefined {
  if (says.of === 'error') {
    const { name, message } = says
    switch (name) {
      case 'TooManyRequestsError':
        return new CallError(message, { of: 'throttled', retryAfterUs })
      case 'SlowDownError':
        return new CallError(message, { of: 'slow-down', retryAfterUs })
      case 'TaskNotFoundError':
        return new CallError(message, { of: 'gone' })
      case 'UnsupportedOperationError':
      case 'PushNotificationNotSupportedError': {
        const httpStatus = status >= 400 ? status : kindOf(name).httpStatus
        return new CallError(message, { of: 'answer', status: httpStatus, retryAfterUs })
      }
    }
  }
  if (says.of !== 'front') return undefined
  const words = `${operation} was answered with ${`${status} ${REASONS[status] ?? 'unknown'}`.trimEnd()}`
  return new CallError(
    words,
    status === 429 ? { of: 'throttled', retryAfterUs } : { of: 'answer', status, retryAfterUs },
  )
}

/** An error answer of which only the head came. */
export const cutRefusal = (operation: string, head: LeanHead): CallError | undefined =>
  head.status >= 400 ? refusedCall(operation, { ...head, says: { of: 'front' } }) : undefined

/** The words behind the status codes that scenarios give, as Node says them. */
const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  425: 'Too Early',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
}
