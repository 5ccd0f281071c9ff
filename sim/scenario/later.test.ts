/** The whole format, key by key: what this release lacks is refused by its name. */
import { describe, expect, test } from 'vitest'
import { createFiles } from './files.suite.ts'
import { LATER_METRICS } from './metric.ts'

const files = createFiles()

const mechanism = (word: string) => `job: 20s\nmechanisms:\n  - ${word}\n`
const keysOf = (keys: string, text: (key: string) => string): [name: string, text: string][] =>
  keys.split(' ').map((key) => [key, text(key)])

const POLL =
  'initial multiplier max delays min jitter attempts budget lastLook hint margin retryAfter slowDown on429 onError adapt conditional hold timeout scope concurrency batch else with recover'
const STREAM = 'heartbeat watchdog reconnect retryAfter retryHint resume cleanClose timeout else with recover'
const PUSH = 'retry timeout events ordered giveUp disableAfter signature get register else with recover'

describe('what the format has and this release has not', () => {
  test.each([
    ...keysOf(
      'replications jobs client receiver faults wire fleet prices objective vary claims',
      (key) => `job: 20s\n${key}: 1\n`,
    ),
    ...keysOf('pollHint', (key) => `job: { duration: 20s, ${key}: 5s }\n`),
    ...keysOf('chunks', (key) => `job: { duration: 20s, result: { octets: 9, ${key}: 2 } }\n`),
    ...keysOf(
      'every from until resume',
      (key) => `job: { duration: 20s, updates: [{ at: 1s, status: working, ${key}: 5s }] }\n`,
    ),
    ...keysOf(
      'input-required auth-required',
      (state) => `job: { duration: 20s, updates: [{ at: 1s, status: ${state} }] }\n`,
    ),
    ...keysOf(
      'protocol polling blocking ttl history capacity quota defects',
      (key) => `job: 20s\nagent: { ${key}: 1 }\n`,
    ),
    ...keysOf(
      'heartbeat flush replay lifetime retryHint buffer closeOnInput',
      (key) => `job: 20s\nagent: { streaming: { ${key}: 1 } }\n`,
    ),
    ...keysOf(
      'retry timeout events ordered giveUp disableAfter signature',
      (key) => `job: 20s\nagent: { push: { ${key}: 1 } }\n`,
    ),
    ...keysOf('loss dribble hops', (key) => `job: 20s\nnetwork: { ${key}: 1 }\n`),
    ...keysOf('blocking mix', (key) => mechanism(`{ ${key}: 1 }`)),
    ...keysOf('thresholds', (key) => mechanism(`{ poll: 5s, ${key}: [] }`)),
    ...keysOf(POLL, (key) => mechanism(`poll: { ${key}: 1 }`)),
    ...keysOf(POLL, (key) => mechanism(`"poll:5s,${key}=1"`)),
    ...keysOf(STREAM, (key) => mechanism(`stream: { ${key}: 1 }`)),
    ...keysOf(STREAM, (key) => mechanism(`stream:${key}=1`)),
    ...keysOf(PUSH, (key) => mechanism(`push: { ${key}: 1 }`)),
    ...keysOf(PUSH, (key) => mechanism(`push:${key}=1`)),
    ['heartbeat', mechanism('stream:heartbeat.octets=8')],
    ['blocking', mechanism('blocking:30s')],
    ['side by side (+)', mechanism('push+poll:60s')],
    ['falling back (>)', mechanism('stream>poll:30s')],
    ['the library policy @aws/ec2.InstanceRunning', mechanism('poll:@aws/ec2.InstanceRunning')],
    ['the library policy @mcp', mechanism('poll: { use: mcp }')],
    ['the list of delays 1s/5s', mechanism('poll:1s/5s')],
    ['the rate 7/s', mechanism('poll:7/s')],
    ['the distribution 20m..30m', mechanism('poll:20m..30m')],
    ['first=hint', mechanism('"poll:5s,first=hint"')],
    ['first=random', mechanism('poll: { first: random }')],
    ['a job that never ends', 'job: never\n'],
    ['the distribution exponential:20s', 'job: exponential:20s\n'],
    ['the distribution lognormal', 'job: { duration: { lognormal: { p50: 18s, p95: 60s } } }\n'],
    ['the distribution 20ms..80ms', 'job: 20s\nnetwork: { latency: 20ms..80ms }\n'],
    [
      'the distribution normal:mean=10ms,sd=2ms',
      'job: 20s\nnetwork: { latency: { up: "normal:mean=10ms,sd=2ms" } }\n',
    ],
    ['the distribution 1s..2s', 'job: { duration: 20s, updates: [{ after: 1s..2s, status: working }] }\n'],
    ...LATER_METRICS.map((name): [string, string] => [name, `job: 20s\nthresholds: [ ${name} < 1 ]\n`]),
    ...LATER_METRICS.map((name): [string, string] => [name, `job: 20s\nexpect: { push: { ${name}: 1 } }\n`]),
    ['cost', 'job: 20s\nthresholds: [ cost(month) <= 200 ]\n'],
    ['p99(lateness)', 'job: 20s\nthresholds: [ p99(lateness) <= 2s ]\n'],
    ['max(requestsPerSecond)', 'job: 20s\nthresholds: [ max(requestsPerSecond) <= 200 ]\n'],
    ['events', 'job: 20s\nexpect: { stream: { events: [60s cut] } }\n'],
    ['given', 'job: 20s\nexpect: [{ given: { seed: 2 }, rows: {} }]\n'],
    ['a width in standard errors (se)', 'job: 20s\nexpect: { push: { requests: 5 ± 3se } }\n'],
  ])('%s', (name, text) => {
    const [first = ''] = files.complaint(text).split('\n')
    const plainName = name.replace(/^max\((.*)\)$/, '$1')
    const called = first
      .replace(/^mine\.yaml:\d+:\d+: /, '')
      .split(' is part of the format but not of this release: ')
    expect(called).toHaveLength(2)
    expect(called[0]).toContain(plainName)
    expect(first).not.toContain('unknown')
  })

  test.each([
    ['fleet', 'job: 20s\nfleet: { tasks: 5 }\n', 'mine.yaml:2:1: fleet is part'],
    ['a key of a word', mechanism('"poll:5s,jitter=full"'), 'mine.yaml:3:14: poll.jitter is part'],
    ['a hop', 'job: 20s\nnetwork:\n  hops: [nginx]\n', 'mine.yaml:3:3: network.hops is part'],
  ])('%s at its place', (_name, text, beginning) => {
    expect(files.complaint(text).slice(0, beginning.length)).toBe(beginning)
  })
})
