import { HOLD_HEADER, holdUsOf, LAST_EVENT_ID_HEADER } from '../protocol/delivery-extension.ts'

/** What a request asks beside its operation, by headers and by staying on the line (delivery extension). */
export interface Asks {
  /** The answer may be held back so long. */
  holdUs?: number | undefined
  /** The tags of what the client has: nothing needs to be sent again. */
  ifNoneMatch?: string | undefined
  /** The last event the client had of an earlier stream. */
  lastEventId?: string | undefined
  /** Aborts when the requester goes away. Only asked for by answers that wait. */
  gone?: () => AbortSignal
}

export const asksIn = (headers: Headers, gone: () => AbortSignal): Asks => ({
  holdUs: holdUsOf(headers.get(HOLD_HEADER)),
  ifNoneMatch: headers.get('if-none-match') ?? undefined,
  lastEventId: headers.get(LAST_EVENT_ID_HEADER) ?? undefined,
  gone,
})
