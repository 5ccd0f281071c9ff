import { msOf } from '../kernel/units.ts'
import type { GaveUpRecord, RunRecord } from '../records/record.ts'
import { ageOf } from './age.ts'
import { fatesOf, type UpdateFate } from './learning.ts'
import { isEmptyPoll, isNotModified, isPoll, isThrottled } from './polls.ts'
import { quantile } from './quantile.ts'
import type { Row } from './row.ts'
import { spanOf } from './span.ts'
import { stalenessOf } from './staleness.ts'
import { arrivalsOf, blindTimeUs, isCut, isReconnect, streamsOf } from './streams.ts'
import { connectionsOf, countExchanges, exchangesOf, octetsOf } from './traffic.ts'
import { isWaste, newsBearers } from './waste.ts'

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
  const span = spanOf(records, fates, endUs)
  const seconds = (span.untilUs - span.fromUs) / 1e6
  const bearers = newsBearers(records)
  const requests = countExchanges(exchanges, ({ from }) => from === 'client')
  const polls = countExchanges(exchanges, isPoll)
  const age = ageOf(fates, span)
  const staleness = stalenessOf(fates, span)
  const numberOf = (kind: RunRecord['kind']) => records.filter((record) => record.kind === kind).length
  return {
    mechanism,
    policy,
    ...outcomeOf(end, records),
    learned: end === undefined ? 0 : 1,
    requests,
    polls,
    emptyPolls: countExchanges(exchanges, isEmptyPoll),
    webhookPosts: countExchanges(exchanges, ({ to }) => to === 'receiver'),
    streamEvents: arrivalsOf(streams, 'event'),
    heartbeats: arrivalsOf(streams, 'heartbeat'),
    retries: numberOf('retry'),
    reconnects: streams.filter((stream) => isReconnect(stream, streams)).length,
    cuts: countExchanges(exchanges, (exchange) => isCut(exchange, end?.learnedUs)),
    notModified: countExchanges(exchanges, isNotModified),
    slowDowns: numberOf('slow-down'),
    throttled: countExchanges(exchanges, isThrottled),
    removed: numberOf('removed'),
    updates: {
      happened: fates.length,
      learned: learned.length,
      coalesced: learned.filter(({ coalesced }) => coalesced).length,
      lost: fates.length - learned.length,
      messagesLost: fates.filter(({ messageLost }) => messageLost).length,
      duplicate: numberOf('duplicate'),
    },
    octets: octetsOf(exchanges, (exchange) => isWaste(exchange, bearers)),
    timeToLearnMs: end === undefined ? null : msOf(latenessUsOf(end)),
    learnedAtMs: end?.learnedUs === undefined ? null : msOf(end.learnedUs),
    failedAtMs: end === undefined ? failedAtMs(records) : null,
    blindTimeMs: msOf(blindTimeUs(streams, records, span)),
    latenessMs: latenessSummary(learned),
    ageMs: age === undefined ? null : { mean: wholeUs(age.meanUs), max: msOf(age.maxUs) },
    stalenessMs:
      staleness === undefined ? null : { mean: wholeUs(staleness.meanUs), max: msOf(staleness.maxUs) },
    freshness: staleness?.fresh ?? null,
    waste: polls === 0 ? null : countExchanges(exchanges, (e) => isPoll(e) && isWaste(e, bearers)) / polls,
    requestsPerSecond: seconds > 0 ? requests / seconds : null,
    connections: connectionsOf(records),
  }
}

/** Averages over time, in ms down to the microsecond: they are no finer than what they average. */
const wholeUs = (us: number): number => msOf(Math.round(us))

function outcomeOf(
  end: UpdateFate | undefined,
  records: readonly RunRecord[],
): Pick<Row, 'outcome' | 'reason'> {
  if (end !== undefined) return { outcome: 'learned' }
  const gaveUp = givenUp(records)
  if (gaveUp !== undefined) return { outcome: gaveUp.outcome, reason: gaveUp.reason }
  return { outcome: 'not-learned', reason: 'the run reached its horizon first' }
}

const givenUp = (records: readonly RunRecord[]): GaveUpRecord | undefined =>
  records.find((record) => record.kind === 'gave-up')

function failedAtMs(records: readonly RunRecord[]): number | null {
  const gaveUp = givenUp(records)
  return gaveUp?.outcome === 'failed' ? msOf(gaveUp.atUs) : null
}

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
