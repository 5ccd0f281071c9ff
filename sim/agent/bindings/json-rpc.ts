import { A2AError } from '../../protocol/errors.ts'
import { type JsonRpcId, parseCall, resultEnvelope } from '../../protocol/json-rpc.ts'
import { jsonOf } from '../../protocol/json-text.ts'
import { JSON_TYPE } from '../../protocol/media-types.ts'
import { isOperation, type Operation } from '../../protocol/operation.ts'
import { type Asks, asksIn } from '../asks.ts'
import type { Answer, Settled } from '../operations.ts'
import type { Door } from './door.ts'
import { mustBeUnderstood, mustFit, type ReceivedRequest } from './received-request.ts'
import { jsonRpcError, messageReply, streamReply, textReply } from './replies.ts'

/** Answers one call of the JSON-RPC binding; errors travel in HTTP 200 like results, but for who is not let in. */
export function answerJsonRpc(request: ReceivedRequest, enter: Door): Response | Promise<Response> {
  const envelope = parseCall(request.body)
  const id = 'call' in envelope ? envelope.call.id : envelope.id
  const refuse = (error: unknown): Response => {
    if (!(error instanceof A2AError)) throw error
    return jsonRpcError(id, error)
  }
  try {
    mustFit(request)
    const admit = enter(request.headers)
    if ('error' in envelope) throw envelope.error
    mustBeUnderstood(request)
    const { method, params } = envelope.call
    if (!isOperation(method)) throw new A2AError('MethodNotFoundError', `there is no method ${method}`)
    const answer = admit(method, params, asksOf(request))
    const reply = (known: Answer): Response | Promise<Response> =>
      known.kind === 'held'
        ? known.answer.then((settled) => settledReply(id, settled), refuse)
        : replyOf(id, method, known)
    return answer instanceof Promise ? answer.then(reply, refuse) : reply(answer)
  } catch (error) {
    return refuse(error)
  }
}

/** A call has no address whose content a tag could name, and no answer without a body: conditions are not heard. */
const asksOf = ({ headers, gone }: ReceivedRequest): Asks => ({
  ...asksIn(headers, gone),
  ifNoneMatch: undefined,
})

function settledReply(id: JsonRpcId, answer: Settled): Response {
  if (answer.kind === 'not-modified') throw new Error('a call without a condition was answered by it')
  return textReply(resultEnvelope(id, jsonOf(answer.result)), JSON_TYPE, 200, answer.notes?.headers)
}

function replyOf(
  id: JsonRpcId,
  operation: Operation,
  answer: Exclude<Answer, { kind: 'held' }>,
): Response | Promise<Response> {
  const reply = (result: object) => textReply(resultEnvelope(id, jsonOf(result)), JSON_TYPE)
  switch (answer.kind) {
    case 'result':
    case 'not-modified':
      return settledReply(id, answer)
    case 'message':
      return operation === 'SendStreamingMessage'
        ? messageReply(answer.message, (event) => resultEnvelope(id, JSON.stringify(event)))
        : reply({ message: answer.message })
    case 'stream':
      return streamReply(answer, (event) => resultEnvelope(id, jsonOf(event)))
    case 'empty':
      // google.protobuf.Empty in ProtoJSON.
      return reply({})
  }
}
