import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createEventReader } from './event-stream.ts'

const encoder = new TextEncoder()

/** What a reader tells of a text that comes in these pieces. */
function told(...pieces: (string | Uint8Array)[]) {
  const read = createEventReader((event) => event.trim())
  return pieces.flatMap((piece, atUs) =>
    read(typeof piece === 'string' ? encoder.encode(piece) : piece, atUs).map(
      ({ atUs: at, of, says }) => `${at} ${of} ${says}`,
    ),
  )
}

test('each event counts, whether or not it comes alone', () => {
  expect(told('data: a\n\ndata: b\n\n')).toEqual(['0 event data: a', '0 event data: b'])
})

test('an event is there once its blank line is', () => {
  expect(told('data: a', '\n', '\ndata: b\n\n')).toEqual(['2 event data: a', '2 event data: b'])
  expect(told('data: never ended\n')).toEqual([])
})

test('a comment before data does not hide it; comments alone are a heartbeat', () => {
  expect(told(': hello\n\ndata: a\n\n')).toEqual(['0 heartbeat hello', '0 event data: a'])
  expect(told(': note\ndata: a\n\n: one\n: two\n\n')).toEqual([
    '0 event : note\ndata: a',
    '0 heartbeat one two',
  ])
})

test('lines may end as the standard allows', () => {
  expect(told('data: a\r\n\r\ndata: b\r\rdata: c\n\n')).toEqual([
    '0 event data: a',
    '0 event data: b',
    '0 event data: c',
  ])
})

test('however the octets are cut, the same arrives', () => {
  const text = 'data: ä€😀\n\n: beat\n\ndata: x\ndata: y\n\n'
  const octets = encoder.encode(text)
  const cuts = fc
    .uniqueArray(fc.integer({ min: 1, max: octets.length - 1 }))
    .map((list) => list.toSorted((a, b) => a - b))
  const without = (lines: string[]) => lines.map((line) => line.replace(/^\d+ /, ''))
  fc.assert(
    fc.property(cuts, (at) => {
      const pieces = [0, ...at].map((from, index) => octets.subarray(from, at[index]))
      expect(without(told(...pieces))).toEqual(without(told(text)))
    }),
    { seed: 1, numRuns: 300 },
  )
})
