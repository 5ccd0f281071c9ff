/**
 * The polling league: reference results computed independently of this project,
 * for the waits of real clients. The job's length lies in [0.8 T, 1.2 T], taken at
 * 4,001 evenly spaced midpoints (20,000 seeded draws where the policy itself is
 * random); there is no latency, a poll at t sees the job done if t >= length, and
 * the successful poll is counted. 95th percentiles are the element of index
 * floor(0.95 N), counted from 0. In rows marked `timesOut` the budget named in
 * the title is not applied.
 */
import type { PollPolicy } from '../../policies/policy.ts'
import { every, pollBy } from '../../testing/scenario.ts'

const S = 1_000_000

const growing = (initialUs: number, multiplier: number, maxUs: number) =>
  ({ of: 'growing', initialUs, multiplier, maxUs }) as const

export interface LeagueRow {
  jobS: number
  /** At a length of exactly T. */
  exact?: { polls: number; lateS: number }
  pollsMean: number
  lateMeanS: number
  lateP95S: number
  timesOut?: true
}

const row = (
  jobS: number,
  polls: number | undefined,
  lateS: number,
  pollsMean: number,
  lateMeanS: number,
  lateP95S: number,
): LeagueRow => ({
  jobS,
  ...(polls !== undefined && { exact: { polls, lateS } }),
  pollsMean,
  lateMeanS,
  lateP95S,
})

export const LEAGUE: { title: string; policy: PollPolicy; rows: LeagueRow[] }[] = [
  {
    title: 'fixed 1 s (A2A demo UI, old fastmcp)',
    policy: pollBy(every(S)),
    rows: [row(3, 4, 0, 4.5, 0.5, 0.94), row(20, 21, 0, 21.5, 0.5, 0.95), row(180, 181, 0, 181.5, 0.5, 0.95)],
  },
  {
    title: 'azure core-lro JS, inference.sh: 2 s',
    policy: pollBy(every(2 * S)),
    rows: [row(3, 3, 1, 3, 1, 1.54), row(20, 11, 0, 11.5, 1, 1.9), row(180, 91, 0, 91.5, 1, 1.9)],
  },
  {
    title: 'fixed 5 s (openai-node, MCP tasks, ARK A2A, aws s3)',
    policy: pollBy(every(5 * S)),
    rows: [row(3, 2, 2, 2, 2, 2.54), row(20, 5, 0, 5.5, 2.499, 4.598), row(180, 37, 0, 37.5, 2.499, 4.759)],
  },
  {
    title: 'gh device flow, 6 s (5 s x 1.2)',
    policy: pollBy(every(5 * S), { first: 'after', margin: 1.2 }),
    rows: [row(3, 1, 3, 1, 3, 3.54), row(20, 4, 4, 3.75, 2.5, 5.6), row(180, 30, 0, 30.5, 2.999, 5.699)],
  },
  {
    title: 'fixed 7 s, the first after 7 s',
    policy: pollBy(every(7 * S), { first: 'after' }),
    rows: [row(3, 1, 4, 1, 4, 4.54), row(20, 3, 1, 3.37, 3.624, 6.598), row(180, 26, 2, 26.21, 3.452, 6.626)],
  },
  {
    title: 'aws ec2.InstanceRunning, 15 s x 40',
    policy: pollBy(every(15 * S), { attempts: 40 }),
    rows: [row(3, 2, 12, 2, 12, 12.54), row(20, 3, 10, 3, 10, 13.599), row(180, 13, 0, 13.5, 7.498, 14.279)],
  },
  {
    title: 'fixed 30 s, the first after 30 s (azcore-go, azure python)',
    policy: pollBy(every(30 * S), { first: 'after' }),
    rows: [row(3, 1, 27, 1, 27, 27.54), row(20, 1, 10, 1, 10, 13.599), row(180, 6, 0, 6.5, 14.996, 28.794)],
  },
  {
    title: 'opencode-a2a, 0.5 s x 2 up to 2 s (budget 10 s)',
    policy: pollBy(growing(0.5 * S, 2, 2 * S), { budgetUs: 10 * S }),
    rows: [
      row(3, 4, 0.5, 4.08, 0.666, 1.94),
      { ...row(20, 13, 1.5, 12.75, 1, 1.9), timesOut: true },
      { ...row(180, 93, 1.5, 92.75, 1, 1.9), timesOut: true },
    ],
  },
  {
    title: 'fastmcp client, 0.02 s x 2 up to 5 s',
    policy: pollBy(growing(0.02 * S, 2, 5 * S), { first: 'after' }),
    rows: [
      row(3, 8, 2.1, 7.88, 1.801, 2.5),
      row(20, 11, 0.1, 11.49, 2.537, 4.598),
      row(180, 43, 0.1, 43.48, 2.496, 4.759),
    ],
  },
  {
    title: 'gapic legacy LRO, 0.5 s x 1.5 up to 5 s (budget 300 s)',
    policy: pollBy(growing(0.5 * S, 1.5, 5 * S), { budgetUs: 300 * S }),
    rows: [
      row(3, 5, 1.062, 5, 1.062, 1.602),
      row(20, 9, 0.391, 9.45, 2.646, 4.599),
      row(180, 41, 0.391, 41.42, 2.484, 4.76),
    ],
  },
  {
    title: 'smithy, AWS JS v3 waiter, 2 s to 120 s, uniform growth',
    policy: pollBy(growing(2 * S, 2, 120 * S), { jitter: { of: 'uniform-growth' } }),
    rows: [
      row(3, undefined, 0, 3, 1.997, 3.114),
      row(20, undefined, 0, 5.63, 10.672, 27.907),
      row(180, undefined, 0, 8.38, 54.978, 115.811),
    ],
  },
]
