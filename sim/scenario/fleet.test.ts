/** Scenarios of many tasks: what a file says, and what it comes to. */
import { describe, expect, test } from 'vitest'
import { fixed } from '../kernel/distribution.ts'
import { randomStream } from '../kernel/random.ts'
import { parseDuration } from '../kernel/units.ts'
import { createFiles } from './files.suite.ts'
import { drawJob } from './job-plan.ts'

const files = createFiles()
const us = (text: string) => parseDuration(text) as number

const fleetOf = (text: string, more: Record<string, string> = {}) => {
  const { fleet, horizonUs } = files.load({ ...more, 'mine.yaml': text }).scenario
  if (fleet === undefined) throw new Error('no fleet')
  return { ...fleet, horizonUs }
}
const only = (fleet: string) => fleetOf(`job: 20s\nfleet: ${fleet}\n`)

describe('arrivals', () => {
  test.each([
    ['{ tasks: 300, window: 1h }', { of: 'poisson', size: { of: 'tasks', tasks: 300 }, withinUs: us('1h') }],
    [
      '{ rate: 200000/d, warmup: 1h, window: 1d }',
      { of: 'poisson', size: { of: 'rate', perSecond: 200_000 / 86_400 }, withinUs: us('25h') },
    ],
    [
      '{ rate: 2/s, within: 10m, window: 1h }',
      { of: 'poisson', size: { of: 'rate', perSecond: 2 }, withinUs: us('10m') },
    ],
    ['{ tasks: 300, arrivals: even, within: 5m }', { of: 'even', tasks: 300, withinUs: us('5m') }],
    ['{ rate: 7/m, arrivals: even, window: 2m }', { of: 'even', tasks: 14, withinUs: us('2m') }],
    ['{ tasks: 300, arrivals: together }', { of: 'together', tasks: 300 }],
    [
      `{ tasks: 9, window: 1d, arrivals: { daily: [${'0, '.repeat(23)}0.5] } }`,
      {
        of: 'daily',
        size: { of: 'tasks', tasks: 9 },
        withinUs: us('1d'),
        weights: [...Array<number>(23).fill(0), 0.5],
      },
    ],
    [
      '{ rate: 1/s, window: 1d, arrivals: { onOff: { busy: 10m, idle: exponential:50m } } }',
      {
        of: 'on-off',
        size: { of: 'rate', perSecond: 1 },
        withinUs: us('1d'),
        busy: fixed(us('10m')),
        idle: { of: 'exponential', meanUs: us('50m') },
      },
    ],
  ])('%s', (text, arrivals) => {
    expect(only(text).arrivals).toEqual(arrivals)
  })
})

test('a fleet built on another takes over what it does not say; how tasks come is replaced whole', () => {
  const base =
    'job: 20s\nfleet: { tasks: 9, warmup: 1m, window: 1h, arrivals: { onOff: { busy: 1m, idle: 1m } } }\n'
  const text = `extends: base.yaml\nfleet: { tasks: 5, arrivals: { daily: [${'1, '.repeat(24)}] } }\n`
  expect(fleetOf(text, { 'base.yaml': base })).toMatchObject({
    arrivals: { of: 'daily', size: { tasks: 5 } },
    warmupUs: us('1m'),
    windowUs: us('1h'),
  })
})

describe('what is counted', () => {
  const timesOf = ({ warmupUs, windowUs, cooldownUs, horizonUs, binUs }: ReturnType<typeof fleetOf>) => [
    warmupUs,
    windowUs,
    cooldownUs,
    horizonUs,
    binUs,
  ]

  test('a window, and by default until its tasks are over', () => {
    expect(timesOf(only('{ tasks: 9, warmup: 1m, window: 1h }'))).toEqual([
      us('1m'),
      us('1h'),
      undefined,
      us('2h1m'),
      us('1s'),
    ])
  })

  test('a cool-down is kept to', () => {
    expect(timesOf(only('{ tasks: 9, window: 1h, cooldown: 0, bin: 250ms }'))).toEqual([
      0,
      us('1h'),
      0,
      us('1h'),
      us('250ms'),
    ])
    expect(timesOf(only('{ tasks: 9, window: 1h, cooldown: 3h }'))).toEqual([
      0,
      us('1h'),
      us('3h'),
      us('4h'),
      us('1s'),
    ])
  })

  test('what never ends is not waited for', () => {
    expect(timesOf(fleetOf('job: never\nfleet: { tasks: 9, window: 1h }'))).toEqual([
      0,
      us('1h'),
      0,
      us('1h'),
      us('1s'),
    ])
  })

  test('without a window all, to the horizon if there is one', () => {
    expect(timesOf(only('{ tasks: 9, arrivals: together }'))).toEqual([
      0,
      Infinity,
      undefined,
      Infinity,
      us('1s'),
    ])
    const text = 'job: never\nhorizon: 1h\nfleet: { tasks: 9, arrivals: together, warmup: 10m }'
    expect(timesOf(fleetOf(text))).toEqual([us('10m'), us('50m'), 0, us('1h'), us('1s')])
  })

  test('a horizon ends the cool-down', () => {
    const text = 'job: 20s\nhorizon: 90m\nfleet: { tasks: 9, window: 1h }'
    expect(timesOf(fleetOf(text))).toEqual([0, us('1h'), undefined, us('90m'), us('1s')])
  })
})

