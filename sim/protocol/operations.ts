/** What raw traffic means, in the words of records and timelines. */
import type { StreamResponse } from './a2a.ts'
import { routeOf } from './http-json.ts'
import { methodOfJsonRpc } from './json-rpc.ts'
import { isOperation } from './operation.ts'
import { AGENT_CARD_PATH, HTTP_JSON_PATH, JSON_RPC_PATH } from './paths.ts'
import { dataOf } from './sse.ts'
import { wordsOf } from './words.ts'

/**
 * Which operation a raw request is: `GetTask`, `agent card`, or the request
 * line if it is none.
 *
 * @param pathAndQuery as in the request line, `/rest/tasks/42?historyLength=0`
 */
export function operationOf(method: string, pathAndQuery: string, body: string): string {
  const path = pathAndQuery.split('?', 1)[0] as string
  if (path.startsWith(`${HTTP_JSON_PATH}/`)) {
    const route = routeOf(method, path.slice(HTTP_JSON_PATH.length))
    if (route !== undefined) return route.operation
  } else if (path === JSON_RPC_PATH && method === 'POST') {
    const called = methodOfJsonRpc(body)
    if (called !== undefined && isOperation(called)) return called
  } else if (path === AGENT_CARD_PATH && method === 'GET') return 'agent card'
  return `${method} ${pathAndQuery}`
}

const KINDS: Readonly<Record<string, string>> = {
  SendMessage: 'send',
  GetTask: 'poll',
  SendStreamingMessage: 'stream',
  SubscribeToTask: 'subscribe',
  webhook: 'post',
}

/** The scenario format's short name of an operation, by the name that records have. */
export const kindOfOperation = (operation: string): string => KINDS[operation] ?? 'other'

/**
 * What one server-sent event says, in either binding: `task`, `working`,
 * `artifact venues-shortlist`. A comment is a `heartbeat`, the error that breaks
 * off a JSON-RPC stream is `error`, and what is none of A2A's is `something else`.
 */
export function saysOf(event: string): string {
  const data = dataOf(event)
  if (data === undefined) return 'heartbeat'
  try {
    const said = JSON.parse(data) as StreamResponse | { result: StreamResponse } | { error: unknown }
    if ('error' in said) return 'error'
    return wordsOf('result' in said ? said.result : said)
  } catch {
    // Any server may stand at the other end; what it says is only told, never acted on.
    return 'something else'
  }
}
