/** What a client can decide by when a call fails, found out from what was thrown and what came over the wire. */
import { spellDuration } from '../../kernel/units.ts'
import { SLOW_DOWN_CODE, SLOW_DOWN_REASON } from '../../protocol/delivery-extension.ts'
import { errorNameOf, kindOf } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/json-text.ts'
import { CallError, type CallFailure } from '../client.ts'
import { type Call, type CallAnswer, retryAfterUsOf } from './call.ts'

/**
 * @throws the reason of whoever broke the call off
 * @throws what was thrown, if neither network nor agent can have to do with it
 * @throws CallError for all else
 */
export function failCall(call: Call, thrown: unknown): never {
  call.throwIfUnwanted()
  const [failure, message] = failureOf(call, thrown)
  throw new CallError(message, failure, { cause: thrown })
}

function failureOf(call: Call, thrown: unknown): [CallFailure, string] {
  const { operation } = call
  const limitUs = call.timedOutAfterUs()
  if (limitUs !== undefined)
    return [{ of: 'timeout' }, `${operation} had no answer within ${spellDuration(limitUs)}`]
  const broken = breakOf(thrown)
  if (broken !== undefined) return [broken.failure, `${operation} broke off: ${broken.why}`]
  const answer = call.answer()
  if (answer === undefined) throw thrown
  if (thrown instanceof SyntaxError)
    return [{ of: 'connection' }, `${operation} broke off: the answer is not whole`]
  return [answerFailureOf(answer, thrown), saysOf(operation, answer, thrown)]
}

/** Codes of Node's `fetch` for a limit that ran out, and for a connection that never came about. */
const TIMEOUTS = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_CONNECT_TIMEOUT'])
const NEVER_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'])

/** What became of the connection, by the errors of Node's `fetch`; `undefined` if nothing did. */
function breakOf(thrown: unknown): { failure: CallFailure; why: string } | undefined {
  const chain = causesOf(thrown)
  const timeout = chain.find(({ name }) => name === 'TimeoutError')
  if (timeout !== undefined) return { failure: { of: 'timeout' }, why: 'it timed out' }
  const failed = chain.findIndex(
    (error) => error instanceof TypeError && /^(fetch failed|terminated)$/.test(error.message),
  )
  if (failed === -1) return undefined
  const { message, code = '' } = (chain[failed + 1] ?? chain[failed]) as NodeJS.ErrnoException
  if (TIMEOUTS.has(code)) return { failure: { of: 'timeout' }, why: message }
  return {
    failure: NEVER_SENT.has(code) ? { of: 'connection', neverSent: true } : { of: 'connection' },
    why: message,
  }
}

function causesOf(thrown: unknown): Error[] {
  const chain: Error[] = []
  for (let error = thrown; error instanceof Error; error = error.cause) chain.push(error)
  return chain
}

function answerFailureOf(answer: CallAnswer, thrown: unknown): CallFailure {
  const retryAfterUs = retryAfterUsOf(answer)
  if (answer.status === 429) return { of: 'throttled', retryAfterUs }
  const body = errorBodyOf(answer, thrown)
  if (isSlowDown(body)) return { of: 'slow-down', retryAfterUs }
  const name = errorNameOf(body)
  if (name === 'TaskNotFoundError') return { of: 'gone' }
  const status = answer.status >= 400 || name === undefined ? answer.status : kindOf(name).httpStatus
  return { of: 'answer', status, retryAfterUs }
}

/** An agent speaks for itself; for everybody else the status does. */
function saysOf(operation: string, answer: CallAnswer, thrown: unknown): string {
  const body = errorBodyOf(answer, thrown)
  if (answer.status < 400 || errorNameOf(body) !== undefined || isSlowDown(body))
    return thrown instanceof Error ? thrown.message : String(thrown)
  return `${operation} was answered with ${`${answer.status} ${answer.statusText}`.trimEnd()}`
}

/** The error as it came. Over JSON-RPC most come with status 200, and of these the official client keeps the code. */
function errorBodyOf({ errorText }: CallAnswer, thrown: unknown): unknown {
  if (errorText !== '') return parsed(errorText)
  const code = causesOf(thrown)
    .map((error) => (error as { envelopeCode?: unknown }).envelopeCode)
    .find((one) => one !== undefined)
  return { jsonrpc: '2.0', error: { code } }
}

function isSlowDown(body: unknown): boolean {
  if (!isObject(body) || !isObject(body['error'])) return false
  const { code, details } = body['error']
  if (code === SLOW_DOWN_CODE) return true
  return Array.isArray(details) && details.filter(isObject).some(({ reason }) => reason === SLOW_DOWN_REASON)
}

/** What the text says in JSON; `undefined` for what a proxy may write. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
