/**
 * Every number of a row, in the order of the result: what thresholds and
 * expectations call it, where it stands in the row, and what it says to people.
 * Columns, assessments, CSV and JSON all derive from this table.
 */
import type { SinglePolicy } from '../policies/policy.ts'
import type { Row } from './row.ts'

export interface Metric {
  /** As scenarios write it: the path in the row without the suffix of its unit. */
  name: string
  unit: 'time' | 'count' | 'octets' | 'share' | 'rate'
  /** Where the row keeps it. Times are kept in ms but where `inSeconds` says otherwise. */
  path: readonly string[]
  inSeconds?: true
  /** For what has many values in one run: which of its aggregates the row keeps, below `path`. */
  kept?: readonly string[]
  /** Has no value in a run that never learned, and counts as beyond all others there. */
  censored?: boolean
  /** Without a policy of this kind the question does not apply, unless the number says otherwise. */
  of?: SinglePolicy['kind']
  /** A few words, as over a column. */
  title: string
  /** What the number says, as a sentence for people. */
  meaning: string
}

const count = (
  path: string,
  title: string,
  meaning: string,
  more: Partial<Pick<Metric, 'name' | 'of'>> = {},
): Metric => ({ name: path, unit: 'count', path: path.split('.'), title, meaning, ...more })

const octets = (part: string, meaning: string): Metric => ({
  name: `octets.${part}`,
  unit: 'octets',
  path: ['octets', part],
  title: `octets ${part}`,
  meaning,
})

const time = (
  name: string,
  title: string,
  meaning: string,
  more: Partial<Pick<Metric, 'censored' | 'kept' | 'of'>> = {},
): Metric => ({ name, unit: 'time', path: [`${name}Ms`], title, meaning, ...more })

export const METRICS: readonly Metric[] = [
  {
    name: 'learned',
    unit: 'share',
    path: ['learned'],
    title: 'learned',
    meaning: 'Of the runs, the share in which the client learned of the end; of one run 1 or 0.',
  },
  count(
    'requests',
    'requests',
    'Requests the client sends to the agent: the send that begins the job, and every poll.',
  ),
  count('polls', 'polls', 'GetTask requests of the client.', { of: 'poll' }),
  count('emptyPolls', 'empty polls', 'Polls whose answer told nothing new.', { of: 'poll' }),
  count(
    'webhookPosts',
    'webhook posts',
    "Posts of the agent to the client's webhook, failed ones included.",
    { of: 'push' },
  ),
  count(
    'streamEvents',
    'stream events',
    'Server-sent events that arrived, the opening snapshot of the task included.',
    { of: 'stream' },
  ),
  count('heartbeats', 'heartbeats', 'Comment lines that arrived and only say that a stream lives.', {
    of: 'stream',
  }),
  count('retries', 'retries', 'Webhook posts tried again after a failure.', { of: 'push' }),
  count('reconnects', 'reconnects', 'Streams opened again after the first.', { of: 'stream' }),
  count(
    'cuts',
    'cuts',
    "Exchanges ended before their time and not by the client's wish: by a hop, a limit, a fault or the agent.",
  ),
  count('notModified', 'not modified', 'Polls answered 304: nothing changed.', { of: 'poll' }),
  count('slowDowns', 'slow downs', 'Polls the agent called too frequent (slow_down).', { of: 'poll' }),
  count('throttled', 'answers 429', 'Requests answered 429.'),
  count('removed', 'hooks removed', 'Webhooks the agent gave up on and removed.', { of: 'push' }),
  count('updates.happened', 'updates', 'Changes of the task at the agent.'),
  count(
    'updates.learned',
    'updates learned',
    'Updates the client knew in the end, themselves or through a later one that replaces them.',
  ),
  count(
    'updates.coalesced',
    'updates coalesced',
    'Updates superseded before the client looked: known only through their successor.',
  ),
  count(
    'updates.lost',
    'updates lost',
    'Updates of which the client knew neither them nor one that replaces them.',
  ),
  count(
    'updates.messagesLost',
    'messages lost',
    'Status messages nobody read: a later status replaces a status, but not what it said.',
  ),
  count(
    'updates.duplicate',
    'told twice',
    'Stream events and posts that told of an update that was known already.',
  ),
  octets('total', 'All octets on the wire, both ways: up + down, which is head + body.'),
  octets('up', "What the client's side sends: its requests, and its answers to webhook posts."),
  octets('down', "What the client's side receives: answers, stream events, and webhook posts."),
  octets('head', 'The part of the total that is HTTP/1.1: request and status lines, headers, chunk sizes.'),
  octets('body', 'The part of the total that is content, `data: ` framing of stream events included.'),
  octets(
    'waste',
    'The part of the total that is polls, posts and streams opened again that brought no news.',
  ),
  time(
    'timeToLearn',
    'time to learn',
    'From the instant the job ended at the agent to the instant the client knew.',
    { censored: true },
  ),
  time('learnedAt', 'learned at', 'When the client knew that the job ended, from the start of the run.', {
    censored: true,
  }),
  time('failedAt', 'failed at', 'When the client was told that it cannot go on, from the start of the run.'),
  time('blindTime', 'blind time', 'How long a stream should have been open and was not.', { of: 'stream' }),
  time('lateness', 'lateness', 'From each update to the instant the client knew it or a later one.', {
    kept: ['mean', 'p50', 'p95', 'max'],
    censored: true,
  }),
  time(
    'age',
    'age',
    'How old the newest update is that the client knows: average over time, and largest. It grows even if nothing happens.',
    { kept: ['mean', 'max'] },
  ),
  time(
    'staleness',
    'staleness',
    "Since when the client's copy has not been right, 0 while it is: average over time, and largest.",
    { kept: ['mean', 'max'] },
  ),
  {
    name: 'freshness',
    unit: 'share',
    path: ['freshness'],
    title: 'freshness',
    meaning: "Share of the time in which the client's copy was right.",
  },
  {
    name: 'waste',
    unit: 'share',
    path: ['waste'],
    of: 'poll',
    title: 'waste',
    meaning: 'Share of polls that brought no news.',
  },
  {
    name: 'requestsPerSecond',
    unit: 'rate',
    path: ['requestsPerSecond'],
    title: 'requests per second',
    meaning: 'Requests of the client per second, on average, until the end was learned.',
  },
  count('connections.opened', 'conn. opened', 'TCP connections opened, those of webhook posts included.'),
  count('connections.peak', 'conn. peak', 'Most TCP connections open at once.'),
  {
    name: 'connectionTime',
    unit: 'time',
    path: ['connections', 'seconds'],
    inSeconds: true,
    title: 'conn. time',
    meaning: 'How long the connections were open, summed over all of them.',
  },
]

const BY_NAME: ReadonlyMap<string, Metric> = new Map(METRICS.map((metric) => [metric.name, metric]))

/** @throws RangeError if there is no such metric */
export function metricOf(name: string): Metric {
  const metric = BY_NAME.get(name)
  if (metric === undefined) throw new RangeError(`no row tells ${name}`)
  return metric
}

/** The paths of all numbers of a row, in the order of the result. */
export const numbersOf = ({ path, kept }: Metric): readonly (readonly string[])[] =>
  kept === undefined ? [path] : kept.map((aggregate) => [...path, aggregate])

/** The number at a path; `null` where the row has none. */
export function valueAt(row: Row, path: readonly string[]): number | null {
  let value: unknown = row
  for (const key of path) {
    if (value === null) return null
    value = (value as Record<string, unknown>)[key]
  }
  return value as number | null
}
