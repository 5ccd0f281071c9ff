/**
 * A stream through hops, computed without a wire: which hop cuts when, what the
 * client does about it by the same decisions as in life, and when it learns
 * what. Latency is fixed, nothing is lost, the agent answers at once.
 */
import { drawUs, type Distribution } from '../../kernel/distribution.ts'
import type { RandomStream } from '../../kernel/random.ts'
import type { ClientLimits, Hop } from '../../policies/middlebox.ts'
import { createHopWatch, type CutReason } from '../../policies/hop-watch.ts'
import type { Heartbeat, StreamPolicy } from '../../policies/policy.ts'
import { throughHops, type Passed, type Written } from './passage.ts'
import { createReconnects, type StreamEnd } from './policy.ts'

/** A change of the task, counted from the instant the agent receives the send. */
export interface ModelUpdate {
  atUs: number
  /** A status holds all that earlier ones said but their messages; an artifact's chunk only itself. */
  of: 'status' | 'artifact'
  /** Of its event on the wire, as far as known. */
  octets: number
}

/** Instants count from the send, as everywhere in models. */
export interface HopWorld {
  /** Ascending; the last is the end of the task if it `ends`. */
  updates: readonly ModelUpdate[]
  ends: boolean
  upUs: number
  downUs: number
  horizonUs: number
  /** The policy's where it has one. */
  heartbeat: Heartbeat | 'none'
  flush: 'at-once' | 'first-update'
  /** The agent's own limit on streams. */
  lifetime: Distribution | undefined
  /** How long events are kept for a client that resumes with a cursor. */
  replayUs: number
  retryHintUs: number | undefined
  /** From the client. */
  hops: readonly Hop[]
  limits: ClientLimits | undefined
  random(purpose: string): RandomStream
}

/** One request as the client saw it. */
export interface ModelExchange {
  operation: 'SendStreamingMessage' | 'SubscribeToTask' | 'GetTask'
  startUs: number
  /** `undefined` while it is open at the horizon. */
  endUs: number | undefined
  status: number | undefined
  outcome: 'complete' | 'failed' | 'aborted' | 'open'
  /** Who ended it before its time: a hop's name, `client limits`, `agent`. */
  cutBy: string | undefined
  /** When and why that was decided, where it was; a silent cut may be the only trace. */
  cut: { atUs: number; why: CutReason } | undefined
  events: readonly number[]
  heartbeats: readonly number[]
}

export interface HopRun {
  exchanges: readonly ModelExchange[]
  /** What was learned, in order. */
  learned: readonly { atUs: number; updates: readonly number[]; by: 'stream' | 'poll' }[]
  /** When the end was. */
  learnedUs: number | undefined
  gaveUp: { atUs: number; outcome: 'failed' | 'not-learned'; reason: string } | undefined
}

/** What an event of the model tells: the task as it is, or one update. */
type Said = { of: 'snapshot'; upTo: number } | { of: 'update'; update: number } | { of: 'heartbeat' }

const SNAPSHOT_OCTETS = 400

