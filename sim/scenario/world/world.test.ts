import { describe, expect, test } from 'vitest'
import { fixed } from '../../kernel/distribution.ts'
import { QUIET_AGENT, QUIET_RECEIVER, USUAL_SENDING, backoffOf, every } from '../../testing/scenario.ts'
import { createFiles } from '../files.suite.ts'

const files = createFiles()
const S = 1_000_000
const scenarioOf = (text: string) => files.load(`job: 20s\n${text}`).scenario
const complaint = (text: string): string => files.complaint(`job: 20s\n${text}`).split('\n')[0] as string

describe('the agent', () => {
  test('says nothing that the file does not', () => {
    expect(scenarioOf('').agent).toEqual(QUIET_AGENT)
    for (const nothing of [
      'agent: {}\n',
      'agent: { streaming: true, push: {}, polling: {}, blocking: {} }\n',
    ])
      expect(scenarioOf(nothing).agent).toEqual(QUIET_AGENT)
  })

  test('does what the file says', () => {
    const { agent } = scenarioOf(`
agent:
  protocol: mcp-tasks
  polling: { hint: [{ hint: 1s }, { from: 1m, hint: 10s }], hintVia: retry-after, minInterval: 5s, tooSoon: { answer: 429, add: 5s }, hold: 30s, etag: true }
  streaming: { heartbeat: { every: 20s, octets: 2kB, when: silent }, flush: first-update, replay: 5m, lifetime: 5m..10m, retryHint: 3s, buffer: 256, closeOnInput: false }
  push: { retry: [30m*2], timeout: 5s, events: final, ordered: false, giveUp: remove, disableAfter: 5, signature: none }
  blocking: { hold: 60s }
  ttl: { after: 30m, from: completion }
  history: 2
  quota: [{ rate: 15000/h, burst: 100, per: client, retryAfter: 2s }, { rate: 7/s }]
`)
    expect(agent).toEqual({
      binding: 'HTTP+JSON',
      protocol: 'mcp-tasks',
      errorProfile: '1.0.1',
      polling: {
        hints: [
          { fromUs: 0, hintUs: S },
          { fromUs: 60 * S, hintUs: 10 * S },
        ],
        hintVia: 'retry-after',
        minIntervalUs: 5 * S,
        tooSoon: { answer: 429, addUs: 5 * S },
        holdUs: 30 * S,
        etag: true,
      },
      streaming: {
        heartbeat: { everyUs: 20 * S, octets: 2000, when: 'silent' },
        flush: 'first-update',
        replayUs: 300 * S,
        lifetime: { of: 'uniform', fromUs: 300 * S, toUs: 600 * S },
        retryHintUs: 3 * S,
        buffer: 256,
        closeOnInput: false,
      },
      push: {
        retry: backoffOf({ of: 'list', delaysUs: [1800 * S, 1800 * S], last: 'ends' }),
        timeoutUs: 5 * S,
        events: 'final',
        ordered: false,
        giveUp: 'remove',
        disableAfter: 5,
        signature: 'none',
      },
      blocking: { holdUs: 60 * S },
      ttl: { afterUs: 1800 * S, from: 'completion' },
      history: 2,
      quotas: [
        { perSecond: 15_000 / 3600, burst: 100, per: 'client', retryAfterUs: 2 * S },
        { perSecond: 7, burst: 1, per: 'all', retryAfterUs: undefined },
      ],
    })
  })

  test('takes short forms, library policies, and switches', () => {
    const { agent } = scenarioOf(
      'agent: { ttl: 899s, streaming: false, push: { retry: 3s }, blocking: false, polling: { minInterval: 5s, tooSoon: 429 }, quota: { rate: 1/s } }\n',
    )
    expect(agent).toMatchObject({
      ttl: { afterUs: 899 * S, from: 'creation' },
      streaming: false,
      push: { ...USUAL_SENDING, retry: { waits: every(3 * S) } },
      blocking: false,
      polling: { tooSoon: { answer: 429, addUs: 0 } },
      quotas: [{ perSecond: 1 }],
    })
    const streaming = (map: string) => scenarioOf(`agent: { streaming: { ${map} } }\n`).agent.streaming
    expect(streaming('replay: all')).toMatchObject({ replayUs: Infinity })
    expect(streaming('replay: none, heartbeat: 15s')).toMatchObject({
      replayUs: 0,
      heartbeat: { everyUs: 15 * S, octets: 8, when: 'always' },
    })
  })
})

