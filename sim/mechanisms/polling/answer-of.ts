import type { CallError } from '../client.ts'
import type { PollAnswer } from './policy.ts'

/** What of a failed call is worth another try. */
export function answerOf({ failure, message }: CallError): PollAnswer {
  switch (failure.of) {
    case 'throttled':
    case 'slow-down':
    case 'gone':
      return failure
    case 'connection':
    case 'timeout':
      return { of: 'error', says: message, retryAfterUs: undefined }
    case 'answer':
      return mayPass(failure.status)
        ? { of: 'error', says: message, retryAfterUs: failure.retryAfterUs }
        : { of: 'refused', says: message }
  }
}

/** 408 Request Timeout and 425 Too Early ask to be tried again, as do errors of the server's own. */
const mayPass = (status: number): boolean => status >= 500 || status === 408 || status === 425
