/** Resolved scenarios for tests, without a file. */
import type { Binding } from '../protocol/a2a.ts'
import type { StateWord } from '../protocol/states.ts'
import { fixed } from '../kernel/distribution.ts'
import type { Backoff, Waits } from '../policies/backoff.ts'
import type {
  BlockingPolicy,
  Policy,
  PollPolicy,
  PushPolicy,
  PushSending,
  StreamPolicy,
} from '../policies/policy.ts'
import type {
  AgentSettings,
  Job,
  MechanismEntry,
  PathSettings,
  ReceiverSettings,
  Scenario,
  Update,
} from '../scenario/scenario.ts'

const SECOND_US = 1_000_000

export const seconds = (count: number): number => count * SECOND_US

export const status = (atUs: number, state: StateWord, text?: string): Update => ({
  atUs,
  change: { of: 'status', state, content: text === undefined ? undefined : { text } },
})

export const chunk = (
  atUs: number,
  artifact: string,
  { append = false, lastChunk = false } = {},
): Update => ({
  atUs,
  change: { of: 'artifact', artifact, content: { text: 'a line of the report' }, append, lastChunk },
})

/** The published table's job: five updates in 100 s, the last three at one instant. */
export const HUNDRED_SECONDS: readonly Update[] = [
  status(0, 'working'),
  status(seconds(20), 'working', 'Searching venues.'),
  chunk(seconds(100), 'venues-shortlist'),
  chunk(seconds(100), 'venues-shortlist', { append: true, lastChunk: true }),
  status(seconds(100), 'completed', 'Here are the venues.'),
]

export const jobOf = (updates: readonly Update[]): Job => ({
  message: undefined,
  updates,
  afterPauses: [],
  durationUs: updates.at(-1)?.atUs,
  pollHintUs: undefined,
})

/** A backoff with nothing but its waits. */
export const backoffOf = (waits: Waits, more: Partial<Backoff> = {}): Backoff => ({
  waits,
  jitter: { of: 'none' },
  attempts: undefined,
  budgetUs: undefined,
  resetAfterUs: undefined,
  timeoutUs: undefined,
  ...more,
})

export const every = (us: number): Waits => ({ of: 'interval', interval: fixed(us) })
export const listOf = (...delaysUs: number[]): Waits => ({ of: 'list', delaysUs, last: 'ends' })

/** Three attempts, 1 s and 2 s apart; the default of `agent.push`. */
export const USUAL_SENDING: PushSending = {
  retry: backoffOf(
    { of: 'growing', initialUs: seconds(1), multiplier: 2, maxUs: undefined },
    { attempts: 3 },
  ),
  timeoutUs: seconds(10),
  events: 'all',
  ordered: true,
  giveUp: 'drop',
  disableAfter: undefined,
  signature: 'token',
}

/** An agent as a scenario has it that says nothing about it. */
export const QUIET_AGENT: AgentSettings = {
  binding: 'HTTP+JSON',
  protocol: 'a2a',
  errorProfile: '1.0.1',
  polling: {
    hints: [],
    hintVia: 'body',
    minIntervalUs: undefined,
    tooSoon: { answer: 'slow-down', addUs: 0 },
    holdUs: 0,
    etag: false,
  },
  streaming: {
    heartbeat: 'none',
    flush: 'at-once',
    replayUs: 0,
    lifetime: undefined,
    retryHintUs: undefined,
    buffer: undefined,
    closeOnInput: true,
  },
  push: USUAL_SENDING,
  blocking: { holdUs: undefined },
  ttl: undefined,
  history: undefined,
  quotas: [],
}

export const pathOf = (latencyUs = 0): PathSettings => ({
  latency: { up: fixed(latencyUs), down: fixed(latencyUs) },
  loss: 0,
  dribble: undefined,
  hops: [],
})

export const QUIET_RECEIVER: ReceiverSettings = {
  ...pathOf(),
  duplicate: 0,
  reorder: 0,
  service: fixed(0),
  handlers: undefined,
  queue: undefined,
  answer: 204,
  dedupe: true,
  accepts: 'any',
}

export interface ScenarioFacts {
  updates?: readonly Update[]
  latencyUs?: number
  binding?: Binding
  seed?: number
  horizonUs?: number
}

/** A scenario in which nothing bad happens; `more` replaces whole sections. */
export function scenarioOf(
  {
    updates = HUNDRED_SECONDS,
    latencyUs = 0,
    binding = 'HTTP+JSON',
    seed = 1,
    horizonUs,
  }: ScenarioFacts = {},
  more: Partial<Scenario> = {},
): Scenario {
  const durationUs = updates.at(-1)?.atUs ?? 0
  return {
    name: 'test',
    files: [{ file: 'test.yaml', sha256: '' }],
    question: undefined,
    description: undefined,
    sources: [],
    seed,
    horizonUs: horizonUs ?? durationUs + seconds(3600),
    job: { ...jobOf(updates), message: { text: 'Find a venue in Lisbon for 120 people.' } },
    agent: { ...QUIET_AGENT, binding },
    client: {
      name: undefined,
      timeoutUs: undefined,
      firstByteUs: undefined,
      idleUs: undefined,
      connections: undefined,
      clock: { rate: 1, offsetUs: 0 },
      card: 'known',
    },
    network: pathOf(latencyUs),
    receiver: QUIET_RECEIVER,
    faults: [],
    replications: 1,
    mechanisms: [],
    thresholds: [],
    expectations: [],
    ...more,
  }
}

export const entryOf = (policy: Policy): MechanismEntry => ({ label: undefined, word: policy.kind, policy })

/** A poll with nothing but its waits. */
export const pollBy = (waits: Waits, more: Partial<PollPolicy> = {}): PollPolicy => ({
  kind: 'poll',
  waits,
  jitter: { of: 'none' },
  first: 'now',
  waitFrom: 'response',
  minUs: undefined,
  maxUs: undefined,
  attempts: undefined,
  budgetUs: undefined,
  lastLookUs: undefined,
  hint: 'ignore',
  margin: 1,
  retryAfter: 'honour',
  slowDown: 'ignore',
  on429: 'next',
  onError: 'next',
  adapt: undefined,
  conditional: false,
  hold: undefined,
  timeoutUs: undefined,
  scope: 'task',
  concurrency: undefined,
  batch: undefined,
  ...more,
})

export const pollEvery = (intervalUs: number, firstAfterUs = 0): PollPolicy =>
  pollBy(every(intervalUs), { first: firstAfterUs === 0 ? 'now' : fixed(firstAfterUs) })

export const streamBy = (more: Partial<StreamPolicy> = {}): StreamPolicy => ({
  kind: 'stream',
  heartbeat: undefined,
  watchdogUs: undefined,
  reconnect: undefined,
  retryAfter: 'honour',
  retryHint: 'honour',
  resume: 'snapshot',
  cleanClose: 'reconnect',
  timeoutUs: undefined,
  ...more,
})

export const pushBy = (more: Partial<PushPolicy> = {}): PushPolicy => ({
  kind: 'push',
  sending: {},
  get: 'never',
  register: 'with-send',
  ...more,
})

export const blockingBy = (more: Partial<BlockingPolicy> = {}): BlockingPolicy => ({
  kind: 'blocking',
  holdUs: undefined,
  timeoutUs: undefined,
  onError: 'next',
  ...more,
})