test('the client has limits from a library or of its own, a clock and a card', () => {
  expect(scenarioOf('client: { timeout: 20m, idle: 300s, connections: 6 }\n').client).toEqual({
    name: undefined,
    timeoutUs: 1200 * S,
    firstByteUs: undefined,
    idleUs: 300 * S,
    connections: 6,
    clock: { rate: 1, offsetUs: 0 },
    card: 'known',
  })
  expect(scenarioOf('client: { clock: { rate: 1.1, offset: -250ms }, card: fetch }\n').client).toMatchObject({
    clock: { rate: 1.1, offsetUs: -250_000 },
    card: 'fetch',
  })
  const named = scenarioOf('client: httpx\n').client
  expect(named).toMatchObject({ name: 'httpx', idleUs: 5 * S })
  expect(scenarioOf('client: { use: httpx, idle: 7s }\n').client).toEqual({ ...named, idleUs: 7 * S })
})

describe('paths', () => {
  test('have a latency each way, loss, dribble and hops in order', () => {
    expect(
      scenarioOf(`
network:
  latency: { up: 20ms, down: { lognormal: { p50: 40ms, p99: 300ms } } }
  loss: 0.1%
  dribble: { octets: 1400, every: 50ms }
  hops: [nginx, { name: our-proxy, idle: 30s, lifetime: 5m, cut: silent, connections: 100, full: { answer: 429, retryAfter: 2s }, buffer: 4kB }, { use: nginx, idle: 10s }]
`).network,
    ).toMatchObject({
      latency: { up: fixed(20_000), down: { of: 'lognormal' } },
      loss: 0.001,
      dribble: { octets: 1400, everyUs: 50_000 },
      hops: [
        { name: 'nginx', idleUs: 60 * S, cut: 'close' },
        {
          name: 'our-proxy',
          idleUs: 30 * S,
          lifetimeUs: 300 * S,
          cut: 'silent',
          connections: 100,
          full: { answer: 429, retryAfterUs: 2 * S },
          bufferOctets: 4000,
        },
        // Results tell hops by name.
        { name: 'nginx 2', idleUs: 10 * S },
      ],
    })
  })

  test.each([
    ['wait', 'wait'],
    ['503', 503],
    ['"429"', 429],
  ] as const)('say in one value what who finds no room meets: %s', (written, answer) => {
    const short = `connections: 1, full: ${written}`
    const { network } = scenarioOf(`network: { hops: [{ name: mine, ${short} }] }\n`)
    const { receiver } = scenarioOf(`receiver: { hops: [{ name: mine, ${short} }] }\n`)
    expect(network.hops).toMatchObject([{ connections: 1, full: { answer, retryAfterUs: undefined } }])
    expect(receiver).toMatchObject({ hops: network.hops })
    const set = ['network.hops.mine.full=refuse']
    const changed = files.load(`job: 20s\nnetwork: { hops: [{ name: mine, ${short} }] }\n`, { set }).scenario
    expect(changed.network.hops).toMatchObject([{ full: { answer: 'refuse' } }])
  })

  test('of one distribution is drawn each way for itself', () => {
    const uniform = { of: 'uniform', fromUs: 20_000, toUs: 80_000 }
    const latency = { up: uniform, down: uniform }
    expect(scenarioOf('network: { latency: 20ms..80ms }\n').network.latency).toEqual(latency)
    expect(scenarioOf('receiver: { latency: 20ms..80ms }\n').receiver).toMatchObject({ latency })
  })

  test('are changed by address, hops by name', () => {
    const text = 'job: 20s\nnetwork: { hops: [nginx, { name: mine, idle: 1s }] }\n'
    const { hops } = files.load(text, {
      set: ['network.hops.nginx.idle=7s', 'network.hops.mine.lifetime=9s', 'network.loss=5%'],
    }).scenario.network
    expect(hops).toMatchObject([{ idleUs: 7 * S }, { idleUs: S, lifetimeUs: 9 * S }])
  })
})

