/**
 * The records of one run as the steps of a swimlane: what went from whom to
 * whom and what happened to whom, in the order of virtual time, runs of equal
 * exchanges folded into one.
 */
import { spellDuration } from '../../sim/index.ts'
import type { ExchangeRecord, HappenedRecord, Party, RunRecord, StreamArrival } from '../../sim/index.ts'
import { counted, listed, withThousands } from './numbers.ts'

export type Step = { atUs: number } & (
  | { kind: 'arrow'; from: Party; to: Party; text: string; stream?: 'opens' | 'closes' }
  | { kind: 'mark'; at: Party; sign: Sign; text: string; stream?: 'closes' }
)

/** Update at the agent, client learned, run folded, tried again, another mechanism, trouble. */
export type Sign = '●' | '◆' | '⋮' | '↻' | '→' | '✗'

/** A run of at least so many equal exchanges is folded. */
const FOLD_FROM = 3

/**
 * Steps in the order of time. At one instant they keep the order of their
 * causes: an update, the exchange or the stream event that tells of it, what
 * the client learned from that.
 */
export function swimlaneOf(records: readonly RunRecord[], endUs: number): Step[] {
  const exchanges = placeExchanges(records)
  const placed = [...exchanges, ...placeMarks(records, exchanges)]
  const steps = placed
    .toSorted((a, b) => a.step.atUs - b.step.atUs || a.place - b.place)
    .map(({ step }) => step)
  return [...steps, ...stillOpen(records, endUs)]
}

/** A step and its place among the steps of the same instant: the number of the record that caused it. */
interface Placed {
  step: Step
  place: number
}

const BEFORE_ALL = -1
const BEHIND_ITS_UPDATE = 0.25
const BEHIND_ITS_CAUSE = 0.5
/** For things of one kind with one cause; less than the number of them could ever bridge. */
const BEHIND_ITS_LIKE = 1e-6

// --- exchanges ---------------------------------------------------------------

/** Equal exchanges with nothing but connections between them. */
interface Run {
  exchange: ExchangeRecord
  /** Number of the newest record in the run. */
  place: number
  count: number
  lastStartUs: number
  lastEndUs: number | undefined
  /** From start to start; `undefined` if they differ. */
  everyUs: number | undefined
}

function runsOf(records: readonly RunRecord[]): Run[] {
  const runs: Run[] = []
  let unbroken = false
  records.forEach((record, place) => {
    if (record.kind === 'connection') return
    if (record.kind !== 'exchange') {
      unbroken = false
      return
    }
    const next = runOf(record, place)
    const before = runs.at(-1)
    if (unbroken && before !== undefined && sameButForTime(before.exchange, record)) {
      const gapUs = record.startUs - before.lastStartUs
      const even = [before, next].every(({ count, everyUs }) => count === 1 || everyUs === gapUs)
      runs[runs.length - 1] = {
        ...next,
        exchange: before.exchange,
        count: before.count + next.count,
        everyUs: even ? gapUs : undefined,
      }
    } else runs.push(next)
    unbroken = true
  })
  return runs
}

function runOf(exchange: ExchangeRecord, place: number): Run {
  const { repeats } = exchange
  if (repeats === undefined) return { exchange, place, count: 1, everyUs: undefined, ...lastOf(exchange) }
  return { exchange, place, ...repeats, ...lastOf(exchange) }
}

/** When the last of the exchanges that a record stands for began and ended. */
function lastOf({ startUs, endUs, repeats }: ExchangeRecord) {
  const laterUs = repeats === undefined ? 0 : (repeats.count - 1) * repeats.everyUs
  return { lastStartUs: startUs + laterUs, lastEndUs: endUs === undefined ? undefined : endUs + laterUs }
}

/** Everything a drawing tells of an exchange, but its instants. */
const sameButForTime = (a: ExchangeRecord, b: ExchangeRecord): boolean => {
  const traits = ({ from, to, operation, status, outcome, cutBy, news, octets }: ExchangeRecord) =>
    JSON.stringify([from, to, operation, status, outcome, cutBy, news, sizes(octets)])
  const each = [a, b]
  return (
    each.every(({ arrivals, silentSinceUs }) => arrivals === undefined && silentSinceUs === undefined) &&
    traits(a) === traits(b)
  )
}

const sizes = ({ requestHead, requestBody, responseHead, responseBody }: ExchangeRecord['octets']) => [
  requestHead + requestBody,
  responseHead + responseBody,
]

