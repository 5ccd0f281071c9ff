/** Policies that are wrong: told at their place, inside words too. */
import { describe, expect, test } from 'vitest'
import { createFiles } from '../files.suite.ts'

const files = createFiles()
const mechanism = (...entries: string[]) =>
  `job: 20s\nmechanisms:\n${entries.map((entry) => `  - ${entry}\n`).join('')}`
/** The first line of what is said, without the file. */
const firstLine = (text: string) =>
  files
    .complaint(text)
    .split('\n')[0]
    ?.replace(/^mine\.yaml:/, '')

describe('a wrong policy is told at its place', () => {
  test.each([
    // Keys and values inside words.
    ['poll:initial=1s,multiplier=2,jiter=full', '3:34: unknown key jiter: did you mean jitter?'],
    [
      '"poll:initial=1s,jitter=25%"',
      '3:29: "25%" does not say which way: write ±25%, +25% (longer only) or -25% (shorter only)',
    ],
    ['poll:5s,slowDown=5s', '3:22: "5s" is no answer to slow_down: ignore, +5s or x1.4'],
    ['poll:5s,adapt.news=halve', '3:24: "halve" is no step: write x0.5, +1s, a duration to set, or reset'],
    ['poll:5s,margin=fast', '3:20: "fast" is not a factor: write x1.2'],
    [
      'poll:5s,on429=later',
      '3:19: "later" is not a duration: write a number and a unit (us, ms, s, m, h, d), such as 250ms, 20s or 1h30m',
    ],
    ['poll:5s,first=soon', '3:19: "soon" is not known here'],
    ['poll:30m..20m', '3:10: 30m..20m runs backwards'],
    ['"poll:7 per s"', '3:5: a policy word has no spaces: "poll:7 per s"'],
    [
      '{ poll: { interval: 7 per s } }',
      '3:25: "7 per s" is not a rate: write a number per s, m, h or d, such as 7/s or 200000/d',
    ],
    [
      'poll:1s/5x',
      '3:10: "5x" is not a duration: write a number and a unit (us, ms, s, m, h, d), such as 250ms, 20s or 1h30m',
    ],
    // A list has one form in a word and another in a map.
    ['stream:reconnect=[1s,2s]', '3:12: a list in a word is written 1s/2s: write reconnect=1s/2s'],
    ['stream:reconnect.delays=[1s]', '3:12: a list in a word is written 1s/2s: write reconnect.delays=1s*1'],
    ['poll:[1s,5s],first=after', '3:10: a list in a word is written 1s/2s: write 1s/5s'],
    ['push:retry=[5s', '3:10: a list in a word is written 1s/2s: write retry=5s*1'],
    [
      '{ stream: { reconnect: 1s/2s } }',
      '3:28: "1s/2s" is a list as words write it: in a map a list is written [1s, 2s]',
    ],
    [
      'poll: { delays: 250ms*3 }',
      '3:21: "250ms*3" is a list as words write it: in a map a list is written [250ms*3]',
    ],
    ['poll: { interval: 1s/2s }', '3:23: "1s/2s" is a list and no interval: write delays: [1s, 2s]'],
    ['poll:multiplier=2', '3:21: multiplier needs initial: the first wait'],
    [
      'poll:interval=5s,delays=1s/2s',
      '3:29: interval and delays exclude each other: a fixed interval, a list of delays, or initial with multiplier and max',
    ],
    ['poll:initial=9s,max=3s', '3:25: max 3s lies below the first wait, 9s'],
    ['poll:min=9s,max=3s', '3:21: max 3s lies below min 9s'],
    ['poll:5s,lastLook=3s', '3:22: a last look before what? lastLook needs budget'],
    ['poll:0', '3:10: an interval of 0 would poll without end at one instant: write 1ms or more'],
    ['poll:5s,attempts=0', '3:22: 0 is too few: write 1 or more'],
    [
      'stream:reconnect.jitter=full',
      '3:12: reconnect does not say how long to wait: add interval, such as reconnect: { interval: 3s }',
    ],
    [
      'stream:reconnect=none,reconnect.jitter=full',
      '3:27: reconnect is given twice in one word, and the two do not go together',
    ],
    ['stream:heartbeat.octets=2', '3:29: a comment has 3 octets or more: a colon and an empty line'],
    ['stream:30s', '3:12: stream takes no value of its own: "30s" needs a key'],
    ['poll:jitter', '3:10: jitter needs a value: write jitter=…'],
    [
      'push:signature=jwt',
      '3:20: signature=jwt is part of the format but not of this release: write token or none',
    ],
    ['push:timeout=0', '3:18: 0 leaves no time for anything: write 1ms or more'],
    // Maps.
    ['poll: { interval: 7 }', '3:23: 7 has no unit: write 7s, 7ms or 7m'],
    [
      'poll: { use: 5 }',
      '3:18: the number 5 is no name of a library policy: write one such as chromium or aws/ec2.InstanceRunning',
    ],
    ['{ poll: 5s, first: after }', '3:17: first belongs inside: poll: { interval: 5s, first: after }'],
    ['{ stream: null, heartbeat: 15s }', '3:21: heartbeat belongs inside: stream: { heartbeat: 15s }'],
    [
      '{ poll: 7s, push: null }',
      '3:5: one mechanism per entry: poll and push are two; to use both side by side write poll: { with: push }',
    ],
    ['{ stream: { reconnect: { intervall: 3s } } }', '3:30: unknown key intervall: did you mean interval?'],
    ['{ stream: { else: { poll: { frist: after } } } }', '3:33: unknown key frist: did you mean first?'],
    ['{ mix: [] }', '3:12: this list is empty: write { share: 70%, policy: poll:5s } and what the others do'],
    // Combinations.
    ['stream>pol:30s', '3:12: "pol" is no mechanism: did you mean poll?'],
    [
      '{ stream: { else: { poll: 5s, push: null } } }',
      '3:23: one mechanism per entry: poll and push are two; to use both side by side write poll: { with: push }',
    ],
    [
      '{ stream: { else: { poll: { with: push } } } }',
      '3:33: what takes over is one mechanism: to have another beside all of them, write with outside else',
    ],
    [
      'poll:5s,recover=5m',
      '3:13: recover goes back from what took over: add else, such as poll: { else: poll:30s, recover: 5m }',
    ],
    ['stream>poll:30s,recover=5m', '3:21: recover belongs to the first of a chain: the one it goes back to'],
    // The library.
    [
      'poll:@aws/ec2.InstanceRuning',
      '3:10: the library has no polling policy @aws/ec2.InstanceRuning: did you mean @aws/ec2.InstanceRunning?',
    ],
    ['poll:@InstanceRunning', '3:10: the library has no polling policy @InstanceRunning'],
    [
      'poll:@ec2.InstanceRunning',
      '3:10: the library has no polling policy @ec2.InstanceRunning: did you mean @aws/ec2.InstanceRunning?',
    ],
    [
      'stream:reconnect=@standard-webhooks',
      '3:12: @standard-webhooks is a webhook retry schedule; here goes a reconnect policy, such as @chromium',
    ],
    [
      '"stream:heartbeat=15s,reconnect=@httpx"',
      '3:27: @httpx is a set of client limits; here goes a reconnect policy, such as @chromium',
    ],
    [
      'push:retry=@stripe',
      '3:10: @stripe is known, but its behaviour is not determined (intervals not published): write the values yourself',
    ],
    [
      'push:retry=@mastra-a2a',
      '3:10: @mastra-a2a is no policy but a fact of the world: set agent.push.events and agent.push.retry',
    ],
    ['push:@svix', '3:10: push takes no library policy of its own: write retry=@svix'],
    [
      '{ stream: { reconnect: chromum } }',
      '3:28: the library has no reconnect policy @chromum: did you mean @chromium?',
    ],
  ])('%s', (entry, problem) => {
    expect(firstLine(mechanism(entry))).toBe(problem)
  })

  test.each([
    'stream:reconnect=@standard-webhooks',
    'stream:reconnect=@httpx,reconnect.jitter=full',
    'poll:@httpx,multiplier=2,max=3s,lastLook=1s',
    'poll:5s,hold=[1s,2s]',
    '{ stream: { reconnect: 1s/2s } }',
    '{ stream: { else: { stream: { reconnect: { use: httpx, multiplier: 2 } } } } }',
  ])('%s: and only once', (entry) => {
    expect(files.complaint(mechanism(entry)).match(/^mine\.yaml:/gm)).toHaveLength(1)
  })

  test('in the sections of the world too', () => {
    expect(files.complaint('job: 20s\nnetwork: { hops: [{ connections: 1, full: weit }] }\n')).toBe(
      `mine.yaml:2:43: "weit" is not known here: did you mean wait?
     2 | network: { hops: [{ connections: 1, full: weit }] }
       |                                           ^^^^
       allowed: 503, 429, refuse or wait, or a map such as { answer: 503, retryAfter: 2s }`,
    )
    expect(firstLine('job: 20s\nnetwork: { hops: [{ connections: 1, full: true }] }\n')).toBe(
      '2:43: expected 503, 429, refuse or wait, or a map such as { answer: 503, retryAfter: 2s }, got true',
    )
    expect(firstLine('job: 20s\nnetwork: { hops: [ngnix] }\n')).toBe(
      '2:19: the library has no hop @ngnix: did you mean @nginx?',
    )
    expect(firstLine('job: 20s\nclient: nginx\n')).toBe(
      '2:9: @nginx is a hop; here goes a set of client limits, such as @httpx',
    )
    expect(firstLine('job: 20s\nagent: { push: { retry: { use: chromium } } }\n')).toBe(
      '2:32: @chromium is a reconnect policy; here goes a webhook retry schedule, such as @standard-webhooks',
    )
  })
})

test('every key of every policy is refused when it is renamed', () => {
  const all = {
    poll: 'interval initial multiplier max delays min first waitFrom jitter attempts budget lastLook hint margin retryAfter slowDown on429 onError adapt conditional hold timeout scope concurrency batch else with recover',
    stream: 'heartbeat watchdog reconnect retryAfter retryHint resume cleanClose timeout else with recover',
    push: 'retry timeout events ordered giveUp disableAfter signature get register else with recover',
    blocking: 'hold timeout onError else with recover',
  }
  for (const [kind, keys] of Object.entries(all)) {
    for (const key of keys.split(' ')) {
      expect(firstLine(mechanism(`${kind}: { ${key}x: 1 }`))).toBe(
        `3:${kind.length + 9}: unknown key ${key}x: did you mean ${key}?`,
      )
    }
  }
})
