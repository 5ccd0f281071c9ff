import { msOf } from '../kernel/units.ts'
import type { ExchangeRecord, GaveUpRecord, RunRecord, StreamArrival } from '../records/record.ts'
import { fatesOf, type UpdateFate } from './learning.ts'
import { quantile } from './quantile.ts'
import type { Row } from './row.ts'
import { blindTimeUs, connectionsOf, countExchanges, exchangesOf, octetsOf, streamsOf } from './traffic.ts'

export interface RunFacts {
  /** The row's name for people, and the policy word that gives it. */
  mechanism: string
  policy: string
  records: readonly RunRecord[]
  /** When the run ended: everything settled, or the horizon. */
  endUs: number
}

/** The row of one run, from its records alone. */
export function rowOf({ mechanism, policy, records, endUs }: RunFacts): Row {
  const exchanges = exchangesOf(records)
  const streams = streamsOf(exchanges)
  const fates = fatesOf(records)
  const learned = fates.filter((fate) => fate.learnedUs !== undefined)
  const end = learned.find((fate) => fate.terminal)
  const isPoll = ({ from, operation }: ExchangeRecord) => from === 'client' && operation === 'GetTask'
  return {
    mechanism,
    policy,
    ...outcomeOf(end, records),
    requests: countExchanges(exchanges, ({ from }) => from === 'client'),
    polls: countExchanges(exchanges, isPoll),
    emptyPolls: countExchanges(exchanges, (exchange) => isPoll(exchange) && exchange.news === false),
    webhookPosts: countExchanges(exchanges, ({ to }) => to === 'receiver'),
    streamEvents: arrivalsOf(streams, 'event'),
    heartbeats: arrivalsOf(streams, 'heartbeat'),
    retries: records.filter(({ kind }) => kind === 'retry').length,
    reconnects: Math.max(0, streams.length - 1),
    cuts: streams.filter((stream) => wasCut(stream, end)).length,
    updates: {
      happened: fates.length,
      learned: learned.length,
      coalesced: learned.filter(({ coalesced }) => coalesced).length,
      lost: fates.length - learned.length,
      messagesLost: fates.filter(({ messageLost }) => messageLost).length,
      duplicate: records.filter(({ kind }) => kind === 'duplicate').length,
    },
    octets: octetsOf(exchanges),
    timeToLearnMs: end === undefined ? null : msOf(latenessUsOf(end)),
    learnedAtMs: end?.learnedUs === undefined ? null : msOf(end.learnedUs),
    blindTimeMs: msOf(blindTimeUs(streams, end?.learnedUs ?? endUs)),
    latenessMs: latenessSummary(learned),
    connections: connectionsOf(records),
  }
}

function outcomeOf(
  end: UpdateFate | undefined,
  records: readonly RunRecord[],
): Pick<Row, 'outcome' | 'reason'> {
  if (end !== undefined) return { outcome: 'learned' }
  const gaveUp = records.find((record): record is GaveUpRecord => record.kind === 'gave-up')
  if (gaveUp !== undefined) return { outcome: gaveUp.outcome, reason: gaveUp.reason }
  return { outcome: 'not-learned', reason: 'the run reached its horizon first' }
}

const arrivalsOf = (streams: readonly ExchangeRecord[], of: StreamArrival['of']): number =>
  streams.reduce((sum, { arrivals = [] }) => sum + arrivals.filter((arrival) => arrival.of === of).length, 0)

/** A stream that ended before the end of the task was known, unless the client broke it off. */
const wasCut = ({ outcome, endUs }: ExchangeRecord, end: UpdateFate | undefined): boolean =>
  (outcome === 'complete' || outcome === 'failed') &&
  endUs !== undefined &&
  (end?.learnedUs === undefined || endUs < end.learnedUs)

const latenessUsOf = ({ happenedUs, learnedUs }: UpdateFate): number => (learnedUs as number) - happenedUs

function latenessSummary(learned: readonly UpdateFate[]): Row['latenessMs'] {
  if (learned.length === 0) return null
  const ascending = learned.map(latenessUsOf).toSorted((a, b) => a - b)
  const sumUs = ascending.reduce((sum, us) => sum + us, 0)
  return {
    mean: msOf(sumUs / ascending.length),
    p50: msOf(quantile(ascending, 0.5)),
    p95: msOf(quantile(ascending, 0.95)),
    max: msOf(quantile(ascending, 1)),
  }
}
