import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { fixed } from '../kernel/distribution.ts'
import { QUIET_AGENT } from '../testing/scenario.ts'
import { createFiles } from './files.suite.ts'
import type { Update } from './scenario.ts'

const files = createFiles()

/** `20s completed`, `50s artifact report +last`. */
const told = ({ atUs, change }: Update): string =>
  `${atUs / 1e6}s ${change.of === 'status' ? change.state : `${change.artifact}${change.append ? ' +' : ''}${change.lastChunk ? ' last' : ''}`}`
const updatesOf = (text: string) => files.load(text).scenario.job.updates.map(told)

test('one line is a scenario, and everything else is at its default', () => {
  const { scenario, assumptions, warnings } = files.load('job: 20s\n')
  expect(scenario).toMatchObject({
    name: 'mine',
    seed: 1,
    horizonUs: 3_620_000_000,
    job: { message: undefined, durationUs: 20_000_000 },
    agent: QUIET_AGENT,
    replications: 1,
    client: { name: undefined, timeoutUs: undefined, clock: { rate: 1, offsetUs: 0 }, card: 'known' },
    network: { latency: { up: fixed(0), down: fixed(0) }, loss: 0, dribble: undefined, hops: [] },
    receiver: { latency: { up: fixed(0), down: fixed(0) }, answer: 204, dedupe: true, accepts: 'any' },
    faults: [],
    thresholds: [],
    expectations: [],
    sources: [],
  })
  expect(scenario.job.updates.map(told)).toEqual(['20s completed'])
  expect(scenario.mechanisms.map(({ word }) => word)).toEqual([
    'poll:1s',
    'poll:7s',
    'poll:30s',
    'stream',
    'push',
  ])
  expect(warnings).toEqual([])
  expect(assumptions).toEqual([
    'no latency between client and agent (network.latency)',
    'webhook posts reach their receiver without latency (receiver.latency)',
    'A2A over HTTP+JSON (agent.binding)',
    'the run stops 1 h after the end of the job (horizon)',
    "texts the scenario leaves open are the agent's own words",
    'the first poll follows the reply to the send at once (poll.first)',
    'each wait between polls begins with the answer (poll.waitFrom)',
  ])
})

describe('a job', () => {
  test('a number of updates is evenly spaced, the last is the outcome', () => {
    expect(updatesOf('job: { duration: 10s, updates: 4, outcome: failed }')).toEqual([
      '2.5s working',
      '5s working',
      '7.5s working',
      '10s failed',
    ])
  })

  test('the outcome is added to a list that does not end', () => {
    expect(
      updatesOf(
        'job: { duration: 10s, updates: [{ at: 25%, status: working }, { after: 1s, artifact: a }] }',
      ),
    ).toEqual(['2.5s working', '3.5s a', '10s completed'])
  })

  test('updates of one instant keep their order', () => {
    const text =
      'job: { updates: [{ at: 5s, artifact: b }, { after: 0, artifact: a, append: true }, { at: 5s, status: rejected }] }'
    expect(updatesOf(text)).toEqual(['5s b', '5s a +', '5s rejected'])
  })

  test('the result comes just before the end', () => {
    const { job } = files.load(
      'job: { result: 2kB, updates: [{ at: 5s, status: working }, { at: 9s, status: completed }] }',
    ).scenario
    expect(job.updates.map(told)).toEqual(['5s working', '9s result last', '9s completed'])
    expect(job.updates[1]?.change.content).toEqual({ octets: 2000 })
  })

  test('texts, octets and JSON are kept as they are, the rest is left to the agent', () => {
    const { job } = files.load(`
job:
  message: { octets: 1KiB }
  updates:
    - { at: 1s, status: working, text: "" }
    - { at: 2s, artifact: a, data: { k: null, list: [1, 2] } }
    - { at: 3s, artifact: a }
    - { at: 4s, status: completed }
`).scenario
    expect(job.message).toEqual({ octets: 1024 })
    expect(job.updates.map(({ change }) => change.content)).toEqual([
      { text: '' },
      { data: { k: null, list: [1, 2] } },
      undefined,
      undefined,
    ])
  })
})

