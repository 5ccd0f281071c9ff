/** A fleet without a file, and a row about one. */
import { fixed } from '../kernel/distribution.ts'
import type { FleetRow, OverTime } from '../metrics/fleet-row.ts'
import type { Fleet } from '../scenario/fleet.ts'

const HOUR_US = 3_600_000_000

export const aFleet = (changes: Partial<Fleet> = {}): Fleet => ({
  arrivals: { of: 'poisson', size: { of: 'rate', perSecond: 2 }, withinUs: 2 * HOUR_US },
  jobs: [
    {
      name: undefined,
      amount: { of: 'share', share: 1 },
      job: {
        message: undefined,
        pollHintUs: undefined,
        length: fixed(20_000_000),
        updates: [],
        evenly: 0,
        result: [],
        outcome: 'completed',
      },
    },
  ],
  warmupUs: HOUR_US,
  windowUs: HOUR_US,
  cooldownUs: undefined,
  clients: undefined,
  binUs: 1_000_000,
  ...changes,
})

const exact = (value: number) => ({ value, plusMinus: null })

export const overTime = (mean: number, peak: number, series: readonly number[] = [1, 2]): OverTime => ({
  mean: { value: mean, plusMinus: mean / 100 },
  peak: exact(peak),
  series,
})

/** Tasks that all learned a second late on average; everything else as given. */
export const aFleetRow = (changes: Partial<FleetRow> = {}): FleetRow => ({
  mechanism: 'poll every 5 s',
  policy: 'poll:5s',
  executions: [{ share: 1, policy: 'poll:5s', name: 'sweep', why: 'no task meets another' }],
  replications: 1,
  tasks: 7_200,
  outcomes: { learned: 7_200, notLearned: 0, failed: 0, unfinished: 0 },
  reasons: [],
  requests: 43_200,
  polls: 36_000,
  emptyPolls: 28_800,
  webhookPosts: 0,
  streamEvents: 0,
  heartbeats: 0,
  retries: 0,
  reconnects: 0,
  cuts: 0,
  notModified: 0,
  slowDowns: 0,
  throttled: 0,
  rejected: 0,
  removed: 0,
  updates: { happened: 7_200, learned: 7_200, coalesced: 0, lost: 0, messagesLost: 0, duplicate: 0 },
  octets: { total: 57_600_000, up: 20_000_000, down: 37_600_000, head: 30_000_000, body: 27_600_000 },
  load: overTime(12, 31, [10, 14]),
  requestsInFlight: overTime(1.2, 9, [0, 2]),
  connectionsOpen: overTime(48.04, 71, [40, 56]),
  connections: { opened: 7_200, seconds: 172_944 },
  timeToLearnMs: {
    mean: { value: 1_000, plusMinus: 19.6 },
    p50: exact(900),
    p90: exact(1_900),
    p95: exact(2_000),
    p99: exact(2_400),
    p999: exact(2_450.5),
    max: 2_500,
    exact: true,
  },
  waitingMs: null,
  overload: null,
  binMs: 1_000,
  checksum: '0badcafe',
  ...changes,
})
