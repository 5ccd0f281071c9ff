import { describe, expect, test } from 'vitest'
import { createHopBuffer, createHopWatch, cutShown } from './hop-watch.ts'
import type { Hop } from './middlebox.ts'

const S = 1_000_000
type Limits = Pick<Hop, 'idleUs' | 'firstByteUs' | 'lifetimeUs'>
const NONE: Limits = { idleUs: undefined, firstByteUs: undefined, lifetimeUs: undefined }

/** The cut that is due after octets passed at these seconds, the request having passed at second 1. */
function dueAfter(limits: Partial<Limits>, ...passedS: number[]) {
  const watch = createHopWatch({ ...NONE, ...limits }, 1 * S)
  for (const atS of passedS) watch.octets(atS * S)
  const due = watch.dueUs()
  return due === undefined ? undefined : `${due.why} at ${due.atUs / S}`
}

describe('a hop', () => {
  test('without limits never cuts', () => expect(dueAfter({}, 5)).toBeUndefined())

  test('counts silence from the request, then from the last octet', () => {
    expect(dueAfter({ idleUs: 60 * S })).toBe('idle at 61')
    expect(dueAfter({ idleUs: 60 * S }, 10, 61)).toBe('idle at 121')
  })

  test('wants a first octet once', () => {
    expect(dueAfter({ firstByteUs: 30 * S })).toBe('firstByte at 31')
    expect(dueAfter({ firstByteUs: 30 * S, idleUs: 55 * S }, 31)).toBe('idle at 86')
  })

  test('lets no exchange live longer, whatever passes', () => {
    expect(dueAfter({ lifetimeUs: 30 * S })).toBe('lifetime at 31')
    expect(dueAfter({ lifetimeUs: 30 * S, idleUs: 60 * S }, 10, 20, 30)).toBe('lifetime at 31')
  })

  test('names one reason where two limits meet', () => {
    expect(dueAfter({ idleUs: 30 * S, firstByteUs: 30 * S, lifetimeUs: 30 * S })).toBe('idle at 31')
    expect(dueAfter({ firstByteUs: 30 * S, lifetimeUs: 30 * S })).toBe('firstByte at 31')
  })

  test('answers itself while nothing has passed, unless it falls silent', () => {
    expect(cutShown('close', false)).toBe(504)
    expect(cutShown('reset', false)).toBe(504)
    expect(cutShown('silent', false)).toBe('silent')
    expect(cutShown('reset', true)).toBe('reset')
  })

  test('keeps small writes until enough are together', () => {
    const buffer = createHopBuffer(20)
    expect([8, 8, 8, 8, 12, 100, 19].map((octets) => buffer.takes(octets))).toEqual([
      false,
      false,
      true,
      false,
      true,
      true,
      false,
    ])
  })
})