test('a word, its map and a labelled policy are one thing', () => {
  const { mechanisms } = files.load(`
job: 20s
mechanisms:
  - poll:7s,first=after
  - poll: { interval: 7000ms, first: 7s }
    label: as a map
  - { policy: "poll:7s,first=after,waitFrom=response", label: as a policy }
  - poll
  - poll:
    label: bare
  - stream:
  - push: {}
`).scenario
  expect(mechanisms[1]?.policy).toEqual(mechanisms[0]?.policy)
  expect(mechanisms[2]?.policy).toEqual(mechanisms[0]?.policy)
  expect(mechanisms.map(({ label, word }) => label ?? word)).toEqual([
    'poll:7s,first=after',
    'as a map',
    'as a policy',
    'poll:5s',
    'bare',
    'stream',
    'push',
  ])
})

describe('extends', () => {
  const base = `
name: base
question: Inherited?
seed: 3
job: 20s
network: { latency: { up: 10ms, down: 20ms } }
mechanisms: [poll:1s, stream]
thresholds: [ lost == 0 ]
expect: { poll:1s: { requests: 1 } }
`

  test('takes over what the world and the comparison are, and not what one file says of itself', () => {
    const { scenario, values } = files.load({
      'base.yaml': base,
      'mine.yaml': 'extends: base.yaml\nseed: 4\n',
    })
    expect(scenario).toMatchObject({
      name: 'mine',
      question: undefined,
      seed: 4,
      job: { durationUs: 20_000_000 },
      network: { latency: { up: fixed(10_000), down: fixed(20_000) } },
      expectations: [],
    })
    expect(scenario.thresholds).toHaveLength(1)
    expect(scenario.files.map(({ sha256 }) => sha256)).toEqual(
      ['extends: base.yaml\nseed: 4\n', base].map((text) => createHash('sha256').update(text).digest('hex')),
    )
    expect(values.find(({ path }) => path === 'seed')).toMatchObject({ origin: 'file', line: 2 })
    expect(values.find(({ path }) => path === 'job.duration')).toMatchObject({ origin: 'base', line: 5 })
    expect(values.find(({ path }) => path === 'horizon')).toEqual({
      path: 'horizon',
      value: '1h20s',
      origin: 'default',
    })
  })

  test('maps merge into short forms, lists replace, null goes back to the default', () => {
    const mine = `
extends: base.yaml
job: { updates: 2 }
network: { latency: { up: 5ms } }
mechanisms: [push]
thresholds: null
`
    const { scenario } = files.load({ 'base.yaml': base, 'mine.yaml': mine })
    expect(scenario.job.updates.map(told)).toEqual(['10s working', '20s completed'])
    expect(scenario.network.latency).toEqual({ up: fixed(5_000), down: fixed(20_000) })
    expect(scenario.mechanisms.map(({ word }) => word)).toEqual(['push'])
    expect(scenario.thresholds).toEqual([])
  })

  test('a distribution replaces a distribution, of whatever family', () => {
    const latencyOver = (down: string) =>
      files.load({
        'base.yaml':
          'job: 9s\nnetwork: { latency: { up: 1ms, down: { lognormal: { p50: 1s, p95: 2s } } } }\n',
        'mine.yaml': `extends: base.yaml\nnetwork: { latency: { down: ${down} } }\n`,
      }).scenario.network.latency
    expect(latencyOver('{ uniform: { min: 0, max: 2ms } }')).toEqual({
      up: fixed(1_000),
      down: { of: 'uniform', fromUs: 0, toUs: 2_000 },
    })
    expect(latencyOver('{ lognormal: { mean: 1s, sigma: 0.5 } }').down).toMatchObject({ sigma: 0.5 })
  })

  test('a single value replaces a map', () => {
    const { job } = files.load({
      'base.yaml': 'job: { duration: 9s, updates: 3, message: { octets: 5 } }\n',
      'mine.yaml': 'extends: base.yaml\njob: 20s\n',
    }).scenario
    expect(job).toMatchObject({ message: undefined, durationUs: 20_000_000 })
    expect(job.updates).toHaveLength(1)
  })
})