export function streamThroughHops(policy: StreamPolicy, world: HopWorld): HopRun {
  const { upUs, downUs, horizonUs } = world
  const updates = world.updates.map((update) => ({ ...update, atUs: update.atUs + upUs }))
  const end = world.ends ? updates.length - 1 : undefined
  const reconnects = createReconnects(policy, world.random('reconnect'), 0)
  const lifetimes = world.random('agent stream lifetime')
  const exchanges: ModelExchange[] = []
  const learned: { atUs: number; updates: number[]; by: 'stream' | 'poll' }[] = []
  const unknown = new Set(updates.keys())
  let known = false
  /** The newest update a stream told of, for a client that resumes with a cursor. */
  let cursor: number | undefined
  let learnedUs: number | undefined

  function learn(atUs: number, told: readonly number[], by: 'stream' | 'poll'): void {
    const news = told.filter((update) => unknown.delete(update)).toSorted((a, b) => a - b)
    if (news.length > 0) learned.push({ atUs, updates: news, by })
    if (end !== undefined && news.includes(end)) learnedUs = atUs
  }

  /** How many updates there were at an instant, those at the instant included. */
  const countAt = (atUs: number): number => {
    const later = updates.findIndex((update) => update.atUs > atUs)
    return later === -1 ? updates.length : later
  }

  const hears = (said: Said, atUs: number, fresh: boolean): void => {
    if (said.of === 'heartbeat') return
    if (said.of === 'snapshot') {
      if (fresh || policy.resume !== 'live') learn(atUs, [...updates.keys()].slice(0, said.upTo), 'stream')
      cursor = Math.max(cursor ?? 0, said.upTo)
      return
    }
    const { of } = updates[said.update] as ModelUpdate
    const told =
      of === 'status'
        ? [...unknown].filter((u) => u <= said.update && updates[u]?.of === 'status')
        : [said.update]
    learn(atUs, told, 'stream')
    cursor = said.update + 1
  }

  /** What the agent writes to a stream opened at `atUs`, up to the run's end. */
  function* written(atUs: number): Generator<Written<Said>> {
    const resumed = known && policy.resume === 'cursor' && cursor !== undefined ? cursor : undefined
    const replayed = resumed !== undefined && replays(resumed, atUs) ? resumed : undefined
    const lifetimeUs = world.lifetime === undefined ? Infinity : drawUs(world.lifetime, lifetimes)
    let next = replayed ?? countAt(atUs)
    const firstUs = world.flush === 'at-once' || next > 1 ? atUs : (updates[next]?.atUs ?? Infinity)
    if (firstUs >= Math.min(horizonUs, atUs + lifetimeUs)) return
    yield { of: 'head', atUs: firstUs }
    if (replayed === undefined)
      yield { of: 'body', atUs: firstUs, octets: SNAPSHOT_OCTETS, item: { of: 'snapshot', upTo: next } }
    let lastUs = firstUs
    let beats = 0
    for (;;) {
      const update = updates[next]
      const updateUs = update === undefined ? Infinity : Math.max(update.atUs, firstUs)
      const beatUs = beatAfter({ openedUs: firstUs, lastUs, beats })
      const nowUs = Math.min(updateUs, beatUs)
      if (nowUs >= horizonUs) return
      if (nowUs > atUs + lifetimeUs) return yield { of: 'end', atUs: atUs + lifetimeUs }
      lastUs = nowUs
      if (update !== undefined && updateUs <= beatUs) {
        yield { of: 'body', atUs: nowUs, octets: update.octets, item: { of: 'update', update: next } }
        if (next === end) return yield { of: 'end', atUs: nowUs }
        next++
      } else {
        beats++
        yield { of: 'body', atUs: nowUs, octets: heartbeatOctets, item: { of: 'heartbeat' } }
      }
    }
  }

  const replays = (from: number, atUs: number): boolean =>
    world.replayUs > 0 && (updates[from]?.atUs ?? atUs) >= atUs - world.replayUs

  const heartbeatOctets = world.heartbeat === 'none' ? 0 : world.heartbeat.octets
  function beatAfter({
    openedUs,
    lastUs,
    beats,
  }: {
    openedUs: number
    lastUs: number
    beats: number
  }): number {
    if (world.heartbeat === 'none') return Infinity
    const { everyUs, when } = world.heartbeat
    return when === 'silent' ? lastUs + everyUs : openedUs + (beats + 1) * everyUs
  }

  /** Opens a stream and listens to its end; `undefined` if it outlasts the run. */
  function listen(
    startUs: number,
    timeoutUs: number | undefined,
  ): (StreamEnd & { atUs: number }) | undefined {
    const arrivedUs = startUs + upUs
    const fresh = !known
    const events: number[] = []
    const heartbeats: number[] = []
    let status: number | undefined
    let cut: ModelExchange['cut']
    const record = (
      endUs: number | undefined,
      outcome: ModelExchange['outcome'],
      cutBy?: string,
      shownStatus = status,
    ): void => {
      const operation = fresh ? 'SendStreamingMessage' : 'SubscribeToTask'
      exchanges.push({
        operation,
        startUs,
        endUs,
        status: shownStatus,
        outcome,
        cutBy,
        cut,
        events,
        heartbeats,
      })
    }

    if (end !== undefined && known && (updates[end]?.atUs ?? 0) <= arrivedUs) {
      const atUs = arrivedUs + downUs
      if (atUs >= horizonUs) {
        record(undefined, 'open')
        return undefined
      }
      record(atUs, 'complete', undefined, REFUSED)
      return {
        atUs,
        of: 'refused',
        failure: { of: 'answer', status: REFUSED, retryAfterUs: undefined },
        why: OVER,
      }
    }

    const limits = createHopWatch(
      {
        idleUs: world.limits?.idleUs,
        firstByteUs: world.limits?.firstByteUs,
        lifetimeUs: world.limits?.timeoutUs,
      },
      startUs,
    )
    let heardUs = startUs
    /** What the client itself does next if nothing comes. */
    const ownEnd = ():
      { atUs: number; end: StreamEnd; cutBy: string | undefined; why?: CutReason } | undefined => {
      const why = 'the client waited no longer'
      const lost: StreamEnd =
        events.length > 0 ? { of: 'broken', why } : { of: 'refused', failure: { of: 'timeout' }, why }
      const due = limits.dueUs()
      const choices = [
        due && { atUs: due.atUs, end: lost, cutBy: 'client limits', why: due.why },
        timeoutUs !== undefined && status === undefined
          ? { atUs: startUs + timeoutUs, end: lost, cutBy: undefined }
          : undefined,
        policy.watchdogUs === undefined
          ? undefined
          : { atUs: heardUs + policy.watchdogUs, end: { of: 'silent' } as const, cutBy: undefined },
      ].filter((choice) => choice !== undefined)
      return choices.toSorted((a, b) => a.atUs - b.atUs)[0]
    }
    const breakOff = (): (StreamEnd & { atUs: number }) | undefined => {
      const own = ownEnd()
      if (own === undefined || own.atUs >= horizonUs) {
        record(undefined, 'open')
        return undefined
      }
      if (own.why !== undefined) cut ??= { atUs: own.atUs, why: own.why }
      record(own.atUs, own.cutBy === undefined ? 'aborted' : 'failed', own.cutBy)
      return { ...own.end, atUs: own.atUs }
    }

    for (const passed of throughHops(world.hops, arrivedUs, written(arrivedUs))) {
      if (passed.of === 'cut') cut ??= { atUs: passed.atUs, why: passed.why }
      if (passed.of === 'cut' && passed.shown === 'silent') continue
      const atUs = passed.atUs + downUs
      const own = ownEnd()
      if (own !== undefined && own.atUs < atUs) return breakOff()
      if (atUs >= horizonUs) break
      const ended = arrive(passed, atUs)
      if (ended !== undefined) return { ...ended, atUs }
    }
    return breakOff()

    function arrive(passed: Passed<Said>, atUs: number): StreamEnd | undefined {
      limits.octets(atUs)
      heardUs = atUs
      switch (passed.of) {
        case 'head':
          status = 200
          return undefined
        case 'body':
          if (passed.item.of === 'heartbeat') heartbeats.push(atUs)
          else {
            events.push(atUs)
            if (events.length === 1) {
              known = true
              reconnects.opened(atUs)
              if (world.retryHintUs !== undefined) reconnects.hinted(world.retryHintUs)
            }
            hears(passed.item, atUs, fresh)
          }
          return undefined
        case 'end':
          record(atUs, 'complete', learnedUs === undefined ? 'agent' : undefined)
          return { of: 'closed' }
        case 'cut':
          return cutShort(passed, atUs)
      }
    }

    function cutShort({ hop, shown }: Passed<Said> & { of: 'cut' }, atUs: number): StreamEnd {
      const why = `${hop.name} ended the stream`
      switch (shown) {
        case 504:
          record(atUs, 'complete', hop.name, 504)
          return { of: 'refused', failure: { of: 'answer', status: 504, retryAfterUs: undefined }, why }
        case 'close':
          record(atUs, 'complete', hop.name)
          return { of: 'closed' }
        case 'reset':
        case 'silent':
          record(atUs, 'failed', hop.name)
          return events.length > 0
            ? { of: 'broken', why }
            : { of: 'refused', failure: { of: 'connection' }, why }
      }
    }
  }

  /** Asks how the task stands. Answered at once, so no hop has time to cut. */
  function look(startUs: number): number | undefined {
    const atUs = startUs + upUs + downUs
    const endUs = atUs < horizonUs ? atUs : undefined
    exchanges.push({
      operation: 'GetTask',
      startUs,
      endUs,
      status: endUs === undefined ? undefined : 200,
      outcome: endUs === undefined ? 'open' : 'complete',
      cutBy: undefined,
      cut: undefined,
      events: [],
      heartbeats: [],
    })
    if (endUs !== undefined) learn(endUs, [...updates.keys()].slice(0, countAt(startUs + upUs)), 'poll')
    return endUs
  }

  const result = (gaveUp: HopRun['gaveUp']): HopRun => ({ exchanges, learned, learnedUs, gaveUp })
  let startUs = 0
  let timeoutUs = policy.timeoutUs
  while (startUs < horizonUs) {
    const ended = listen(startUs, timeoutUs)
    if (ended === undefined || learnedUs !== undefined) return result(undefined)
    const step = reconnects.after(ended, { atUs: ended.atUs, known })
    switch (step.do) {
      case 'look':
        look(ended.atUs)
        return result(undefined)
      case 'stop':
        return result({ atUs: ended.atUs, outcome: step.outcome, reason: step.reason })
      case 'reopen':
        startUs = ended.atUs + step.afterUs
        timeoutUs = policy.reconnect?.timeoutUs ?? policy.timeoutUs
    }
  }
  return result(undefined)
}

/** How a task that is over answers a subscription, over HTTP+JSON: UnsupportedOperation. */
const REFUSED = 400
const OVER = 'the task is over'
