import { A2AError, type ErrorProfile } from '../../protocol/errors.ts'
import { routeOf } from '../../protocol/http-json.ts'
import { jsonOf } from '../../protocol/json-text.ts'
import { A2A_JSON } from '../../protocol/media-types.ts'
import type { Operation } from '../../protocol/operation.ts'
import type { Answer } from '../operations.ts'
import { mustBeUnderstood, type ReceivedRequest } from './received-request.ts'
import { httpJsonError, messageReply, streamReply, textReply } from './replies.ts'
import type { Admit } from './admit.ts'

/** Answers one request of the HTTP+JSON binding. `request.path` is relative to the interface's url. */
export function answerHttpJson(
  request: ReceivedRequest,
  admit: Admit,
  profile: ErrorProfile,
): Response | Promise<Response> {
  try {
    mustBeUnderstood(request)
    const route = routeOf(request.method, request.path, request.query)
    if (route === undefined)
      throw new A2AError('MethodNotFoundError', `no operation is at ${request.method} ${request.path}`)
    const params = route.body ? { ...parseBody(request.body), ...route.params } : route.params
    return replyOf(route.operation, admit(route.operation, params))
  } catch (error) {
    if (!(error instanceof A2AError)) throw error
    return httpJsonError(error, profile)
  }
}

function replyOf(operation: Operation, answer: Answer): Response | Promise<Response> {
  switch (answer.kind) {
    case 'result':
      return textReply(jsonOf(answer.result), A2A_JSON)
    case 'held':
      return answer.result.then((result) => textReply(jsonOf(result), A2A_JSON))
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
function parseBody(body: string): object {
  if (body === '') return {}
  let parsed: unknown
  try {
    parsed = JSON.parse(body)
  } catch {
    throw new A2AError('JSONParseError')
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new A2AError('InvalidRequestError', 'the body must be a JSON object')
  return parsed
}