function placeExchanges(records: readonly RunRecord[]): Placed[] {
  const runs = runsOf(records)
  return runs.flatMap((run) => {
    const { exchange, place, count, lastStartUs, lastEndUs } = run
    if (count < FOLD_FROM) {
      const second = { ...exchange, startUs: lastStartUs, endUs: lastEndUs }
      return [exchange, ...(count === 2 ? [second] : [])].flatMap((one) => placeExchange(one, place, records))
    }
    const fold: Step = {
      kind: 'mark',
      at: exchange.from,
      sign: '⋮',
      atUs: lastEndUs ?? lastStartUs,
      text: foldText(run),
    }
    return [...placeExchange(exchange, place, records), { step: fold, place }]
  })
}

function foldText({ exchange, count, everyUs, lastStartUs }: Run): string {
  const what = exchange.news === undefined ? `exchanges, ${exchange.operation}` : 'polls'
  const every = everyUs === undefined ? 'at uneven intervals' : `every ${spellDuration(everyUs)}`
  const news = exchange.news === false ? ', no news' : ''
  return `× ${withThousands(count)} equal ${what}, ${every}${news}, the last at ${inSeconds(lastStartUs)}`
}

function placeExchange(exchange: ExchangeRecord, place: number, records: readonly RunRecord[]): Placed[] {
  const { from, to, operation, startUs, endUs, arrivals, octets, outcome } = exchange
  const [up, down] = sizes(octets) as [number, number]
  const long = endUs !== startUs
  if (endUs !== undefined && up === 0)
    return [{ step: trouble(from, endUs, `${operation}: no connection${byWhom(exchange)}`), place }]
  const stream = arrivals !== undefined
  const told = howTold(exchange, records)
  const request: Placed = {
    step: {
      kind: 'arrow',
      atUs: startUs,
      from,
      to,
      text: `${operation}, ${counted(up, 'octet')}`,
      ...(stream && { stream: 'opens' }),
    },
    place: long ? beginOf(exchange, place, records) : (told ?? place),
  }
  const begun = [
    request,
    ...placeArrivals(exchange, request.place, records),
    ...silenceOf(exchange).map((step) => ({ step, place })),
  ]
  if (endUs === undefined) return begun
  const broken = [
    ...(exchange.cutBy === undefined || isSilencer(exchange) ? [] : [`cut by ${exchange.cutBy}`]),
    ...(outcome === 'aborted' ? [`aborted by the ${from}`] : outcome === 'failed' ? ['broken off'] : []),
  ]
  if (exchange.status === undefined) {
    const text = [`${operation}: no answer`, ...broken].join(', ')
    return [...begun, { step: trouble(from, endUs, text), place: long ? place : (told ?? place) }]
  }
  if (wasSilent(exchange) && outcome === 'aborted') {
    const text = [`${operation}: silence noticed`, ...broken, counted(down, 'octet')].join(', ')
    return [...begun, { step: trouble(from, endUs, text), place }]
  }
  const words = [
    stream ? (outcome === 'complete' ? 'end of stream' : 'stream') : String(exchange.status),
    ...(exchange.news === undefined ? [] : [exchange.news ? 'news' : 'no news']),
    ...broken,
    counted(down, 'octet'),
  ]
  const answer: Placed = {
    step: {
      kind: 'arrow',
      atUs: endUs,
      from: to,
      to: from,
      text: words.join(', '),
      ...(stream && !wasSilent(exchange) && { stream: 'closes' }),
    },
    place: long ? place : (told ?? place),
  }
  return [...begun, answer]
}

/** Whether nothing passed any more for a while before it ended. */
const wasSilent = ({ silentSinceUs, endUs = Infinity }: ExchangeRecord): boolean =>
  silentSinceUs !== undefined && silentSinceUs < endUs

/**
 * Whether who cut it is who made it silent. The last who cuts is named, so it
 * is not where somebody else, or a limit of the requester's, ended the silence.
 */
const isSilencer = (exchange: ExchangeRecord): boolean =>
  wasSilent(exchange) &&
  exchange.cutBy !== 'client limits' &&
  (exchange.outcome === 'aborted' || exchange.outcome === 'open')

