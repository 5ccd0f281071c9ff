/**
 * One exchange on its way through the hops. They stand in a row from the
 * asker, the host's door is the place behind the last. The request meets them
 * in that order, the answer in reverse; each may cut, and a fault may at the
 * door. What comes from beyond a cut goes nowhere any more.
 */
import type { Cancel, Clock } from '../kernel/clock.ts'
import {
  createHopBuffer,
  createHopWatch,
  cutShown,
  type HopBuffer,
  type HopWatch,
} from '../policies/hop-watch.ts'
import type { CutHow } from '../policies/middlebox.ts'
import { octetsOf, type AnswerMessage } from './answer-message.ts'
import { onceDue } from './deadline.ts'
import type { HopOnRoute } from './route.ts'

export interface Passage {
  /** The request comes up from the asker. */
  request(): void
  /** The host has written this. */
  answer(message: AnswerMessage): void
  /** Word comes up from the asker that it wants no more. */
  leave(): void
  /** Whether what comes up from the asker still gets to the host. */
  reachesHost(): boolean
  /** Whether some hop still watches: one that the end did not get to, on either side of a silent cut. */
  isWatched(): boolean
  /** Cuts at the host's door. */
  cut(how: CutHow, by: string): void
  /** The run is over: nothing is watched and nothing held up any more. */
  open(): void
}

export interface PassageOptions {
  clock: Clock
  hops: readonly HopOnRoute[]
  /** The request has come through to the host. */
  serve(): void
  /** Word of it that nobody listens has come through to the host. */
  tellHost(): void
  /** Towards the asker. */
  send(message: AnswerMessage): void
  /** Writes a small answer in the host's stead, and counts it. */
  answerInFront(status: number, retryAfterUs: number | undefined): AnswerMessage
  /** Counts the last chunk that a clean end takes. */
  lastChunk(): void
  /** Who cut. */
  cutBy(name: string): void
}

/** An exchange as one hop sees it. */
interface Crossing {
  watch: HopWatch
  buffer: HopBuffer | undefined
  kept: Uint8Array[]
  /** It was cut here in silence: nothing passes either way. */
  silent: boolean
  stopWatching: Cancel
  /** Set as long as the hop watches and holds a place for it. */
  end: Cancel | undefined
}

export function createPassage(options: PassageOptions): Passage {
  const { clock, hops } = options
  const door = hops.length
  /** Of the hops that the request has met. */
  const crossings: Crossing[] = []
  /** The nearest to the asker of the places where it was cut. */
  let cutAt = Infinity
  let doorIsSilent = false
  let stopWaiting: Cancel | undefined
  /** The head of the host's answer, once it has been written. */
  let head: Extract<AnswerMessage, { of: 'head' }> | undefined

  // The request

  /** Goes on to the hop at this place. */
  function meet(place: number): void {
    const next = hops[place]
    if (next === undefined) options.serve()
    else if (next.places === undefined || next.places.take()) pass(place, next)
    else refuse(place, next)
  }

  function pass(place: number, { hop, places }: HopOnRoute): void {
    const watch = createHopWatch(hop, clock.nowUs())
    const stopWatching = onceDue(
      clock,
      () => watch.dueUs()?.atUs,
      () => cut(place, hop.cut, hop.name),
      1,
    )
    const crossing: Crossing = {
      watch,
      buffer: hop.bufferOctets === undefined ? undefined : createHopBuffer(hop.bufferOctets),
      kept: [],
      silent: false,
      stopWatching,
      end() {
        crossing.end = undefined
        stopWatching()
        places?.free()
      },
    }
    crossings.push(crossing)
    meet(place + 1)
  }

  function refuse(place: number, full: HopOnRoute): void {
    const { name, full: refusal } = full.hop
    if (refusal.answer === 'wait') {
      stopWaiting = full.places?.wait(() => pass(place, full))
      return
    }
    noteCut(place, name)
    if (refusal.answer === 'refuse') down(place, { of: 'refused' })
    else down(place, options.answerInFront(refusal.answer, refusal.retryAfterUs))
    up(place)
  }

  // The answer

  /** To the asker, past all hops that are nearer than this place. */
  function down(place: number, message: AnswerMessage): void {
    const next = Math.min(place, crossings.length) - 1
    const crossing = crossings[next]
    if (crossing === undefined) options.send(message)
    else if (!crossing.silent) passBack(next, crossing, message)
  }

  function passBack(place: number, crossing: Crossing, message: AnswerMessage): void {
    const { watch, buffer, kept } = crossing
    switch (message.of) {
      case 'head': {
        watch.octets(clock.nowUs())
        const { body, ends } = message
        if (ends) crossing.end?.()
        const keeps = !ends && body.length > 0 && buffer?.takes(octetsOf(body)) === false
        if (keeps) kept.push(...body)
        down(place, keeps ? { ...message, body: [] } : message)
        return
      }
      case 'octets':
        watch.octets(clock.nowUs())
        kept.push(...message.chunks)
        if (buffer?.takes(octetsOf(message.chunks)) !== false) release(place, crossing)
        return
      case 'end':
      case 'broken':
      case 'refused':
        release(place, crossing)
        crossing.end?.()
        down(place, message)
    }
  }

  function release(place: number, { kept }: Crossing): void {
    if (kept.length > 0) down(place, { of: 'octets', chunks: kept.splice(0) })
  }

  // The end before its time

  /** Word that the asker is gone goes from this place towards the host, as far as it gets. */
  function up(place: number): void {
    for (const crossing of crossings.slice(place)) {
      if (crossing.silent) return
      crossing.end?.()
    }
    if (doorIsSilent) return
    stopWaiting?.()
    options.tellHost()
  }

  function noteCut(place: number, by: string): void {
    if (place >= cutAt) return
    cutAt = place
    options.cutBy(by)
  }

  function cut(place: number, how: CutHow, by: string): void {
    noteCut(place, by)
    const crossing = crossings[place]
    crossing?.end?.()
    const shown = crossing === undefined ? how : cutShown(how, crossing.watch.answered())
    switch (shown) {
      case 'silent':
        if (crossing === undefined) doorIsSilent = true
        else crossing.silent = true
        return
      case 504:
        down(place, options.answerInFront(504, undefined))
        break
      case 'close':
        if (crossing !== undefined) release(place, crossing)
        down(place, cleanEnd())
        break
      case 'reset':
        down(place, { of: 'broken', how: 'reset', cause: new Error(`cut by ${by}`) })
    }
    up(place + 1)
  }

  /** Of a body in chunks, that is; one of declared length cannot end cleanly before it is whole. */
  function cleanEnd(): AnswerMessage {
    if (head?.chunked !== true) return { of: 'broken', how: 'closed', cause: undefined }
    options.lastChunk()
    return { of: 'end', connection: 'closes' }
  }

  return {
    request() {
      if (cutAt === Infinity) meet(0)
    },
    answer(message) {
      if (message.of === 'head') head = message
      if (!doorIsSilent) down(door, message)
    },
    leave: () => up(0),
    reachesHost: () => cutAt === Infinity,
    isWatched: () => crossings.some(({ end }) => end !== undefined),
    cut(how, by) {
      if (!doorIsSilent) cut(door, how, by)
    },
    open() {
      doorIsSilent = false
      stopWaiting?.()
      for (const crossing of crossings) {
        crossing.silent = false
        // Its place stays taken: nobody shall begin now who waited for it.
        crossing.end = undefined
        crossing.stopWatching()
      }
    },
  }
}
