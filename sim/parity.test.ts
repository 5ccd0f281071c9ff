/**
 * Two engines, one world: a run of the lean world leaves the records of its
 * replay, octets apart. What is not equal yet stands here with the reason, and
 * fails once it is.
 */
import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { fixed, type Distribution } from './kernel/distribution.ts'
import type { Hop } from './policies/middlebox.ts'
import type { Policy } from './policies/policy.ts'
import { loadScenario, readScenario } from './scenario/index.ts'
import type { Fault, MechanismEntry, Scenario } from './scenario/scenario.ts'
import { textOf } from './swarm/document.ts'
import { drawScenario } from './swarm/draw.ts'
import { tellBoth } from './testing/parity.ts'
import {
  blockingBy,
  chunk,
  entryOf,
  pathOf,
  pollEvery,
  pushBy,
  scenarioOf,
  seconds,
  status,
  streamBy,
} from './testing/scenario.ts'

const SCENARIOS = join(dirname(fileURLToPath(import.meta.url)), '..', 'scenarios')

async function mustBeEqual(scenario: Scenario, entry: MechanismEntry): Promise<void> {
  const { replayed, lean } = await tellBoth(scenario, entry)
  expect(lean).toEqual(replayed)
}

/** The lean world has no texts: how many octets they have it can only guess, and here instants depend on that. */
const dependsOnSizes = ({ network, receiver }: Scenario): boolean =>
  network.dribble !== undefined ||
  network.hops.some(({ bufferOctets }) => bufferOctets !== undefined) ||
  (receiver !== 'none' && receiver.hops.some(({ bufferOctets }) => bufferOctets !== undefined))

const isCompared = (scenario: Scenario): boolean => scenario.fleet === undefined && !dependsOnSizes(scenario)

const hop = (more: Partial<Hop>): Hop => ({
  name: 'proxy',
  idleUs: undefined,
  firstByteUs: undefined,
  lifetimeUs: undefined,
  cut: 'close',
  connections: undefined,
  full: { answer: 503, retryAfterUs: undefined },
  bufferOctets: undefined,
  ...more,
})

const UPDATES = [
  status(0, 'working'),
  chunk(seconds(14), 'report'),
  chunk(seconds(14), 'report', { append: true }),
  chunk(seconds(14), 'report', { append: true }),
  status(seconds(30), 'working', 'Nearly there.'),
  status(seconds(70), 'completed'),
]

const once = (effect: Fault['effect'], fromS: number, toS: number): Fault => ({
  effect,
  when: { of: 'once', fromUs: seconds(fromS), toUs: seconds(toS) },
})

const SPREAD: Distribution = { of: 'uniform', fromUs: 1000, toUs: seconds(2) }

const POLICIES: readonly Policy[] = [
  pollEvery(seconds(7)),
  { ...pollEvery(seconds(1)), jitter: { of: 'full' }, timeoutUs: seconds(3) },
  streamBy(),
  streamBy({
    reconnect: { ...pollEveryReconnect(), attempts: 20 },
    watchdogUs: seconds(20),
    resume: 'cursor',
  }),
  pushBy(),
  pushBy({ register: 'after-reply', get: 'final' }),
  blockingBy({ holdUs: seconds(40) }),
]

function pollEveryReconnect() {
  return {
    waits: { of: 'interval' as const, interval: fixed(seconds(3)) },
    jitter: { of: 'equal' as const },
    attempts: undefined,
    budgetUs: undefined,
    resetAfterUs: undefined,
    timeoutUs: undefined,
  }
}

