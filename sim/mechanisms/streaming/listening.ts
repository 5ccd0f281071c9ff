/** One stream as its client hears it, without a wire: what arrives, and who loses patience. */
import { createHopWatch, type CutReason } from '../../policies/hop-watch.ts'
import type { ClientLimits } from '../../policies/middlebox.ts'
import type { Said } from './agent-stream.ts'
import type { Passed } from './passage.ts'
import type { StreamEnd } from './policy.ts'

/** One request as the client saw it. */
export interface ModelExchange {
  operation: 'SendStreamingMessage' | 'SubscribeToTask' | 'GetTask'
  startUs: number
  /** `undefined` while it is open at the horizon. */
  endUs: number | undefined
  status: number | undefined
  outcome: 'complete' | 'failed' | 'aborted' | 'open'
  /** Who ended it before its time: a hop's name, `client limits`, `agent`. The nearest to the client, if several did. */
  cut: { by: string; atUs: number; why: CutReason } | undefined
  /** Since when a hop lets nothing pass and nobody was told. */
  silentSinceUs: number | undefined
  /** When each event and each comment arrived. */
  events: readonly number[]
  heartbeats: readonly number[]
}

export interface Listener {
  operation: 'SendStreamingMessage' | 'SubscribeToTask'
  startUs: number
  downUs: number
  horizonUs: number
  limits: ClientLimits | undefined
  watchdogUs: number | undefined
  /** How long it waits for the head. */
  timeoutUs: number | undefined
  opened(atUs: number): void
  hears(said: Said, atUs: number): void
}

export interface Heard {
  exchange: ModelExchange
  /** `undefined` if the run ends first. */
  end: (StreamEnd & { atUs: number }) | undefined
}

/** At one instant what arrives comes before the client's own patience ends; at the horizon nothing does. */
export function listenTo(passing: Iterable<Passed<Said>>, listener: Listener): Heard {
  const { operation, startUs, downUs, horizonUs, watchdogUs, timeoutUs } = listener
  const limits = createHopWatch(
    {
      idleUs: listener.limits?.idleUs,
      firstByteUs: listener.limits?.firstByteUs,
      lifetimeUs: listener.limits?.timeoutUs,
    },
    startUs,
  )
  const events: number[] = []
  const heartbeats: number[] = []
  let status: number | undefined
  let heardUs = startUs
  let cut: ModelExchange['cut']
  let silentSinceUs: number | undefined

  const heard = (
    endUs: number | undefined,
    outcome: ModelExchange['outcome'],
    end: StreamEnd | undefined,
  ): Heard => ({
    exchange: { operation, startUs, endUs, status, outcome, cut, silentSinceUs, events, heartbeats },
    end: end && endUs !== undefined ? { ...end, atUs: endUs } : undefined,
  })

  /** What becomes of a broken stream: whether it had begun tells what the client can make of it. */
  const brokenBy = (why: string, of: 'timeout' | 'connection'): StreamEnd =>
    events.length > 0 ? { of: 'broken', why } : { of: 'refused', failure: { of }, why }

  /** When the client gives up by itself if nothing comes. */
  function ownEndUs(): number {
    const opensUs = timeoutUs !== undefined && status === undefined ? startUs + timeoutUs : Infinity
    return Math.min(limits.dueUs()?.atUs ?? Infinity, opensUs, heardUs + (watchdogUs ?? Infinity))
  }

  function giveUp(): Heard {
    const atUs = ownEndUs()
    if (atUs >= horizonUs) return heard(undefined, 'open', undefined)
    const due = limits.dueUs()
    if (due?.atUs === atUs) {
      cut = { by: 'client limits', ...due }
      return heard(atUs, 'aborted', brokenBy('the client waited no longer', 'timeout'))
    }
    const silent = atUs === heardUs + (watchdogUs ?? Infinity)
    return heard(
      atUs,
      'aborted',
      silent ? { of: 'silent' } : brokenBy('the stream did not open in time', 'timeout'),
    )
  }

  for (const passed of passing) {
    // What is computed ahead may lie after the client has gone.
    if (passed.of === 'cut' && passed.atUs <= Math.min(ownEndUs(), horizonUs - 1))
      cut = { by: passed.hop.name, atUs: passed.atUs, why: passed.why }
    if (passed.of === 'cut' && passed.shown === 'silent') {
      silentSinceUs ??= passed.atUs
      continue
    }
    const atUs = passed.atUs + downUs
    if (ownEndUs() < atUs || atUs >= horizonUs) return giveUp()
    limits.octets(atUs)
    heardUs = atUs
    switch (passed.of) {
      case 'head':
        status = 200
        listener.opened(atUs)
        break
      case 'body':
        if (passed.item.of === 'heartbeat') heartbeats.push(atUs)
        else events.push(atUs)
        listener.hears(passed.item, atUs)
        break
      case 'end':
        return heard(atUs, 'complete', { of: 'closed' })
      case 'cut':
        return cutShort(passed, atUs)
    }
  }
  return giveUp()

  function cutShort({ hop, shown }: Passed<Said> & { of: 'cut' }, atUs: number): Heard {
    const why = `${hop.name} ended the stream`
    switch (shown) {
      case 504:
        status = 504
        return heard(atUs, 'complete', {
          of: 'refused',
          failure: { of: 'answer', status: 504, retryAfterUs: undefined },
          why: `${hop.name} answered 504`,
        })
      case 'close':
        return heard(atUs, 'complete', { of: 'closed' })
      case 'reset':
      case 'silent':
        return heard(atUs, 'failed', brokenBy(why, 'connection'))
    }
  }
}