describe('the command line', () => {
  const text = `
job: 20s
mechanisms: [poll:1s, stream, { poll: 3s, label: patient }]
expect: { stream: { requests: 1 } }
`

  test('is stronger than the file', () => {
    const { scenario, values, warnings, expectationsSkipped } = files.load(text, {
      set: [
        'job=30s',
        'job.updates=3',
        'poll.first=after',
        'mechanisms.patient.poll.interval=4s',
        'network.latency.up=5ms',
      ],
      seed: 9,
      binding: 'JSONRPC',
      thresholds: ['lost == 0'],
    })
    expect(scenario.job.updates.map(told)).toEqual(['10s working', '20s working', '30s completed'])
    expect(scenario.mechanisms.map(({ word }) => word)).toEqual([
      'poll:1s,first=after',
      'stream',
      'poll:4s,first=after',
    ])
    expect(scenario).toMatchObject({
      seed: 9,
      agent: { binding: 'JSONRPC' },
      network: { latency: { up: fixed(5_000), down: fixed(0) } },
    })
    expect(scenario.thresholds.map(({ expression }) => expression)).toEqual(['lost == 0'])
    expect(values.find(({ path }) => path === 'network.latency.up')).toEqual({
      path: 'network.latency.up',
      value: '5ms',
      origin: '--set',
    })
    expect(warnings).toEqual([])
    expect(expectationsSkipped).toBe(true)
  })

  test('replaces the mechanisms, by words or maps', () => {
    const { scenario } = files.load(text, { mechanisms: ['push', '{ poll: { interval: 2s }, label: mine }'] })
    expect(scenario.mechanisms.map(({ label, word }) => label ?? word)).toEqual(['push', 'mine'])
    expect(scenario.expectations).toEqual([])
  })

  test('null goes back to the default', () => {
    const { scenario } = files.load('seed: 5\njob: 20s\n', { set: ['seed=null'] })
    expect(scenario.seed).toBe(1)
  })

  test('leaves expectations alone when only the seed changes', () => {
    expect(files.load(text, { seed: 2 }).scenario.expectations).toMatchObject([
      { mechanism: 1, written: '1', line: 4 },
    ])
  })
})

test('values are shown in the order of the file, each default beside its neighbours', () => {
  const { values } = files.load(`
mechanisms: ["poll:7s,waitFrom=request", stream]
agent: { push: false }
job:
  updates: [{ at: 9s, artifact: a, data: { k: [1, {}] } }, { after: 0, status: failed }]
seed: 2
`)
  expect(values.map(({ path, value, origin }) => `${path} ${JSON.stringify(value)} ${origin}`)).toEqual([
    'mechanisms.0.poll.interval "7s" file',
    'mechanisms.0.poll.waitFrom "request" file',
    'mechanisms.0.poll.first "now" default',
    'mechanisms.1 "stream" file',
    'agent.push false file',
    'agent.binding "HTTP+JSON" default',
    'agent.protocol "a2a" default',
    'agent.errorProfile "1.0.1" default',
    'agent.streaming true default',
    'agent.blocking true default',
    'job.updates.0.at "9s" file',
    'job.updates.0.artifact "a" file',
    'job.updates.0.data {"k":[1,{}]} file',
    'job.updates.1.after 0 file',
    'job.updates.1.status "failed" file',
    'job.duration "9s" default',
    'seed 2 file',
    'name "mine" default',
    'replications 1 default',
    'horizon "1h9s" default',
    'network.latency.up "0s" default',
    'network.latency.down "0s" default',
  ])
})

test('a horizon before the end of the job is told', () => {
  expect(files.load('job: 100s\nhorizon: 30s\n').warnings).toEqual([
    'the run stops at 30s (horizon), and the job ends at 1m40s: nobody can learn of the end',
  ])
})

test('anchors may be used within a file', () => {
  const { scenario } = files.load('job: 20s\nnetwork: { latency: { up: &l 5ms, down: *l } }\n')
  expect(scenario.network.latency).toEqual({ up: fixed(5_000), down: fixed(5_000) })
})

test('JSON and Windows line ends are read too', () => {
  expect(files.load('{"job": {"duration": "5s"}, "seed": 2}').scenario.seed).toBe(2)
  expect(files.load('\uFEFFjob: 20s\r\nseed: 4\r\n').scenario.seed).toBe(4)
  expect(files.complaint('job: 20s\r\nsede: 4\r\n')).toBe(
    'mine.yaml:2:1: unknown key sede: did you mean seed?\n     2 | sede: 4\n       | ^^^^\n       allowed: name, question, description, source, extends, seed, replications, horizon, job, jobs, fleet, agent, client, network, receiver, wire, faults, mechanisms, thresholds, expect, claims',
  )
})