test('the receiver listens, or nobody does', () => {
  expect(scenarioOf('').receiver).toEqual(QUIET_RECEIVER)
  expect(scenarioOf('receiver: none\n').receiver).toBe('none')
  expect(
    scenarioOf(
      'receiver: { service: 6s, handlers: 1, queue: 0, duplicate: 2%, reorder: 5%, answer: 202, dedupe: false, accepts: known, hops: [{ idle: 30s }] }\n',
    ).receiver,
  ).toMatchObject({
    service: fixed(6 * S),
    handlers: 1,
    queue: 0,
    duplicate: 0.02,
    reorder: 0.05,
    answer: 202,
    dedupe: false,
    accepts: 'known',
    hops: [{ name: 'hop 1', idleUs: 30 * S }],
  })
})

describe('faults', () => {
  const faultsOf = (...entries: string[]) =>
    scenarioOf(`faults:\n${entries.map((entry) => `  - ${entry}\n`).join('')}`).faults
  const once = (fromUs: number, toUs: number) => ({ of: 'once', fromUs, toUs })

  test('are one thing at one time each', () => {
    expect(
      faultsOf(
        '{ from: 3s, to: 6s, down: agent }',
        '{ at: 11s, restart: agent }',
        '{ at: 3s, for: 5s, restart: receiver, loses: tasks }',
        '{ from: 0, for: 2s, partition: network }',
        '{ from: 1s, for: 2s, hold: receiver }',
        '{ from: 50%, for: 5s, loss: 25%, link: receiver }',
        '{ from: 0, to: 100%, duplicate: 1% }',
        '{ every: exponential:60s, for: 3s, reorder: 5% }',
        '{ from: 1s, for: 1s, delay: 1s..2s }',
        '{ every: 5s, cut: streams, as: reset }',
        '{ from: 4s, for: 5s, answer: 503, retryAfter: 5s, operations: [poll, stream] }',
        '{ from: 5s, to: 6s, dns: receiver }',
      ),
    ).toEqual([
      { effect: { of: 'down', host: 'agent' }, when: once(3 * S, 6 * S) },
      { effect: { of: 'restart', host: 'agent', loses: 'streams' }, when: once(11 * S, 11 * S) },
      { effect: { of: 'restart', host: 'receiver', loses: 'tasks' }, when: once(3 * S, 8 * S) },
      { effect: { of: 'partition', link: 'network' }, when: once(0, 2 * S) },
      { effect: { of: 'hold', link: 'receiver' }, when: once(S, 3 * S) },
      { effect: { of: 'loss', share: 0.25, link: 'receiver' }, when: once(10 * S, 15 * S) },
      { effect: { of: 'duplicate', share: 0.01, link: 'network' }, when: once(0, 20 * S) },
      {
        effect: { of: 'reorder', share: 0.05, link: 'network' },
        when: { of: 'again', every: { of: 'exponential', meanUs: 60 * S }, forUs: 3 * S },
      },
      {
        effect: { of: 'delay', delay: { of: 'uniform', fromUs: S, toUs: 2 * S }, link: 'network' },
        when: once(S, 2 * S),
      },
      { effect: { of: 'cut', how: 'reset' }, when: { of: 'again', every: fixed(5 * S), forUs: 0 } },
      {
        effect: { of: 'answer', status: 503, retryAfterUs: 5 * S, operations: ['poll', 'stream'] },
        when: once(4 * S, 9 * S),
      },
      { effect: { of: 'dns', host: 'receiver' }, when: once(5 * S, 6 * S) },
    ])
  })
})

