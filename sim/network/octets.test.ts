/** The formula on paper. That real sockets agree is shown by wire-vs-sockets.test.ts. */
import { expect, test } from 'vitest'
import { requestHeadOctets, responseHeadOctets } from './octets.ts'

const octetsOf = (...lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`.length

test('the head of a request, as fetch writes it', () => {
  const octets = requestHeadOctets({
    method: 'POST',
    url: new URL('https://agent.example/rest/message:send?tenant=a'),
    headers: new Headers({ 'A2A-Version': '1.0', 'Content-Type': 'application/a2a+json' }),
    body: 512,
    cache: 'default',
    mode: 'cors',
    referrer: 'about:client',
  })
  expect(octets).toBe(
    octetsOf(
      'POST /rest/message:send?tenant=a HTTP/1.1',
      'host: agent.example',
      'connection: keep-alive',
      'a2a-version: 1.0',
      'content-type: application/a2a+json',
      'accept: */*',
      'accept-language: *',
      'sec-fetch-mode: cors',
      'user-agent: node',
      'accept-encoding: br, gzip, deflate',
      'content-length: 512',
    ),
  )
})

test('the head of an answer, as node:http writes it', () => {
  const headers = new Headers({ 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  const octets = responseHeadOctets(
    { method: 'POST', toClose: false },
    { status: 200, statusText: '', headers },
  )
  expect(octets).toBe(
    octetsOf(
      'HTTP/1.1 200 OK',
      'cache-control: no-cache',
      'content-type: text/event-stream',
      'Date: Thu, 01 Jan 2026 00:00:00 GMT',
      'Connection: keep-alive',
      'Keep-Alive: timeout=5',
      'Transfer-Encoding: chunked',
    ),
  )
})
