import type { Message, StreamResponse } from '../../protocol/a2a.ts'
import { type A2AError, type ErrorProfile, jsonRpcHttpStatusOf, kindOf } from '../../protocol/errors.ts'
import { errorBody } from '../../protocol/http-json.ts'
import { errorEnvelope, type JsonRpcId } from '../../protocol/json-rpc.ts'
import { A2A_JSON, EVENT_STREAM, JSON_TYPE } from '../../protocol/media-types.ts'
import { formatEvent } from '../../protocol/sse.ts'
import { RETRY_AFTER_HEADER } from '../../protocol/delivery-extension.ts'
import { AccessError } from '../access.ts'
import type { Answer } from '../operations.ts'
import { retryAfterOf, TooManyRequests } from '../pace-errors.ts'

/** A reply whose length is known: without `content-length` it would be sent in chunks. */
export const textReply = (
  text: string,
  contentType: string,
  status = 200,
  more: Record<string, string> = {},
): Response =>
  new Response(text, {
    status,
    headers: { 'content-type': contentType, 'content-length': String(Buffer.byteLength(text)), ...more },
  })

/** What HTTP says beside an error: how to come in, or when to come again. */
function linesOf(error: A2AError): Record<string, string> {
  if (error instanceof AccessError) return { 'www-authenticate': error.challenge }
  if (error instanceof TooManyRequests) return { [RETRY_AFTER_HEADER]: retryAfterOf(error.retryAfterUs) }
  return {}
}

export const httpJsonError = (error: A2AError, profile: ErrorProfile): Response =>
  textReply(errorBody(error, profile), A2A_JSON, kindOf(error.name, profile).httpStatus, linesOf(error))

export const jsonRpcError = (id: JsonRpcId, error: A2AError): Response =>
  textReply(errorEnvelope(id, error), JSON_TYPE, jsonRpcHttpStatusOf(error.name), linesOf(error))

/** A stream of one event, for an answer that is only a message (specification 3.1.2). */
export const messageReply = (message: Message, write: (event: StreamResponse) => string): Response =>
  new Response(formatEvent(write({ message })), {
    headers: { 'content-type': EVENT_STREAM, 'cache-control': 'no-cache' },
  })

/** A server-sent event stream of a task from now on; `write` gives the JSON of one event. */
export function streamReply(
  { open }: Answer & { kind: 'stream' },
  write: (event: StreamResponse) => string,
): Response | Promise<Response> {
  const { body, head } = open((event, lines) => formatEvent(write(event), lines))
  const reply = () =>
    new Response(body, { headers: { 'content-type': EVENT_STREAM, 'cache-control': 'no-cache' } })
  return head === undefined ? reply() : head.then(reply)
}
