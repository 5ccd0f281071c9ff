/**
 * What the format has and this release has not, place by place. A key found
 * here is refused by its name; it is never ignored and never called unknown.
 */
import { notYet } from './values.ts'

/** For each key what to do instead, or what will come. */
type Later = Readonly<Record<string, string>>

const ONE_JOB = 'one job is played at a time'
const QUIET_NETWORK = 'nothing stands between client and agent, and nothing is lost'
const OPEN_AGENT = 'the agent answers at once and without limits'
const TWO_ENTRIES = 'write two entries'
const POSTS = 'webhooks are posted once, in order, for every update'
const ALL_EVENTS = 'the agent streams every update at once and sends no heartbeats'

const of = (instead: string, ...keys: string[]): Later =>
  Object.fromEntries(keys.map((key) => [key, instead]))

/** Places are paths with `[]` for an entry of a list; a mechanism inside another has the place of its kind. */
const LATER: Readonly<Record<string, { name: string; keys: Later }>> = {
  '': {
    name: '',
    keys: {
      replications: 'nothing is random yet, so one run says all',
      ...of(ONE_JOB, 'jobs', 'fleet'),
      client: 'the client has no limits of its own',
      receiver: 'webhooks are always received',
      faults: 'nothing fails',
      wire: 'HTTP/1.1 without TLS and TCP is counted',
      prices: 'octets and requests are counted, money is not',
      objective: 'compare mechanisms by hand, and hold them to thresholds',
      vary: 'use --set for one value at a time',
      claims: 'expect says what should come out',
    },
  },
  job: { name: 'job.', keys: { pollHint: 'the agent gives no hints' } },
  'job.updates[]': {
    name: 'updates.',
    keys: {
      every: 'write one entry for each update, or a number of updates',
      from: 'it belongs to every',
      until: 'it belongs to every',
      resume: 'a task cannot pause yet',
    },
  },
  'job.result': { name: 'result.', keys: { chunks: 'write the chunks as updates' } },
  agent: {
    name: 'agent.',
    keys: {
      protocol: 'A2A is spoken',
      polling: 'the agent answers every poll and gives no hints',
      blocking: 'a send is answered at once',
      ttl: 'tasks are kept for ever',
      history: 'all messages are returned',
      ...of(OPEN_AGENT, 'capacity', 'quota'),
      defects: 'the agent is correct',
    },
  },
  'agent.streaming': {
    name: 'streaming.',
    keys: of(ALL_EVENTS, 'heartbeat', 'flush', 'replay', 'lifetime', 'retryHint', 'buffer', 'closeOnInput'),
  },
  'agent.push': {
    name: 'push.',
    keys: of(POSTS, 'retry', 'timeout', 'events', 'ordered', 'giveUp', 'disableAfter', 'signature'),
  },
  network: { name: 'network.', keys: of(QUIET_NETWORK, 'loss', 'dribble', 'hops') },
  'mechanisms[]': {
    name: '',
    keys: {
      mix: TWO_ENTRIES,
      thresholds: 'write them for the whole scenario',
    },
  },
  'expect[]': { name: 'expect.', keys: { given: 'write one scenario for each variant, with extends' } },
}

/** The sentence for a key of the format that this release lacks, `undefined` if it is no such key. */
export function laterProblem(place: string, key: string): string | undefined {
  const found = LATER[place]
  const instead = found && Object.hasOwn(found.keys, key) ? found.keys[key] : undefined
  if (found === undefined || instead === undefined) return undefined
  return notYet(`${found.name}${key}`, instead)
}

/** Keys of the format that this release lacks at a place. */
export const laterKeys = (place: string): string[] => Object.keys(LATER[place]?.keys ?? {})

/** Every place with such keys, for the tests and the documentation. */
export const LATER_PLACES: readonly string[] = Object.keys(LATER)

/** The name of a place in messages and on this page: `mechanisms[].poll` is `poll`. */
export const placeName = (path: readonly (string | number)[]): string =>
  path
    .map((step) => (/^\d+$/.test(String(step)) ? '[]' : String(step)))
    .join('.')
    .replaceAll('.[]', '[]')
    .replace(/^mechanisms\[\]\.(?:[a-z]+\.(?:else|with)\.)*/, '')
