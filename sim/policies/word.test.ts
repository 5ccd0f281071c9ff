import { describe, expect, test } from 'vitest'
import { parseWord, type MechanismWord } from './word.ts'

const KINDS = ['poll', 'stream', 'push', 'blocking']

function read(text: string): readonly (readonly MechanismWord[])[] {
  const result = parseWord(text, KINDS)
  if ('problem' in result) throw new Error(result.problem.message)
  return result.word.chains
}

/** Keys and values of a word of one mechanism, without places. */
const optionsOf = (text: string) =>
  Object.fromEntries((read(text)[0]?.[0]?.arguments ?? []).map(({ key, value }) => [key.join('.'), value]))

/** `stream > poll + push`: how mechanisms are joined. */
const shapeOf = (text: string) =>
  read(text)
    .map((chain) => chain.map(({ kind }) => kind).join(' > '))
    .join(' + ')

function problemOf(text: string): string {
  const result = parseWord(text, KINDS)
  if ('word' in result) return 'fine'
  const { message, start, end } = result.problem
  return `${text.slice(start, end)} | ${message.split('\n')[0]}`
}

describe('a policy word', () => {
  test.each([
    ['poll', {}],
    ['poll:7s', { '': '7s' }],
    ['poll:7s,first=after', { '': '7s', first: 'after' }],
    ['poll:first=after', { first: 'after' }],
    ['poll:7/s', { '': '7/s' }],
    ['poll:20m..30m', { '': '20m..30m' }],
    ['poll:1s/5s/250ms*3', { '': ['1s', '5s', '250ms*3'] }],
    ['push:retry=20s*3', { retry: ['20s*3'] }],
    ['poll:lognormal:p50=18s;p95=60s,first=after', { '': 'lognormal:p50=18s,p95=60s', first: 'after' }],
    ['poll:@aws/ec2.InstanceRunning,interval=5s', { use: '@aws/ec2.InstanceRunning', interval: '5s' }],
    ['poll:initial=1s,multiplier=1.5,jitter=+25%', { initial: '1s', multiplier: 1.5, jitter: '+25%' }],
    ['poll:adapt.quiet=+1s,slowDown=x1.4', { 'adapt.quiet': '+1s', slowDown: 'x1.4' }],
    ['stream:reconnect=3s,reconnect.jitter=full', { reconnect: '3s', 'reconnect.jitter': 'full' }],
    ['poll:conditional=true', { conditional: true }],
    ['blocking:30s', { '': '30s' }],
  ])('%s is a map of its keys', (text, options) => {
    expect(optionsOf(text)).toEqual(options)
  })

  test.each([
    ['stream>poll:30s', 'stream > poll'],
    ['stream:reconnect=3s>push>poll:30s', 'stream > push > poll'],
    ['push+poll:60s', 'push + poll'],
    ['push:retry=@svix+poll:60s', 'push + poll'],
    ['stream>poll:30s+push', 'stream > poll + push'],
    ['push+stream>poll:30s', 'push + stream > poll'],
    ['stream:else=poll:30s,first=after', 'stream > poll'],
    ['stream:heartbeat=15s,else=push,else=poll:30s', 'stream > push > poll'],
    ['push:with=poll:60s', 'push + poll'],
    ['stream:else=poll:30s+push', 'stream > poll + push'],
    ['push:with=stream>poll:30s', 'push + stream > poll'],
  ])('%s joins mechanisms: %s', (text, shape) => {
    expect(shapeOf(text)).toBe(shape)
  })

  test('remembers where its parts stand', () => {
    const [[first, second] = []] = read('stream:reconnect=@chromium>poll:7s,first=after')
    expect(first?.arguments[0]?.valueSpan).toEqual({ start: 7, end: 26 })
    expect(second?.joint).toEqual({ start: 26, end: 27 })
    expect(second?.kindSpan).toEqual({ start: 27, end: 31 })
    expect(second?.arguments[1]?.keySpan).toEqual({ start: 35, end: 46 })
    expect(second?.arguments[1]?.valueSpan).toEqual({ start: 41, end: 46 })
  })

  test.each([
    ['pol:30s', 'pol | "pol" is no mechanism: did you mean poll?'],
    ['stream>pol:30s', 'pol | "pol" is no mechanism: did you mean poll?'],
    ['', ' | "" is no policy word: it begins with a mechanism, such as poll:7s or stream'],
    ['poll:', ': | nothing stands after the colon: write poll alone, or add options'],
    ['poll:5s,', ' | nothing stands between two commas, or after the last one'],
    ['stream>', '> | a mechanism is missing after >: write stream>poll:30s'],
    ['push+', '+ | a mechanism is missing after +: write push+poll:30s'],
    ['stream:else=', 'else= | a mechanism is missing after else=: write stream:else=poll:30s'],
    [
      'poll:5s,poll:7s',
      'poll:7s | two mechanisms in one word: write two entries, or poll:5s+poll:7s (side by side) or poll:5s>poll:7s (fall back)',
    ],
    ['poll:5s,7s', '7s | "7s" has no key: write key=value, such as first=after'],
    ['poll:5s,first=now,first=after', 'first=after | first is given twice in one word'],
    ['poll:first=', 'first= | first= has no value'],
    ['poll:1st=now', '1st=now | "1st" is no key: write key=value, such as first=after'],
  ])('%s is refused', (text, problem) => {
    expect(problemOf(text)).toBe(problem)
  })
})
