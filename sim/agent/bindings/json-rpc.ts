import { A2AError } from '../../protocol/errors.ts'
import { type JsonRpcId, parseCall, resultEnvelope } from '../../protocol/json-rpc.ts'
import { jsonOf } from '../../protocol/json-text.ts'
import { JSON_TYPE } from '../../protocol/media-types.ts'
import { isOperation, type Operation } from '../../protocol/operation.ts'
import type { Answer } from '../operations.ts'
import type { Door } from './door.ts'
import { mustBeUnderstood, mustFit, type ReceivedRequest } from './received-request.ts'
import { jsonRpcError, messageReply, streamReply, textReply } from './replies.ts'

/** Answers one call of the JSON-RPC binding; errors travel in HTTP 200 like results, but for who is not let in. */
export function answerJsonRpc(request: ReceivedRequest, enter: Door): Response | Promise<Response> {
  const envelope = parseCall(request.body)
  const id = 'call' in envelope ? envelope.call.id : envelope.id
  try {
    mustFit(request)
    const admit = enter(request.headers)
    if ('error' in envelope) throw envelope.error
    mustBeUnderstood(request)
    const { method, params } = envelope.call
    if (!isOperation(method)) throw new A2AError('MethodNotFoundError', `there is no method ${method}`)
    return replyOf(id, method, admit(method, params))
  } catch (error) {
    if (!(error instanceof A2AError)) throw error
    return jsonRpcError(id, error)
  }
}

function replyOf(id: JsonRpcId, operation: Operation, answer: Answer): Response | Promise<Response> {
  const reply = (result: object) => textReply(resultEnvelope(id, jsonOf(result)), JSON_TYPE)
  switch (answer.kind) {
    case 'result':
      return reply(answer.result)
    case 'held':
      return answer.result.then(reply)
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
