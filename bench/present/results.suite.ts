/** Hand-made results for the tests of presentation: no simulation is needed to test a table. */
import type { Row, Scenario } from '../../sim/index.ts'
import { scenarioOf, seconds, status } from '../../sim/testing/scenario.ts'
import type { Experiment, ScenarioResult } from '../experiment/experiment.ts'

const SHA = '0123456789abcdef'.repeat(4)

export const aScenario = (changes: Partial<Scenario> = {}): Scenario =>
  scenarioOf(
    { updates: [status(seconds(100), 'completed')] },
    {
      name: 'hundred-seconds',
      files: [{ file: 'my/hundred-seconds.yaml', sha256: SHA }],
      question: 'What does it cost to learn that a 100 s search is finished?',
      ...changes,
    },
  )

/** A row that learned on time with one request; everything else as given. */
export const aRow = (changes: Partial<Row> = {}): Row => ({
  mechanism: 'stream',
  policy: 'stream',
  outcome: 'learned',
  learned: 1,
  requests: 1,
  polls: 0,
  emptyPolls: 0,
  webhookPosts: 0,
  streamEvents: 0,
  heartbeats: 0,
  retries: 0,
  reconnects: 0,
  cuts: 0,
  notModified: 0,
  slowDowns: 0,
  throttled: 0,
  removed: 0,
  updates: { happened: 1, learned: 1, coalesced: 0, lost: 0, messagesLost: 0, duplicate: 0 },
  octets: { total: 3_000, up: 1_000, down: 2_000, head: 627, body: 2_373, waste: 0 },
  timeToLearnMs: 0,
  learnedAtMs: 100_000,
  failedAtMs: null,
  blindTimeMs: 0,
  latenessMs: { mean: 0, p50: 0, p95: 0, max: 0 },
  ageMs: { mean: 50_000, max: 100_000 },
  stalenessMs: { mean: 0, max: 0 },
  freshness: 1,
  waste: null,
  requestsPerSecond: 0.01,
  connections: { opened: 1, peak: 1, seconds: 104 },
  ...changes,
})

/** A row of polls, late by `timeToLearnMs`. */
export const aPoll = (seconds: number, requests: number, timeToLearnMs: number | null, total: number): Row =>
  aRow({
    mechanism: `poll every ${seconds} s`,
    policy: `poll:${seconds}s`,
    outcome: timeToLearnMs === null ? 'not-learned' : 'learned',
    requests,
    polls: requests - 1,
    emptyPolls: requests - 3,
    octets: { total, up: total - 1_000, down: 1_000, head: 500, body: total - 500, waste: 0 },
    timeToLearnMs,
    learnedAtMs: timeToLearnMs === null ? null : 100_000 + timeToLearnMs,
    connections: { opened: requests, peak: 1, seconds: 4 * requests },
  })

export const aResult = (changes: Partial<ScenarioResult> = {}): ScenarioResult => ({
  scenario: aScenario(),
  assumptions: ['no latency', 'the agent card is known'],
  changes: [],
  policies: [],
  variants: [],
  rows: [
    aPoll(1, 102, 0, 113_357),
    aPoll(30, 6, 20_000, 7_031),
    aRow({ mechanism: 'stream (server-sent events)', streamEvents: 6 }),
  ],
  misses: [],
  ...changes,
})

export const anExperiment = (...scenarios: ScenarioResult[]): Experiment => ({
  version: '0.1.0',
  command: ['run', 'my/hundred-seconds.yaml'],
  scenarios: scenarios.length > 0 ? scenarios : [aResult()],
})
