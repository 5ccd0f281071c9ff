/**
 * The JSON-RPC 2.0 binding's envelopes (specification 9). Errors travel in
 * HTTP 200 like results, but for those of access, and ids come back exactly as they were given.
 */
import { A2AError, detailsOf, kindOf } from './errors.ts'
import { isObject } from './json-text.ts'
import { parseJson } from './parse-json.ts'

export type JsonRpcId = string | number | null

export interface JsonRpcCall {
  id: JsonRpcId
  method: string
  /** `{}` if the call had none. */
  params: unknown
}

/** What an envelope turned out to be. A broken one still says under which id to answer, if it can. */
export type JsonRpcEnvelope = { call: JsonRpcCall } | { id: JsonRpcId; error: A2AError }

export function parseCall(body: string): JsonRpcEnvelope {
  let envelope: unknown
  try {
    envelope = parseJson(body)
  } catch (error) {
    return { id: null, error: error as A2AError }
  }
  if (!isObject(envelope))
    return { id: null, error: broken('a call is one JSON object; batches are not part of A2A') }

  const { jsonrpc, id, method, params } = envelope
  if (typeof id !== 'string' && !Number.isInteger(id) && id !== null)
    return { id: null, error: broken('id must be a string, a whole number or null') }
  const known = id as JsonRpcId
  if (jsonrpc !== '2.0') return { id: known, error: broken('jsonrpc must be "2.0"') }
  if (typeof method !== 'string') return { id: known, error: broken('method must be a string') }
  return { call: { id: known, method, params: params ?? {} } }
}

const broken = (what: string) => new A2AError('InvalidRequestError', what)

/** The text of a response around a result that is JSON text already. */
export const resultEnvelope = (id: JsonRpcId, resultJson: string): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${resultJson}}`

export const errorEnvelope = (id: JsonRpcId, error: A2AError): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id,
    error: { code: kindOf(error.name).code, message: error.message, data: detailsOf(error) },
  })

/** How the official client and most others begin a call: then the method is found without parsing it all. */
const USUAL_BEGINNING = '{"jsonrpc":"2.0","method":"'

/** The method a body calls; `undefined` if it is no call. Cheap for the usual order of members. */
export function methodOfJsonRpc(body: string): string | undefined {
  if (body.startsWith(USUAL_BEGINNING)) {
    const begin = USUAL_BEGINNING.length
    return body.slice(begin, body.indexOf('"', begin))
  }
  const envelope = parseCall(body)
  return 'call' in envelope ? envelope.call.method : undefined
}
