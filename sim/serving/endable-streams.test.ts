import { expect, test } from 'vitest'
import { endableStreams } from './endable-streams.ts'

const encoder = new TextEncoder()

/** One event stream that the test writes, and what its reader sees of it. */
async function oneStream() {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const cancelled: unknown[] = []
  const source = new ReadableStream<Uint8Array>({
    start: (given) => void (controller = given),
    cancel: (reason) => void cancelled.push(reason),
  })
  const { handle, end } = endableStreams(
    async () => new Response(source, { headers: { 'content-type': 'text/event-stream', 'x-mark': 'kept' } }),
  )
  const response = await handle(new Request('http://agent.example/'))
  const write = (text: string) => controller?.enqueue(encoder.encode(text))
  return { response, controller, write, cancelled, end }
}

test('until it is ended a stream is as it was: head, chunks, its own end', async () => {
  const { response, controller, write, cancelled, end } = await oneStream()
  expect(response.headers.get('x-mark')).toBe('kept')
  write('data: 1\n\n')
  write('data: 2\n\n')
  controller?.close()
  const chunks: string[] = []
  for await (const octets of response.body as ReadableStream<Uint8Array>) chunks.push(String(octets.length))
  expect(chunks).toEqual(['9', '9'])
  end()
  expect(cancelled).toEqual([])
})

test('ended, it ends whole for its reader, and its source hears of it', async () => {
  const { response, write, cancelled, end } = await oneStream()
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  write('data: 1\n\n')
  await reader.read()
  const next = reader.read()
  end()
  expect(await next).toEqual({ done: true, value: undefined })
  expect(cancelled).toHaveLength(1)
})

test('a reader that leaves is passed on, and its stream is not ended again', async () => {
  const { response, cancelled, end } = await oneStream()
  await response.body?.cancel('enough')
  expect(cancelled).toEqual(['enough'])
  end()
  expect(cancelled).toEqual(['enough'])
})

test('a stream that breaks off breaks off, and is not ended again', async () => {
  const { response, controller, end } = await oneStream()
  controller?.error(new Error('the agent fell over'))
  await expect(response.text()).rejects.toThrow('the agent fell over')
  end()
})

test('what comes after the end is not waited for', async () => {
  const { response, write, end } = await oneStream()
  end()
  expect(() => write('data: late\n\n')).toThrow()
  expect(await response.text()).toBe('')
})

test('answers that are no streams are left alone', async () => {
  const answer = new Response('{}', { headers: { 'content-type': 'application/json' } })
  const { handle } = endableStreams(async () => answer)
  expect(await handle(new Request('http://agent.example/'))).toBe(answer)
})
