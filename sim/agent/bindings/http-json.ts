import { A2AError, type ErrorProfile, invalidParams } from '../../protocol/errors.ts'
import { routeOf } from '../../protocol/http-json.ts'
import { isObject, jsonOf } from '../../protocol/json-text.ts'
import { A2A_JSON } from '../../protocol/media-types.ts'
import type { Operation } from '../../protocol/operation.ts'
import { parseJson } from '../../protocol/parse-json.ts'
import { asksIn } from '../asks.ts'
import type { Answer, Settled } from '../operations.ts'
import { mustBeUnderstood, mustFit, type ReceivedRequest } from './received-request.ts'
import { httpJsonError, messageReply, streamReply, textReply } from './replies.ts'
import type { Door } from './door.ts'

/** Answers one request of the HTTP+JSON binding. `request.path` is relative to the interface's url. */
export function answerHttpJson(
  request: ReceivedRequest,
  enter: Door,
  profile: ErrorProfile,
): Response | Promise<Response> {
  const refuse = (error: unknown): Response => {
    if (!(error instanceof A2AError)) throw error
    return httpJsonError(error, profile)
  }
  try {
    mustFit(request)
    const admit = enter(request.headers)
    mustBeUnderstood(request)
    const route = routeOf(request.method, request.path, request.query)
    if (route === undefined)
      throw new A2AError('MethodNotFoundError', `no operation is at ${request.method} ${request.path}`)
    const params = route.body ? withBody(route.params, parseBody(request.body)) : route.params
    const answer = admit(route.operation, params, asksIn(request.headers, request.gone))
    const reply = (known: Answer): Response | Promise<Response> =>
      known.kind === 'held' ? known.answer.then(settledReply, refuse) : replyOf(route.operation, known)
    return answer instanceof Promise ? answer.then(reply, refuse) : reply(answer)
  } catch (error) {
    return refuse(error)
  }
}

function settledReply(answer: Settled): Response {
  const { etag, headers } = answer.notes ?? { headers: {} }
  const lines = etag === undefined ? headers : { etag, ...headers }
  return answer.kind === 'not-modified'
    ? new Response(null, { status: 304, headers: lines })
    : textReply(jsonOf(answer.result), A2A_JSON, 200, lines)
}

function replyOf(
  operation: Operation,
  answer: Exclude<Answer, { kind: 'held' }>,
): Response | Promise<Response> {
  switch (answer.kind) {
    case 'result':
    case 'not-modified':
      return settledReply(answer)
    case 'message':
      return operation === 'SendStreamingMessage'
        ? messageReply(answer.message, JSON.stringify)
        : textReply(JSON.stringify({ message: answer.message }), A2A_JSON)
    case 'stream':
      return streamReply(answer, jsonOf)
    case 'empty':
      return new Response(null, { status: 204 })
  }
}

/** The members a body holds; an absent body holds none. */
function parseBody(body: string): Record<string, unknown> {
  if (body === '') return {}
  const parsed = parseJson(body)
  if (!isObject(parsed)) throw new A2AError('InvalidRequestError', 'the body must be a JSON object')
  return parsed
}

/** What a body says again it must say like the address. */
function withBody(address: Record<string, unknown>, body: Record<string, unknown>): Record<string, unknown> {
  for (const [name, value] of Object.entries(address)) {
    const again = body[name] ?? ''
    if (again !== '' && again !== value)
      throw invalidParams(name, 'must be the same in the body and the address')
  }
  return { ...body, ...address }
}
