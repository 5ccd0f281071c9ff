/**
 * What A2A 1.0 does not say and real services do: hints how often to poll,
 * answers that are held, conditional reads, streams that resume. All of it is
 * off unless a scenario asks for it, and travels under names that a client
 * which knows nothing of it ignores.
 */

/** In the card's extensions once the agent does any of this. */
export const DELIVERY_EXTENSION = 'https://delivery-bench.example/extensions/delivery/v1'

/** In a task's metadata: the suggested wait before the next poll, in ms (`agent.polling.hintVia: body`). */
export const POLL_HINT_KEY = `${DELIVERY_EXTENSION}/pollAfterMs`

/** The same as a header of the answer (`hintVia: header`), as OpenAI's `openai-poll-after-ms`. */
export const POLL_HINT_HEADER = 'x-poll-after-ms'

/** `retry-after`, whole seconds rounded up (`hintVia: retry-after`), as Azure's long-running operations. */
export const RETRY_AFTER_HEADER = 'retry-after'

/**
 * How long an answer may be held: `prefer: wait=30` (RFC 7240, section 4.3), in
 * seconds, here with decimals. On SendMessage: until the task is over or pauses,
 * and the task as it is then. On GetTask: until the task changes from what
 * `if-none-match` names, or from now on without it.
 */
export const HOLD_HEADER = 'prefer'
export const holdHeader = (us: number): string => `wait=${us / 1e6}`
export function holdUsOf(header: string | null): number | undefined {
  const seconds = /(?:^|[,;\s])wait=(\d+(?:\.\d+)?)(?:$|[,;\s])/.exec(header ?? '')?.[1]
  return seconds === undefined ? undefined : Math.round(Number(seconds) * 1e6)
}

/** Reason of the error by which an agent tells a client that it polls too often, as RFC 8628's `slow_down`. HTTP 400. */
export const SLOW_DOWN_REASON = 'SLOW_DOWN'
export const SLOW_DOWN_CODE = -32050

/** On SubscribeToTask: the SSE id after which the agent replays. */
export const LAST_EVENT_ID_HEADER = 'last-event-id'