const quiet = scenarioOf({ updates: UPDATES })
const WORLDS: readonly (readonly [string, Scenario])[] = [
  ['a quiet world', quiet],
  ['latency', scenarioOf({ updates: UPDATES, latencyUs: 50_000 })],
  [
    'JSON-RPC, a card to fetch, a clock that runs fast',
    {
      ...scenarioOf({ updates: UPDATES, latencyUs: 20_000, binding: 'JSONRPC' }),
      client: { ...quiet.client, card: 'fetch', clock: { rate: 1.1, offsetUs: seconds(-2) } },
    },
  ],
  [
    'latency by chance, and loss',
    {
      ...quiet,
      network: { ...pathOf(), latency: { up: SPREAD, down: SPREAD }, loss: 0.02 },
      client: { ...quiet.client, timeoutUs: seconds(20) },
    },
  ],
  [
    'hops that cut',
    {
      ...quiet,
      network: {
        ...pathOf(30_000),
        hops: [
          hop({ idleUs: seconds(10), cut: 'reset' }),
          hop({ name: 'far', lifetimeUs: seconds(25), cut: 'silent' }),
        ],
      },
    },
  ],
  [
    'one connection, and a hop with one place',
    {
      ...quiet,
      network: {
        ...pathOf(30_000),
        hops: [hop({ connections: 1, full: { answer: 'wait', retryAfterUs: undefined } })],
      },
      client: { ...quiet.client, connections: 1 },
    },
  ],
  [
    'an agent that goes down and comes back, streams cut',
    {
      ...quiet,
      network: pathOf(10_000),
      faults: [
        once({ of: 'down', host: 'agent' }, 10, 14),
        once({ of: 'cut', how: 'close' }, 30, 30),
        once({ of: 'restart', host: 'agent', loses: 'streams' }, 40, 43),
      ],
    },
  ],
  [
    'messages doubled and out of order, a receiver that is slow',
    {
      ...quiet,
      faults: [
        once({ of: 'duplicate', share: 0.5, link: 'network' }, 0, 60),
        once({ of: 'reorder', share: 0.5, link: 'receiver' }, 0, 60),
        once({ of: 'duplicate', share: 0.5, link: 'receiver' }, 0, 60),
      ],
    },
  ],
  [
    'limits that end at one instant, and polls exactly as far apart as they must be',
    {
      ...quiet,
      network: {
        ...pathOf(),
        hops: [hop({ firstByteUs: seconds(10), idleUs: seconds(10) })],
      },
      client: { ...quiet.client, idleUs: seconds(10), firstByteUs: seconds(10), timeoutUs: seconds(20) },
      agent: {
        ...quiet.agent,
        polling: {
          ...quiet.agent.polling,
          minIntervalUs: seconds(7),
          tooSoon: { answer: 'slow-down', addUs: 0 },
        },
      },
    },
  ],
  [
    'an artifact that is written anew as it was',
    scenarioOf({
      updates: [
        chunk(seconds(5), 'report'),
        chunk(seconds(14), 'report'),
        chunk(seconds(21), 'report'),
        chunk(seconds(30), 'report', { append: true }),
        chunk(seconds(35), 'report'),
        status(seconds(49), 'completed'),
      ],
    }),
  ],
  [
    'an agent with one handler, a short line and few connections',
    {
      ...quiet,
      network: pathOf(10_000),
      agent: {
        ...quiet.agent,
        capacity: {
          handlers: 1,
          service: [{ operations: undefined, time: { of: 'uniform', fromUs: 0, toUs: seconds(1) } }],
          queue: 1,
          connections: 2,
          full: { answer: 503, retryAfterUs: seconds(2) },
        },
      },
    },
  ],
  [
    'an agent that hints, heartbeats, and has quotas',
    {
      ...quiet,
      agent: {
        ...quiet.agent,
        quotas: [{ perSecond: 0.5, burst: 2, per: 'client', retryAfterUs: undefined }],
        streaming: quiet.agent.streaming && {
          ...quiet.agent.streaming,
          heartbeat: { everyUs: seconds(5), octets: 8, when: 'silent' },
          lifetime: SPREAD,
          replayUs: Infinity,
          retryHintUs: seconds(1),
        },
      },
    },
  ],
]

describe.each(WORLDS)('%s', (_, scenario) => {
  test.each(POLICIES.map((policy, index) => [`${index} ${policy.kind}`, policy] as const))(
    '%s leaves the same records in both engines',
    (_name, policy) => mustBeEqual({ ...scenario, horizonUs: seconds(400) }, entryOf(policy)),
  )
})

/** Too many polls for a test that is run all the time. */
const LONG = new Set(['busy-and-idle.yaml', 'orphan-task-storm.yaml', 'orphan-task.yaml'])

/** Several channels tell of one thing at one instant, and the engines do not agree yet on which of them goes first. */
const SEVERAL_AT_ONCE = new Set(['approval.yaml push+poll:60s'])

const shipped = readdirSync(SCENARIOS, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.yaml') && !file.startsWith('policies'))
  .filter((file) => !LONG.has(file.split('/').at(-1) ?? ''))
  .toSorted()
  .flatMap((file) => entriesOf(file))

function entriesOf(file: string): { name: string; scenario: Scenario; entry: MechanismEntry }[] {
  let scenario: Scenario
  try {
    scenario = loadScenario(join(SCENARIOS, file)).scenario
  } catch {
    // A file may be about what comes later.
    return []
  }
  return scenario.mechanisms
    .filter(() => isCompared(scenario))
    .map((entry) => ({ name: `${file.split('/').at(-1) ?? ''} ${entry.word}`, scenario, entry }))
}

test('shipped scenarios are compared', () => {
  expect(shipped.length).toBeGreaterThan(50)
})

test.each(shipped.filter(({ name }) => !SEVERAL_AT_ONCE.has(name)))(
  '$name leaves the same records in both engines',
  ({ scenario, entry }) => mustBeEqual(scenario, entry),
)

test.each(shipped.filter(({ name }) => SEVERAL_AT_ONCE.has(name)))(
  '$name is not equal yet',
  async ({ scenario, entry }) => {
    const { replayed, lean } = await tellBoth(scenario, entry)
    expect(lean).not.toEqual(replayed)
  },
)

/** Seeds in which the same happens. */
const SEEDS_WITH_SEVERAL_AT_ONCE = [0, 5, 27, 41, 145, 161, 175, 181, 192, 228, 244, 270, 280, 347, 348]

function drawn(seed: number): { scenario: Scenario; entry: MechanismEntry } {
  const { scenario } = readScenario(textOf(drawScenario(seed)), 'drawn')
  return { scenario, entry: scenario.mechanisms[0] as MechanismEntry }
}

test('drawn worlds leave the same records in both engines', { timeout: 60_000 }, async () => {
  let compared = 0
  for (let seed = 0; seed < 400; seed++) {
    const { scenario, entry } = drawn(seed)
    if (!isCompared(scenario) || SEEDS_WITH_SEVERAL_AT_ONCE.includes(seed)) continue
    compared++
    const { replayed, lean } = await tellBoth(scenario, entry)
    expect(lean, `seed ${seed}, ${entry.word}`).toEqual(replayed)
  }
  expect(compared).toBeGreaterThan(150)
})

test.each(SEEDS_WITH_SEVERAL_AT_ONCE)('seed %i is not equal yet', async (seed) => {
  const { scenario, entry } = drawn(seed)
  const { replayed, lean } = await tellBoth(scenario, entry)
  expect(lean).not.toEqual(replayed)
})