describe('clients', () => {
  test.each([
    ['{ tasks: 9, arrivals: together }', undefined, 9],
    ['{ tasks: 9, arrivals: together, clients: 4 }', 4, 9],
    ['{ tasks: 9, arrivals: together, tasksPerClient: 4 }', 3, 9],
    ['{ tasks: 9, arrivals: together, tasksPerClient: 1 }', undefined, 9],
    ['{ arrivals: together, clients: 4, tasksPerClient: 20 }', 4, 80],
    ['{ tasks: 80, arrivals: together, clients: 4, tasksPerClient: 20 }', 4, 80],
  ])('%s', (text, clients, tasks) => {
    expect(only(text)).toMatchObject({ clients, arrivals: { tasks } })
  })
})

describe('kinds of jobs', () => {
  test('one job is all of them', () => {
    expect(only('{ tasks: 9, arrivals: together }').jobs).toMatchObject([
      { name: undefined, amount: { of: 'share', share: 1 }, job: { length: fixed(us('20s')) } },
    ])
  })

  test('counts and shares, each a job with all its keys', () => {
    const { jobs } = fleetOf(`
jobs:
  - { name: first, count: 2, duration: never }
  - { share: 25%, duration: exponential:20s, pollHint: 5s }
  - { share: 75%, result: 1kB, updates: [{ at: 5s, status: working }, { after: 1s, status: completed }] }
fleet: { tasks: 9, window: 1h }
`)
    expect(jobs).toMatchObject([
      { name: 'first', amount: { of: 'count', count: 2 }, job: { length: undefined } },
      { name: undefined, amount: { of: 'share', share: 0.25 }, job: { pollHintUs: us('5s') } },
      {
        amount: { of: 'share', share: 0.75 },
        job: { updates: [{}, {}], result: [{ content: { octets: 1000 } }] },
      },
    ])
  })

  test('counted jobs need no fleet', () => {
    expect(fleetOf('jobs: [{ count: 1, duration: 10s }, { count: 9, duration: 20s }]')).toMatchObject({
      arrivals: { of: 'together', tasks: 10 },
      windowUs: Infinity,
    })
  })

  test('a length that is known is not drawn, and shifts no other draw', () => {
    const { jobs } = fleetOf(
      'jobs: [{ count: 1, duration: exponential:20s, updates: [{ after: 1s..9s, status: working }] }]',
    )
    const plan = jobs[0]?.job
    if (plan === undefined) throw new Error('no job')
    const draws = () => ({ random: randomStream(1, 'job'), run: 0, horizonUs: Infinity })
    const drawn = drawJob(plan, { ...draws(), lengthUs: us('1m') })
    const withFixed = drawJob({ ...plan, length: fixed(us('1m')) }, draws())
    expect(drawn).toEqual(withFixed)
    expect(drawn.durationUs).toBe(us('1m'))
  })
})

