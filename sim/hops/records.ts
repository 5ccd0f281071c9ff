/**
 * The records of a modelled stream, so that its numbers are those of any other
 * run. Octets are not among them: the model knows none.
 */
import type { HopRun } from '../mechanisms/streaming/hop-model.ts'
import type { ModelExchange } from '../mechanisms/streaming/listening.ts'
import type { ExchangeRecord, HappenedRecord, RunRecord } from '../records/record.ts'
import type { Update } from '../scenario/scenario.ts'

/** @param upUs when the agent receives the send */
export function recordsOf(
  run: HopRun,
  updates: readonly Update[],
  { upUs, horizonUs, ends }: { upUs: number; horizonUs: number; ends: boolean },
): RunRecord[] {
  const happened = updates
    .map((update, index) => happening(update, index, upUs, ends && index === updates.length - 1))
    .filter(({ atUs }) => atUs < horizonUs)
  const last = (happened.at(-1)?.terminal === true ? happened.length : Infinity) - 1
  return [
    ...happened,
    ...run.exchanges.map(exchange),
    ...run.learned.map(({ atUs, updates: told, by }) => ({
      kind: 'learned' as const,
      atUs,
      updates: told,
      by,
      terminal: told.includes(last),
      exchange: undefined,
    })),
    ...(run.gaveUp === undefined ? [] : [{ kind: 'gave-up' as const, ...run.gaveUp }]),
  ]
}

/** When the run is over: nobody listens any more, and the agent has nothing left to do. */
export function endUsOf(
  { exchanges, learnedUs, gaveUp }: HopRun,
  updates: readonly Update[],
  { upUs, horizonUs, ends }: { upUs: number; horizonUs: number; ends: boolean },
): number {
  if (learnedUs === undefined && (gaveUp === undefined || !ends)) return horizonUs
  const lastUs = (updates.at(-1)?.atUs ?? 0) + upUs
  return Math.min(horizonUs, Math.max(lastUs, ...exchanges.map(({ endUs }) => endUs ?? 0)))
}

function happening(
  { atUs, change }: Update,
  update: number,
  upUs: number,
  terminal: boolean,
): HappenedRecord {
  const words = change.of === 'status' ? change.state : `artifact ${change.artifact}`
  return {
    kind: 'happened',
    atUs: atUs + upUs,
    update,
    change: words,
    topic: change.of === 'status' ? 'status' : words,
    replaces: change.of === 'status' || !change.append,
    message: change.of === 'status' && change.content !== undefined,
    terminal,
  }
}

const NO_OCTETS = { requestHead: 0, requestBody: 0, responseHead: 0, responseBody: 0 }

function exchange(
  { operation, startUs, endUs, status, outcome, cut, silentSinceUs, events, heartbeats }: ModelExchange,
  index: number,
): ExchangeRecord {
  const isStream = operation !== 'GetTask' && status === 200
  const arrivals = [
    ...events.map((atUs) => ({ atUs, of: 'event' as const, says: '' })),
    ...heartbeats.map((atUs) => ({ atUs, of: 'heartbeat' as const, says: '' })),
  ].toSorted((a, b) => a.atUs - b.atUs)
  return {
    kind: 'exchange',
    number: index + 1,
    from: 'client',
    to: 'agent',
    operation,
    startUs,
    endUs,
    status,
    octets: NO_OCTETS,
    outcome,
    ...(isStream && { arrivals }),
    // That the agent ended it nobody on the wire can tell.
    ...(cut !== undefined && cut.by !== 'agent' && { cutBy: cut.by }),
    ...(silentSinceUs !== undefined && { silentSinceUs }),
  }
}