describe('a world is refused', () => {
  const fault = (entry: string) => `faults:\n  - ${entry}\n`

  test.each([
    // Agent.
    ['agent: { bindng: JSONRPC }\n', '2:10: unknown key bindng: did you mean binding?'],
    [
      'agent: { polling: { hint: 5 } }\n',
      '2:27: expected a duration, or a list of steps such as { from: 1m, hint: 10s }, got the number 5',
    ],
    ['agent: { polling: { hint: 0s } }\n', '2:27: 0s leaves no time for anything: write 1ms or more'],
    [
      'agent: { polling: { hint: [{ from: 1m, hint: 1s }, { hint: 2s }] } }\n',
      '2:52: 0 does not lie after the step above it',
    ],
    ['agent: { polling: { hint: [{ from: 1m }] } }\n', '2:28: which hint? write { from: 1m, hint: 10s }'],
    ['agent: { polling: { tooSoon: 429 } }\n', '2:30: too soon for what? add minInterval: 5s'],
    ['agent: { polling: { minInterval: 5s, tooSoon: 430 } }\n', '2:47: 430 is not known here'],
    [
      'agent: { polling: { minInterval: 5s, tooSoon: slowdown } }\n',
      '2:47: "slowdown" is not known here: did you mean slow-down?',
    ],
    ['agent: { polling: { hintVia: heder } }\n', '2:30: "heder" is not known here: did you mean header?'],
    ['agent: { streaming: { replay: never } }\n', '2:31: "never" is not known here'],
    ['agent: { streaming: { replay: 5 } }\n', '2:31: 5 has no unit: write 5s, 5ms or 5m'],
    ['agent: { streaming: { lifetime: 9s..5s } }\n', '2:33: 9s..5s runs backwards'],
    [
      'agent: { streaming: { lifetime: grid:1s..2s,points=3 } }\n',
      '2:33: a grid has one run for each of its points: it belongs to job.duration',
    ],
    ['agent: { streaming: { buffer: 0 } }\n', '2:31: 0 is too few: write 1 or more'],
    ['agent: { streaming: none }\n', '2:21: expected true, false or a map, got the text "none"'],
    ['agent: { push: { retry: [1s, 2] } }\n', '2:30: 2 has no unit: write 2s, 2ms or 2m'],
    [
      'agent: { push: { retry: standard-webhoks } }\n',
      '2:25: the library has no webhook retry schedule @standard-webhoks: did you mean @standard-webhooks?',
    ],
    ['agent: { ttl: 5 }\n', '2:15: 5 has no unit: write 5s, 5ms or 5m'],
    ['agent: { ttl: { from: creation } }\n', '2:15: deleted when? write ttl: { after: 30m }'],
    ['agent: { history: -1 }\n', '2:19: expected how many messages: a whole number from 0 on'],
    [
      'agent: { quota: { rate: 500 } }\n',
      '2:25: 500 is not a rate: write a number per s, m, h or d, such as 7/s or 200000/d',
    ],
    [
      'agent: { quota: { rate: 7 per s } }\n',
      '2:25: "7 per s" is not a rate: write a number per s, m, h or d, such as 7/s or 200000/d',
    ],
    ['agent: { quota: { burst: 5 } }\n', '2:17: how many requests are allowed? write quota: { rate: 7/s }'],
    // Client.
    ['client: 5\n', '2:9: expected a library name such as httpx, or a map, got the number 5'],
    ['client: nginx\n', '2:9: @nginx is a hop; here goes a set of client limits, such as @'],
    ['client: { timeout: 0s }\n', '2:20: 0s leaves no time for anything: write 1ms or more'],
    ['client: { clock: { rate: 0 } }\n', '2:26: 0 is too small: write more than 0'],
    ['client: { clock: { offset: 5 } }\n', '2:28: 5 has no unit: write 5s, 5ms or 5m'],
    // Paths.
    ['network: { latency: 5 }\n', '2:21: 5 has no unit: write 5s, 5ms or 5m'],
    ['network: { latency: 80ms..20ms }\n', '2:21: 80ms..20ms runs backwards'],
    [
      'network: { latency: { lognormal: { p50: 1s, p95: 2s } } }\n',
      '2:23: here a map has up and down: write the distribution as a text, such as lognormal:p50=18s,p95=60s',
    ],
    ['network: { loss: 0.1 }\n', '2:18: 0.1 is not a share: write a percentage such as 25%'],
    ['network: { loss: 101% }\n', '2:18: 101% is more than all: a share is at most 100%'],
    [
      'network: { dribble: { octets: 9 } }\n',
      '2:21: how does it dribble? write dribble: { octets: 1400, every: 50ms }',
    ],
    ['network: { dribble: { octets: 0, every: 1s } }\n', '2:31: pieces of no octets never arrive'],
    ['network: { hops: nginx }\n', '2:18: hops is a list: write [nginx]'],
    ['network: { hops: [httpx] }\n', '2:19: @httpx is a set of client limits; here goes a hop, such as @'],
    ['network: { hops: [{ name: a, idle: 1s }, { name: a }] }\n', '2:50: a hop "a" is there twice'],
    ['network: { hops: [{ idel: 1s }] }\n', '2:21: unknown key idel: did you mean idle?'],
    // Receiver.
    ['receiver: nobody\n', '2:11: expected none, or a map, got the text "nobody"'],
    ['receiver: { answer: 99 }\n', '2:21: 99 is no answer: write a status from 200 to 599'],
    ['receiver: { queue: -1 }\n', '2:20: expected how many posts may wait: a whole number from 0 on'],
    // Faults.
    ['faults: { at: 1s, cut: streams }\n', '2:9: faults is a list: write [ { at: 30s, cut: streams } ]'],
    [fault('{ down: agent }'), '3:5: when? exactly one of at, from or every'],
    [fault('{ at: 1s, from: 2s, down: agent }'), '3:15: when? exactly one of at, from or every'],
    [fault('{ from: 1s, to: 2s, for: 3s, down: agent }'), '3:25: to and for exclude each other'],
    [fault('{ from: 9s, to: 2s, down: agent }'), '3:21: it ends at 2s, before it begins at 9s'],
    [fault('{ from: 90%, to: 20%, down: agent }'), '3:22: it ends at 20%, before it begins at 90%'],
    [fault('{ from: 1s, down: agent }'), '3:5: until when? add for: 30s, or to: 60s'],
    [fault('{ every: 9s, down: agent }'), '3:5: how long each time? add for: 30s'],
    [
      fault('{ every: 0, for: 1s, down: agent }'),
      '3:14: every 0 would never let time pass: write 1ms or more',
    ],
    [fault('{ at: 1s, down: agent }'), '3:7: down lasts a while: write from: 1s with for or to'],
    [fault('{ from: 1s, for: 2s, cut: streams }'), '3:7: streams are cut at an instant: write at: 1s'],
    [
      fault('{ at: 1s }'),
      '3:5: what happens? write one of down, restart, partition, hold, loss, duplicate, reorder, delay, cut, answer, dns',
    ],
    [
      fault('{ from: 1s, for: 1s, down: agent, loss: 5% }'),
      '3:39: one fault per entry: down and loss are two',
    ],
    [fault('{ from: 1s, for: 1s, down: server }'), '3:32: "server" is not known here'],
    [fault('{ from: 1s, for: 1s, loss: 5% , as: reset }'), '3:37: as belongs to cut'],
    [fault('{ from: 1s, for: 1s, down: agent, loses: posts }'), '3:39: loses belongs to restart'],
    [fault('{ from: 1s, for: 1s, answer: 200 }'), '3:34: 200 is no failure: write a status from 400 to 599'],
    [
      fault('{ from: 1s, for: 1s, answer: 503, operations: [pol] }'),
      '3:52: "pol" is not known here: did you mean poll?',
    ],
  ])('%j', (text, message) => {
    expect(complaint(text).slice(0, `mine.yaml:${message}`.length)).toBe(`mine.yaml:${message}`)
  })

  test('a share of the length of a job that never ends', () => {
    const text = 'job: never\nhorizon: 1h\nfaults: [{ from: 50%, for: 1s, down: agent }]\n'
    expect(files.complaint(text).split('\n')[0]).toBe(
      'mine.yaml:3:18: 50% of what? the job never ends: write a duration',
    )
  })
})

