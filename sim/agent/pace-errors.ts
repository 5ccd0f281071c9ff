import { US_PER_SECOND } from '../kernel/units.ts'
import { A2AError } from '../protocol/errors.ts'

/** 429: asked too often, and when it is worth asking again. */
export class TooManyRequests extends A2AError {
  readonly retryAfterUs: number

  constructor(message: string, retryAfterUs: number) {
    super('TooManyRequestsError', message)
    this.retryAfterUs = retryAfterUs
  }
}

/** `Retry-After` in whole seconds, rounded up: who heeds it is not early. */
export const retryAfterOf = (us: number): string => String(Math.ceil(us / US_PER_SECOND))