describe('recorded arrivals', () => {
  const trace =
    'began,context,generated,who\n2024-01-01 00:00:00,100,10,a\n2024-01-01 00:00:02,0,100,b\n2024-01-01 00:00:05,4,1,a\n'
  const more = { 'trace.csv': trace }

  test('bring lengths and clients, and need no job', () => {
    const text = `fleet:
  trace: { file: trace.csv, at: began, duration: 0.25ms * context + 30ms * generated, client: who }
mechanisms: [poll:1s]
expect: { poll:1s: { tasks: 3 } }
`
    const fleet = fleetOf(text, more)
    expect(fleet).toMatchObject({
      clients: 2,
      warmupUs: 0,
      windowUs: 5_000_001,
      horizonUs: us('1h') + 5_000_001,
    })
    if (fleet.arrivals.of !== 'trace') throw new Error('no trace')
    expect(fleet.arrivals.trace).toEqual({
      file: expect.stringMatching(/trace\.csv$/) as string,
      atUs: Float64Array.of(0, 2e6, 5e6),
      durationUs: Float64Array.of(325_000, 3_000_000, 31_000),
      client: Int32Array.of(0, 1, 0),
    })
    expect(fleet.jobs[0]?.job.length).toEqual({ of: 'empirical', values: [325_000, 3_000_000, 31_000] })
  })

  test('may leave the length to the job', () => {
    const text =
      'job: { duration: 20s, result: 1kB }\nfleet: { warmup: 1s, trace: { file: trace.csv, at: began, rows: 2, speed: x2 } }\n'
    const fleet = fleetOf(text, more)
    expect(fleet).toMatchObject({ warmupUs: us('1s'), windowUs: 1, clients: undefined })
    expect(fleet.arrivals).toMatchObject({
      of: 'trace',
      trace: { atUs: Float64Array.of(0, 1e6) },
      withinUs: 1_000_001,
    })
    expect(fleet.jobs).toMatchObject([{ job: { length: fixed(us('20s')) } }])
  })

  test('are listed with their hash', () => {
    const { scenario } = files.load({
      ...more,
      'mine.yaml': 'job: 1s\nfleet: { trace: { file: trace.csv, at: began } }\n',
    })
    expect(scenario.files.map(({ file }) => file.replace(/.*\//, ''))).toEqual(['mine.yaml', 'trace.csv'])
    expect(scenario.files[1]?.sha256).toMatch(/^[0-9a-f]{64}$/)
  })

  test('are looked for beside the file that names them', () => {
    const base = 'job: 1s\nfleet: { trace: { file: trace.csv, at: began } }\n'
    const { arrivals } = fleetOf('extends: base.yaml\nfleet: { warmup: 1s }\n', {
      ...more,
      'base.yaml': base,
    })
    expect(arrivals.of).toBe('trace')
  })
})

describe('populations', () => {
  const text = `job: 20s
fleet: { tasks: 9, window: 1h }
mechanisms:
  - mix: [{ share: 70%, policy: poll:5s }, { share: 30%, poll: { use: smithy-js } }]
  - mix: [{ share: 100%, policy: stream>poll:30s }]
    label: all
    thresholds: [ p99(timeToLearn) <= 1m ]
expect:
  70% poll:5s, 30% poll:@smithy-js: { lost: 0 }
  all: { max(connectionsOpen): ..9 }
`

  test('are policies with their shares', () => {
    const { mechanisms, expectations } = files.load(text).scenario
    expect(mechanisms).toMatchObject([
      {
        label: undefined,
        word: '70% poll:5s, 30% poll:@smithy-js',
        policy: { kind: 'poll' },
        mix: [
          { share: 0.7, word: 'poll:5s', policy: { kind: 'poll' } },
          { share: 0.3, word: 'poll:@smithy-js' },
        ],
      },
      {
        label: 'all',
        mix: [{ share: 1, word: 'stream>poll:30s' }],
        thresholds: [{ metric: 'timeToLearn', aggregate: 'p99', value: 60_000 }],
      },
    ])
    expect(expectations.map(({ mechanism }) => mechanism)).toEqual([0, 1])
  })

  test('have addresses', () => {
    const { mechanisms } = files.load(text, {
      set: ['mechanisms.all.mix.0.stream.heartbeat=15s', 'poll.interval=9s'],
    }).scenario
    expect(mechanisms.map(({ word }) => word)).toEqual([
      '70% poll:9s, 30% poll:@smithy-js,interval=9s',
      '100% stream:heartbeat=15s>poll:9s',
    ])
  })
})

test('capacity: handlers, times by operation, a line, connections, and what who finds no room is told', () => {
  const capacityOf = (written: string) =>
    files.load(`job: 20s\nagent: { capacity: ${written} }\n`).scenario.agent.capacity
  const full = { answer: 503, retryAfterUs: undefined }
  expect(capacityOf('{ handlers: 16, service: exponential:5ms, connections: 5000 }')).toEqual({
    handlers: 16,
    service: [{ operations: undefined, time: { of: 'exponential', meanUs: 5000 } }],
    queue: undefined,
    connections: 5000,
    full,
  })
  const { service, ...rest } =
    capacityOf('{ handlers: 2, service: { poll: 3ms, other: 1ms..2ms }, queue: 0, full: wait }') ?? {}
  expect(rest).toEqual({ handlers: 2, queue: 0, connections: undefined, full: { ...full, answer: 'wait' } })
  const timeOf = (operation: string) =>
    service?.find(({ operations }) => operations?.includes(operation))?.time
  expect(timeOf('poll')).toEqual(fixed(3000))
  expect(timeOf('send')).toEqual(fixed(0))
  expect(timeOf('other')).toEqual({ of: 'uniform', fromUs: 1000, toUs: 2000 })
  expect(capacityOf('{ connections: 9, full: { answer: 429, retryAfter: 5s } }')?.full).toEqual({
    answer: 429,
    retryAfterUs: us('5s'),
  })
})

test('sizes that are given', () => {
  const text =
    'job: 20s\nfleet: { tasks: 9, window: 1h }\nwire: { sizes: { poll: { up: 871, down: 0 }, event: { up: 0, down: 1kB } } }\n'
  expect(files.load(text).scenario.sizes).toEqual({
    poll: { upOctets: 871, downOctets: 0 },
    event: { upOctets: 0, downOctets: 1000 },
  })
})

describe('what is asked of a fleet', () => {
  const asked = (metric: string) =>
    files.complaint(
      `job: 20s\nfleet: { tasks: 9, window: 1h }\nmechanisms: [push]\nexpect: { push: { ${metric}: 5s } }\n`,
    )
  const counted = (metric: string) =>
    files.complaint(
      `job: 20s\nfleet: { tasks: 9, window: 1h }\nmechanisms: [push]\nexpect: { push: { ${metric}: 5 } }\n`,
    )

  test.each(['mean', 'p50', 'p90', 'p95', 'p99', 'p99.9', 'max'])('%s(timeToLearn)', (aggregate) => {
    expect(asked(`${aggregate}(timeToLearn)`)).toBe('fine')
  })

  test.each(['max(learnedAt)', 'mean(waiting)', 'p95(waiting)'])('%s', (metric) => {
    expect(asked(metric)).toBe('fine')
  })

  test.each([
    'tasks',
    'requests',
    'polls',
    'rejected',
    'throttled',
    'lost',
    'connections.peak',
    'octets.total',
    ...['requestsPerSecond', 'requestsInFlight', 'connectionsOpen'].flatMap((name) => [
      `max(${name})`,
      `mean(${name})`,
    ]),
  ])('%s', (metric) => {
    expect(counted(metric)).toBe('fine')
  })

  test('variants have fleets of their own', () => {
    const { variants } = files.load(`job: never
fleet: { tasks: 45000, arrivals: together, warmup: 1h, window: 1d }
mechanisms: [poll:5s]
expect:
  - rows: { poll:5s: { polls: 1 } }
  - given: { fleet.tasks: 6000, fleet.window: 2d }
    rows: { poll:5s: { polls: 1, max(requestsPerSecond): 1 } }
`)
    expect(variants[0]?.scenario.fleet).toMatchObject({ arrivals: { tasks: 6000 }, windowUs: us('2d') })
    expect(variants[0]?.expectations).toHaveLength(2)
  })
})

test('what rests on nobody having said it', () => {
  const { assumptions } = files.load('job: 20s\nfleet: { tasks: 9, window: 1h }\nmechanisms: [stream]\n')
  expect(assumptions).toEqual([
    'tasks come independently of each other (fleet.arrivals)',
    'all is counted from the start (fleet.warmup)',
    'after the window the run goes on until its tasks are over, at most 1 h (fleet.cooldown)',
    'each task has a client of its own (fleet.tasksPerClient)',
    'no latency between client and agent (network.latency)',
    'A2A over HTTP+JSON (agent.binding)',
    'one run of what is left to chance, with seed 1 (replications)',
    "texts the scenario leaves open are the agent's own words",
  ])
})

test('even arrivals of fixed jobs leave nothing to chance, and several runs are warned of', () => {
  const warningsOf = (arrivals: string) =>
    files.load(
      `job: 20s\nreplications: 3\nfleet: { tasks: 9, arrivals: ${arrivals}, window: 1h }\nmechanisms: [poll:5s]\n`,
    ).warnings
  expect(warningsOf('even')).toEqual([
    'nothing in this scenario is random: all 3 runs are alike (replications)',
  ])
  expect(warningsOf('poisson')).toEqual([])
})
