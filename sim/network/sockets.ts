/** The same handlers on real sockets: one `node:http` server per handler. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import type { Handler } from './network.ts'

export interface Listening {
  /** `http://127.0.0.1:41873`: where the handler can be reached. */
  origin: string
  /** Stops listening and breaks every connection off. */
  close: () => Promise<void>
}

/**
 * Serves a handler over HTTP on this machine, until closed.
 *
 * @param at the port, 0 for any free one, and the name or address to listen on
 * @throws Error by `node:net`, such as EADDRINUSE
 */
export async function listen(handle: Handler, at: { port: number; host: string }): Promise<Listening> {
  const server = createServer(requestListener(handle))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(at.port, at.host, resolve)
  })
  const { port } = server.address() as AddressInfo
  const hostname = at.host.includes(':') ? `[${at.host}]` : at.host
  return {
    origin: `http://${hostname}:${port}`,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)))
        server.closeAllConnections()
      }),
  }
}

/**
 * A handler as a listener of `node:http` or `node:https` servers. Each chunk of
 * a body is one write; the head goes out at once. A requester that reads slowly
 * is waited for, so that what it has not read piles up in the body's own queue,
 * if it has one. A handler that breaks down resets the connection, a body that
 * breaks off closes it. When the requester goes away, the request's signal
 * aborts and the body is cancelled. What `fetch` could never have sent, such as
 * CONNECT or a broken Host, is answered 400 without asking the handler.
 */
export function requestListener(handle: Handler): (message: IncomingMessage, reply: ServerResponse) => void {
  return (message, reply) => void answer(handle, message, reply)
}

async function answer(handle: Handler, message: IncomingMessage, reply: ServerResponse): Promise<void> {
  const requester = new AbortController()
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  reply.once('close', () => {
    if (reply.writableFinished) return
    requester.abort()
    reader?.cancel().catch(() => {})
  })

  let request: Request
  try {
    request = requestOf(message, requester.signal)
  } catch {
    reply.writeHead(400, { 'content-length': 0 }).end()
    return
  }

  let response: Response
  try {
    response = await handle(request)
    if (response.type === 'error') throw new Error('the handler answered with Response.error()')
  } catch {
    message.socket.resetAndDestroy()
    return
  }
  if (requester.signal.aborted) {
    await response.body?.cancel().catch(() => {})
    return
  }

  reply.writeHead(response.status, response.statusText || undefined, [...response.headers].flat())
  reply.flushHeaders()
  try {
    reader = response.body?.getReader()
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true }
      if (requester.signal.aborted) return
      if (done) break
      if (!reply.write(value)) await drained(reply)
    }
    reply.end()
  } catch {
    reply.destroy()
  }
}

/** Resolves once the requester has read what was written to it, or has gone away. */
const drained = (reply: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      reply.off('drain', done).off('close', done)
      resolve()
    }
    reply.once('drain', done).once('close', done)
  })

function requestOf(message: IncomingMessage, signal: AbortSignal): Request {
  const { method = 'GET', rawHeaders, headers: known } = message
  const headers = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2)
    headers.append(rawHeaders[at] as string, rawHeaders[at + 1] as string)
  const scheme = 'encrypted' in message.socket ? 'https' : 'http'
  const url = `${scheme}://${known.host ?? 'localhost'}${message.url ?? '/'}`
  const hasBody = known['transfer-encoding'] !== undefined || Number(known['content-length'] ?? 0) > 0
  if (!hasBody || method === 'GET' || method === 'HEAD') return new Request(url, { method, headers, signal })
  return new Request(url, {
    method,
    headers,
    signal,
    body: Readable.toWeb(message) as ReadableStream<Uint8Array>,
    duplex: 'half',
  } as RequestInit)
}
