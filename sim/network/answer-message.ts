/** What travels from a host to the one that asked. */
import { octetsOf, type PassingMessage } from '../path/message.ts'
import { reasonOf } from './octets.ts'

export type AnswerMessage = PassingMessage<Response, Uint8Array>

/** All octets in one piece; no copy if they are in one already. */
export function joined(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const [only] = chunks
  if (chunks.length === 1 && only !== undefined) return only as Uint8Array<ArrayBuffer>
  const whole = new Uint8Array(octetsOf(chunks))
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.byteLength
  }
  return whole
}

const encoder = new TextEncoder()

/** The small answer of somebody who stands in front of a host, in the form in which API gateways give it. */
export function answerInFront(
  status: number,
  retryAfterUs: number | undefined,
): { response: Response; body: Uint8Array<ArrayBuffer> } {
  const headers = new Headers({ 'content-type': 'application/json' })
  const message = reasonOf({ status, statusText: '', headers })
  const body = encoder.encode(JSON.stringify({ message }))
  headers.set('content-length', String(body.byteLength))
  // The header knows whole seconds only; sooner than meant would be wrong.
  if (retryAfterUs !== undefined) headers.set('retry-after', String(Math.ceil(retryAfterUs / 1_000_000)))
  return { response: new Response(null, { status, headers }), body }
}
