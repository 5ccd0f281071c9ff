import { expect, test } from 'vitest'
import { commentOf, dataOf, formatEvent } from './sse.ts'

test('a comment has exactly the octets asked for and is no event', () => {
  for (const octets of [3, 4, 7, 8, 9, 64, 2048]) {
    const comment = commentOf(octets)
    expect(Buffer.byteLength(comment)).toBe(octets)
    expect(comment).toMatch(/^:[^\n]*\n\n$/)
    expect(dataOf(comment)).toBeUndefined()
  }
  expect(commentOf(8)).toBe(': ping\n\n')
  expect(() => commentOf(2)).toThrow('3 octets or more')
})

test('an event may say where its reader stands and when to come back; its data stay what they are', () => {
  expect(formatEvent('{}')).toBe('data: {}\n\n')
  const event = formatEvent('{"a":1}', { id: '7', retryMs: 3000 })
  expect(event).toBe('retry: 3000\nid: 7\ndata: {"a":1}\n\n')
  expect(dataOf(event)).toBe('{"a":1}')
})