/** A stream is of no use from its silence on, whenever that is noticed. */
function silenceOf(exchange: ExchangeRecord): Step[] {
  const { from, operation, silentSinceUs, arrivals } = exchange
  if (silentSinceUs === undefined || !wasSilent(exchange)) return []
  const mark: Step = {
    kind: 'mark',
    at: from,
    sign: '✗',
    atUs: silentSinceUs,
    text: `${operation} falls silent${isSilencer(exchange) ? byWhom(exchange) : ''}`,
  }
  return [arrivals === undefined ? mark : { ...mark, stream: 'closes' }]
}

const trouble = (at: Party, atUs: number, text: string): Step => ({ kind: 'mark', atUs, at, sign: '✗', text })

const byWhom = ({ cutBy }: ExchangeRecord): string => (cutBy === undefined ? '' : `, cut by ${cutBy}`)

/** An exchange that takes time is recorded when it ends; it began after whatever answer its requester had just had, or whatever took over. */
function beginOf({ from, startUs }: ExchangeRecord, place: number, records: readonly RunRecord[]): number {
  const answered = records.findLastIndex(
    (record, i) =>
      i < place &&
      (record.kind === 'exchange'
        ? record.from === from && lastEndOf(record) === startUs
        : record.kind === 'hand-over' && from === 'client' && record.atUs === startUs),
  )
  return answered < 0 ? BEFORE_ALL : answered + BEHIND_ITS_CAUSE
}

const lastEndOf = (exchange: ExchangeRecord): number | undefined => lastOf(exchange).lastEndUs

/** The events of a stream, each behind the update it tells of if that happened at the same instant. */
function placeArrivals(
  { arrivals = [], from, to, startUs }: ExchangeRecord,
  begin: number,
  records: readonly RunRecord[],
): Placed[] {
  let newest = { atUs: startUs, place: begin }
  const told = new Set<number>()
  return foldedHeartbeats(arrivals).map(({ atUs, of, says, fold }) => {
    const cause = records.findIndex(
      (record, i) =>
        record.kind === 'happened' && record.atUs === atUs && record.change === says && !told.has(i),
    )
    if (cause >= 0) told.add(cause)
    const behindOther = (newest.atUs === atUs ? newest.place : BEFORE_ALL) + BEHIND_ITS_LIKE
    newest = { atUs, place: cause < 0 ? behindOther : Math.max(behindOther, cause + BEHIND_ITS_UPDATE) }
    const text = of === 'heartbeat' ? 'heartbeat' : `event: ${says}`
    const step: Step =
      fold === undefined
        ? { kind: 'arrow', atUs, from: to, to: from, text }
        : { kind: 'mark', atUs, at: from, sign: '⋮', text: fold }
    return { step, place: newest.place }
  })
}

/** Of many heartbeats in a row the first, and the last with a text that stands for all after the first. */
function foldedHeartbeats(arrivals: readonly StreamArrival[]): (StreamArrival & { fold?: string })[] {
  const runs: [StreamArrival, ...StreamArrival[]][] = []
  for (const arrival of arrivals) {
    const run = runs.at(-1)
    if (arrival.of === 'heartbeat' && run?.[0].of === 'heartbeat') run.push(arrival)
    else runs.push([arrival])
  }
  return runs.flatMap((run) => {
    const [first, second] = run
    const last = run.at(-1) ?? first
    if (run.length < FOLD_FROM || second === undefined) return run
    const everyUs = second.atUs - first.atUs
    const even = run.every(({ atUs }, i) => atUs === first.atUs + i * everyUs)
    const every = even ? `every ${spellDuration(everyUs)}` : 'at uneven intervals'
    const fold = `× ${withThousands(run.length)} heartbeats, ${every}, the last at ${inSeconds(last.atUs)}`
    return [first, { ...last, fold }]
  })
}

/**
 * A webhook post is recorded when it was answered, just after the client
 * learned from it: it is drawn before that. Of those that told nothing new the
 * n-th of an instant told the n-th thing known already.
 */
function howTold(post: ExchangeRecord, records: readonly RunRecord[]): number | undefined {
  if (post.to !== 'receiver') return undefined
  const told = records.findIndex((record) => record.kind === 'learned' && record.exchange === post.number)
  if (told >= 0) return told - BEHIND_ITS_CAUSE
  const atOnce = records.filter(
    (record) => record.kind === 'exchange' && record.to === 'receiver' && record.startUs === post.startUs,
  )
  const known = records.flatMap((record, i) =>
    (record.kind === 'learned' || record.kind === 'duplicate') &&
    record.by === 'push' &&
    record.atUs === post.startUs
      ? [i]
      : [],
  )
  const place = known[atOnce.indexOf(post)]
  return place === undefined ? undefined : place - BEHIND_ITS_CAUSE
}

