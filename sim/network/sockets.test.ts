import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { listen } from './sockets.ts'

const LOOPBACK = { port: 0, host: '127.0.0.1' }

test('a reader that does not read holds the body back, and what it leaves is cancelled', async () => {
  const chunk = new Uint8Array(1 << 20)
  let pulled = 0
  let cancelled: (() => void) | undefined
  const gone = new Promise<void>((resolve) => (cancelled = resolve))
  const { origin, close } = await listen(
    async () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            pulled += 1
            if (pulled > 64) controller.close()
            else controller.enqueue(chunk)
          },
          cancel: () => cancelled?.(),
        }),
      ),
    LOOPBACK,
  )
  const socket = connect(Number(new URL(origin).port), '127.0.0.1')
  socket.pause()
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  // The operating system takes a few megabytes off the reader's hands.
  for (let before = -1; before !== pulled || pulled === 0; await pause(50)) before = pulled
  expect(pulled).toBeLessThan(64)
  socket.destroy()
  await gone
  await close()
})

test.each([
  ['a method that fetch does not send', 'TRACE / HTTP/1.1\r\nHost: x\r\n'],
  ['a host that is none', 'GET / HTTP/1.1\r\nHost: a b\r\n'],
])('%s is answered 400', async (_, head) => {
  let asked = 0
  const { origin, close } = await listen(async () => {
    asked += 1
    return new Response()
  }, LOOPBACK)
  const socket = connect(Number(new URL(origin).port), '127.0.0.1')
  socket.write(`${head}Connection: close\r\n\r\n`)
  let answer = ''
  for await (const octets of socket) answer += String(octets)
  expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
  expect(asked).toBe(0)
  await close()
})