test('what a result rests on is told where it matters', () => {
  const assumptions = (text: string) =>
    files.load(`job: 20s\nmechanisms: [push, stream]\n${text}`).assumptions
  expect(assumptions('receiver: none\n')).not.toContain(
    'webhook posts reach their receiver without latency (receiver.latency)',
  )
  expect(assumptions('agent: { protocol: mcp-tasks }\n')).toContain(
    "A2A's messages are played for mcp-tasks: counts and times hold, octets do not (agent.protocol)",
  )
  const retries =
    'a webhook post that fails is tried again after 1 s and after 2 s, and then dropped (agent.push.retry)'
  const down = 'faults: [{ from: 20s, for: 1m, down: receiver }]\n'
  expect(assumptions(down)).toContain(retries)
  expect(assumptions(`agent: { push: { retry: none } }\n${down}`)).not.toContain(retries)
  expect(assumptions('')).not.toContain(retries)
  const limits = 'the client sets itself no limits (client)'
  expect(assumptions('network: { hops: [nginx] }\n')).toContain(limits)
  expect(assumptions('network: { hops: [nginx] }\nclient: httpx\n')).not.toContain(limits)
  expect(files.load('job: 20s\nagent: { binding: JSONRPC, polling: { etag: true } }\n').warnings).toEqual([
    'JSON-RPC answers have no tags: agent.polling.etag changes nothing over JSONRPC',
  ])
})