// --- what happened and what was learned --------------------------------------

function placeMarks(records: readonly RunRecord[], exchanges: readonly Placed[]): Placed[] {
  const happened = new Map<number, HappenedRecord>()
  for (const record of records) if (record.kind === 'happened') happened.set(record.update, record)
  const used = new Set<Placed>()
  return records.flatMap((record, place) => {
    const step = markOf(record, happened)
    if (step === undefined) return []
    if (record.kind !== 'learned' || record.by !== 'stream') return [{ step, place }]
    // What a stream told is learned behind the event that told it, although the stream is recorded when it ends.
    const newest = happened.get(record.updates.at(-1) ?? -1)?.change
    const event = exchanges.find(
      (one) =>
        !used.has(one) &&
        one.step.atUs === record.atUs &&
        one.step.kind === 'arrow' &&
        one.step.text === `event: ${newest}`,
    )
    if (event === undefined) return [{ step, place }]
    used.add(event)
    return [{ step, place: event.place + BEHIND_ITS_LIKE / 2 }]
  })
}

function markOf(record: RunRecord, happened: ReadonlyMap<number, HappenedRecord>): Step | undefined {
  switch (record.kind) {
    case 'happened':
      return { kind: 'mark', atUs: record.atUs, at: 'agent', sign: '●', text: record.change }
    case 'learned':
      return {
        kind: 'mark',
        atUs: record.atUs,
        at: 'client',
        sign: '◆',
        text: learnedText(record.updates, record.atUs, happened),
      }
    case 'duplicate':
      return { kind: 'mark', atUs: record.atUs, at: 'client', sign: '◆', text: 'knew that already' }
    case 'retry':
      return {
        kind: 'mark',
        atUs: record.atUs,
        at: 'agent',
        sign: '↻',
        text: `${record.operation} is tried again`,
      }
    case 'gave-up':
      return trouble('client', record.atUs, `gave up: ${record.reason}`)
    case 'slow-down':
      return trouble('agent', record.atUs, 'polled too soon: slow_down')
    case 'removed':
      return trouble('agent', record.atUs, 'gives up: the webhook is removed')
    case 'hand-over':
      return {
        kind: 'mark',
        atUs: record.atUs,
        at: 'client',
        sign: '→',
        text: `${record.to} takes over: ${record.reason}`,
      }
    case 'turned-away':
      return trouble('agent', record.atUs, `no room for ${record.operation}`)
    case 'served':
      if (record.waitedUs === 0) return undefined
      return {
        kind: 'mark',
        atUs: record.atUs,
        at: 'agent',
        sign: '●',
        text: `${record.operation} waited ${spellDuration(record.waitedUs)} for a handler`,
      }
    case 'exchange':
    case 'connection':
      return undefined
  }
}

/** `learned working, on time`; several at once: each with its own lateness, the newest last. */
function learnedText(
  updates: readonly number[],
  atUs: number,
  happened: ReadonlyMap<number, HappenedRecord>,
): string {
  const told = updates.flatMap((update) => happened.get(update) ?? [])
  const late = (us: number) => (us === atUs ? 'on time' : `${spellDuration(atUs - us)} late`)
  const groups = new Map<number, string[]>()
  for (const { atUs: at, change } of told) groups.set(at, [...(groups.get(at) ?? []), change])
  return `learned ${[...groups].map(([at, changes]) => `${listed(repeatsCounted(changes))}, ${late(at)}`).join('; ')}`
}

/** `artifact x (2)` for two chunks of the same artifact. */
function repeatsCounted(changes: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const change of changes) counts.set(change, (counts.get(change) ?? 0) + 1)
  return [...counts].map(([change, count]) => (count === 1 ? change : `${change} (${count})`))
}

function stillOpen(records: readonly RunRecord[], endUs: number): Step[] {
  return records.flatMap((record) =>
    record.kind === 'exchange' && record.endUs === undefined
      ? [trouble(record.from, endUs, stillOpenText(record))]
      : [],
  )
}

const stillOpenText = (exchange: ExchangeRecord): string =>
  `${exchange.operation} still open when the run ended${wasSilent(exchange) ? '' : byWhom(exchange)}`

/** Instants in one unit, so that they can be compared down a column: `86,400 s`, `6.55 s`. */
export const inSeconds = (us: number): string => `${withThousands(us / 1_000_000)} s`
