/**
 * Lets programs that cannot be handed a `fetch` reach the network: for a while
 * the global `fetch` is the wire's own, and requests of `node:http` and
 * `node:https` go through msw. The only file that loads msw.
 *
 * What msw does well is to stand in for the sockets of `node:http`. All else is
 * kept away from it:
 *
 * - Its patched `fetch` loses cancellations, hence the wire's own is put over it.
 * - Its patterns read `:` as a parameter, and what no handler matches may reach
 *   the real network (`.json`, `.html` and other assets always do), hence one
 *   handler takes everything and the wire finds the host.
 * - It does not say when a client goes away, and a body without declared
 *   length never ends on a connection that is kept; both are made good below.
 */
import { globalAgent, type Agent, type ClientRequest } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import { http } from 'msw'
import { setupServer } from 'msw/node'
import type { Party } from '../records/record.ts'
import type { Wire } from './wire.ts'

export interface Interception {
  /** Gives the globals back. */
  close(): void
}

/** From now on everything this process sends over HTTP goes onto the network as sent by `from`. */
export function interceptGlobals(wire: Wire, from: Party): Interception {
  const server = setupServer(http.all('*', ({ request }) => answerFor(wire, from, request)))
  server.listen({ onUnhandledRequest: 'error' })
  // Without this, `import { request } from 'node:http'` keeps the real one.
  syncBuiltinESMExports()
  const { fetch: fetchOfMsw } = globalThis
  globalThis.fetch = wire.fetchFrom(from)
  return {
    close() {
      globalThis.fetch = fetchOfMsw
      server.close()
      syncBuiltinESMExports()
    },
  }
}

async function answerFor(wire: Wire, from: Party, request: Request): Promise<Response> {
  const client = clientOf(request)
  const gone = new AbortController()
  client.once('close', () => gone.abort())
  try {
    const response = await wire.carry(from, {
      ...headOf(client, request),
      method: request.method,
      url: new URL(request.url),
      body: request.body,
      signal: gone.signal,
    })
    return asNodeSends(response)
  } catch (error) {
    // `node:http` shows what `fetch` wraps. Thrown from here, msw would print it or make a 500 of it.
    client.destroy((error instanceof TypeError ? (error.cause ?? error) : error) as Error)
    return Response.error()
  }
}

/** What there is in a client besides what its types tell. */
interface ClientInside extends ClientRequest {
  /** The head as it was written. */
  _header: string
  /** The agent that msw put before the client's own, to get at the socket. */
  agent: { customAgent: AgentInside | false | undefined }
}

interface AgentInside extends Agent {
  keepAlive: boolean
}

/** The client behind a request, where msw keeps it. */
function clientOf(request: Request): ClientInside {
  const key = Object.getOwnPropertySymbols(request).find(({ description }) => description === 'kRawRequest')
  const client: unknown = key === undefined ? undefined : Reflect.get(request, key)
  if (client === undefined || client === null)
    throw new Error(`msw does not tell which client sent ${request.method} ${request.url}`)
  return client as ClientInside
}

/** The head that the client would have written with its own agent, which decides whether the connection is kept. */
function headOf(client: ClientInside, request: Request): { headers: Headers; headOctets: number } {
  const headers = new Headers(request.headers)
  const written = headers.get('connection') ?? ''
  if (client.getHeader('connection') !== undefined) return { headers, headOctets: client._header.length }
  const agent = client.agent.customAgent ?? (globalAgent as AgentInside)
  const meant = agent !== false && agent.keepAlive ? 'keep-alive' : 'close'
  headers.set('connection', meant)
  return { headers, headOctets: client._header.length - written.length + meant.length }
}

/** With the line that `node:http` adds to a body of unknown length, and that tells its client where the body ends. */
function asNodeSends(response: Response): Response {
  if (response.body === null || response.headers.has('content-length')) return response
  const headers = new Headers(response.headers)
  headers.set('transfer-encoding', 'chunked')
  const { status, statusText } = response
  return new Response(response.body, { status, statusText, headers })
}
