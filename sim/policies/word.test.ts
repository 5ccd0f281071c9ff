import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseDuration } from '../kernel/units.ts'
import type { Policy } from './policy.ts'
import { parseWord, wordOf } from './word.ts'

/** Keys and values of a word, without places. */
function optionsOf(text: string) {
  const read = parseWord(text)
  if ('problem' in read) throw new Error(read.problem.message)
  return Object.fromEntries(read.word.arguments.map(({ key, value }) => [key.join('.'), value]))
}

function problemOf(text: string): string {
  const read = parseWord(text)
  if ('word' in read) return 'fine'
  const { message, start, end } = read.problem
  return `${text.slice(start, end)} | ${message.split('\n')[0]}`
}

describe('a policy word', () => {
  test.each([
    ['poll', {}],
    ['poll:7s', { interval: '7s' }],
    ['poll:7s,first=after', { interval: '7s', first: 'after' }],
    ['poll:first=after', { first: 'after' }],
    ['poll:7/s', { interval: '7/s' }],
    ['poll:1s/5s/250ms*3', { delays: ['1s', '5s', '250ms*3'] }],
    ['poll:@aws/ec2.InstanceRunning,interval=5s', { use: 'aws/ec2.InstanceRunning', interval: '5s' }],
    ['poll:initial=1s,multiplier=1.5,jitter=+25%', { initial: '1s', multiplier: 1.5, jitter: '+25%' }],
    ['stream:reconnect=3s,reconnect.jitter=full', { reconnect: '3s', 'reconnect.jitter': 'full' }],
    ['stream:heartbeat=15s,else=poll:30s,first=after', { heartbeat: '15s', else: 'poll:30s,first=after' }],
    ['poll:conditional=true', { conditional: true }],
    ['blocking:30s', { hold: '30s' }],
  ])('%s is a map of its keys', (text, options) => {
    expect(optionsOf(text)).toEqual(options)
  })

  test('remembers where its parts stand', () => {
    const read = parseWord('poll:7s,first=after')
    if ('problem' in read) throw new Error(read.problem.message)
    const [interval, first] = read.word.arguments
    expect(interval?.valueSpan).toEqual({ start: 5, end: 7 })
    expect(first?.keySpan).toEqual({ start: 8, end: 19 })
    expect(first?.valueSpan).toEqual({ start: 14, end: 19 })
  })

  test.each([
    ['pol:30s', 'pol | "pol" is no mechanism: did you mean poll?'],
    ['', ' | "" is no policy word: it begins with a mechanism, such as poll:7s or stream'],
    ['poll:', ': | nothing stands after the colon: write poll alone, or add options'],
    ['poll:5s,', ' | nothing stands between two commas, or after the last one'],
    ['poll:5s,poll:7s', 'poll:7s | two mechanisms in one word: write two entries'],
    ['poll:5s,7s', '7s | "7s" has no key: write key=value, such as first=after'],
    ['poll:5s,interval=7s', 'interval=7s | interval is given twice in one word'],
    ['poll:first=', 'first= | first= has no value'],
    ['stream:30s', '30s | stream takes no value of its own: "30s" needs a key'],
    [
      'stream>poll:30s',
      '>poll:30s | falling back (>) is part of the format but not of this release: write two entries',
    ],
    [
      'push+poll:60s',
      '+poll:60s | side by side (+) is part of the format but not of this release: write two entries',
    ],
  ])('%s is refused', (text, problem) => {
    expect(problemOf(text)).toBe(problem)
  })
})

test('the canonical word leaves defaults out, and says first=after for one interval', () => {
  const poll = { kind: 'poll', intervalUs: 7_000_000, firstAfterUs: 0, waitFrom: 'response' } as const
  expect(wordOf(poll)).toBe('poll:7s')
  expect(wordOf({ ...poll, firstAfterUs: 7_000_000 })).toBe('poll:7s,first=after')
  expect(wordOf({ ...poll, firstAfterUs: 250_000, waitFrom: 'request' })).toBe(
    'poll:7s,first=250ms,waitFrom=request',
  )
  expect(wordOf({ kind: 'stream' })).toBe('stream')
})

test('a policy survives being written as a word and read again', () => {
  const waitUs = fc.integer({ min: 0, max: parseDuration('30d') as number })
  const poll = fc.record({
    kind: fc.constant('poll' as const),
    intervalUs: waitUs.map((us) => us + 1),
    firstAfterUs: waitUs,
    waitFrom: fc.constantFrom('response' as const, 'request' as const),
  })
  fc.assert(
    fc.property(poll, (policy) => {
      const options = optionsOf(wordOf(policy))
      const intervalUs = parseDuration(String(options['interval']))
      const first = options['first'] ?? '0'
      const again: Policy = {
        kind: 'poll',
        intervalUs: intervalUs as number,
        firstAfterUs: (first === 'after' ? intervalUs : parseDuration(String(first))) as number,
        waitFrom: (options['waitFrom'] ?? 'response') as 'response' | 'request',
      }
      expect(again).toEqual(policy)
    }),
    { seed: 1, numRuns: 300 },
  )
})
