/**
 * One exchange on its way through the hops. They stand in a row from the
 * asker, the host's door is the place behind the last. The request meets them
 * in that order, the answer in reverse; each may cut, and a fault may at the
 * door. What comes from beyond a cut goes nowhere any more.
 */
import type { Cancel } from '../kernel/clock.ts'
import type { PathClock } from './clock.ts'
import {
  createHopBuffer,
  createHopWatch,
  cutShown,
  type HopBuffer,
  type HopWatch,
} from '../policies/hop-watch.ts'
import type { CutHow } from '../policies/middlebox.ts'
import { onceDue } from './deadline.ts'
import { octetsOf, type PassingMessage, type Piece } from './message.ts'
import type { HopOnRoute } from './route.ts'

export interface PassageOptions<Head, P extends Piece> {
  clock: PathClock
  hops: readonly HopOnRoute[]
  /** The request has come through to the host. */
  serve(): void
  /** Word of it that nobody listens has come through to the host. */
  tellHost(): void
  /** Towards the asker. */
  send(message: PassingMessage<Head, P>): void
  /** Writes a small answer in the host's stead, and counts it. */
  answerInFront(status: number, retryAfterUs: number | undefined): PassingMessage<Head, P>
  /** Counts the last chunk that a clean end takes. */
  lastChunk(): void
  /** Who cut. */
  cutBy(name: string): void
  /** It was cut in silence. */
  fellSilent(atUs: number): void
}

/** An exchange as one hop sees it. */
interface Crossing<P extends Piece> {
  watch: HopWatch
  buffer: HopBuffer | undefined
  kept: P[]
  /** It was cut here in silence: nothing passes either way. */
  silent: boolean
  stopWatching: Cancel
  /** Set as long as the hop watches and holds a place for it. */
  end: Cancel | undefined
}

/** A class, because each exchange has one: methods cost it nothing, functions of its own would. */
export class Passage<Head, P extends Piece> {
  readonly #options: PassageOptions<Head, P>
  readonly #door: number
  /** Of the hops that the request has met. */
  readonly #crossings: Crossing<P>[] = []
  /** The nearest to the asker of the places where it was cut. */
  #cutAt = Infinity
  #doorIsSilent = false
  #stopWaiting: Cancel | undefined
  /** The head of the host's answer, once it has been written. */
  #head: Extract<PassingMessage<Head, P>, { of: 'head' }> | undefined

  constructor(options: PassageOptions<Head, P>) {
    this.#options = options
    this.#door = options.hops.length
  }

  /** The request comes up from the asker. */
  request(): void {
    if (this.#cutAt === Infinity) this.#meet(0)
  }

  /** The host has written this. */
  answer(message: PassingMessage<Head, P>): void {
    if (message.of === 'head') this.#head = message
    if (!this.#doorIsSilent) this.#down(this.#door, message)
  }

  /** Word comes up from the asker that it wants no more. */
  leave(): void {
    this.#up(0)
  }

  /** Whether what comes up from the asker still gets to the host. */
  reachesHost(): boolean {
    return this.#cutAt === Infinity
  }

  /** Whether some hop still watches: one that the end did not get to, on either side of a silent cut. */
  isWatched(): boolean {
    return this.#crossings.some(({ end }) => end !== undefined)
  }

  /** Cuts at the host's door. */
  cut(how: CutHow, by: string): void {
    if (!this.#doorIsSilent) this.#cutAtPlace(this.#door, how, by)
  }

  /** The run is over: nothing is watched and nothing held up any more. */
  open(): void {
    this.#doorIsSilent = false
    this.#stopWaiting?.()
    for (const crossing of this.#crossings) {
      crossing.silent = false
      // Its place stays taken: nobody shall begin now who waited for it.
      crossing.end = undefined
      crossing.stopWatching()
    }
  }

  // The request

  /** Goes on to the hop at this place. */
  #meet(place: number): void {
    const next = this.#options.hops[place]
    if (next === undefined) this.#options.serve()
    else if (next.places === undefined || next.places.take()) this.#pass(place, next)
    else this.#refuse(place, next)
  }

  #pass(place: number, { hop, places }: HopOnRoute): void {
    const { clock } = this.#options
    const watch = createHopWatch(hop, clock.nowUs())
    const stopWatching = onceDue(
      clock,
      () => watch.dueUs()?.atUs,
      () => this.#cutAtPlace(place, hop.cut, hop.name),
      1,
    )
    const crossing: Crossing<P> = {
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
    this.#crossings.push(crossing)
    this.#meet(place + 1)
  }

  #refuse(place: number, full: HopOnRoute): void {
    const { name, full: refusal } = full.hop
    if (refusal.answer === 'wait') {
      this.#stopWaiting = full.places?.wait(() => this.#pass(place, full))
      return
    }
    this.#noteCut(place, name)
    if (refusal.answer === 'refuse') this.#down(place, { of: 'refused' })
    else this.#down(place, this.#options.answerInFront(refusal.answer, refusal.retryAfterUs))
    this.#up(place)
  }

  // The answer

  /** To the asker, past all hops that are nearer than this place. */
  #down(place: number, message: PassingMessage<Head, P>): void {
    const next = Math.min(place, this.#crossings.length) - 1
    const crossing = this.#crossings[next]
    if (crossing === undefined) this.#options.send(message)
    else if (!crossing.silent) this.#passBack(next, crossing, message)
  }

  #passBack(place: number, crossing: Crossing<P>, message: PassingMessage<Head, P>): void {
    const { watch, buffer, kept } = crossing
    switch (message.of) {
      case 'head': {
        watch.octets(this.#options.clock.nowUs())
        const { body, ends } = message
        if (ends) crossing.end?.()
        const keeps = !ends && body.length > 0 && buffer?.takes(octetsOf(body)) === false
        if (keeps) kept.push(...body)
        this.#down(place, keeps ? { ...message, body: [] } : message)
        return
      }
      case 'octets':
        watch.octets(this.#options.clock.nowUs())
        kept.push(...message.chunks)
        if (buffer?.takes(octetsOf(message.chunks)) !== false) this.#release(place, crossing)
        return
      case 'end':
      case 'broken':
      case 'refused':
        this.#release(place, crossing)
        crossing.end?.()
        this.#down(place, message)
    }
  }

  #release(place: number, { kept }: Crossing<P>): void {
    if (kept.length > 0) this.#down(place, { of: 'octets', chunks: kept.splice(0) })
  }

  // The end before its time

  /** Word that the asker is gone goes from this place towards the host, as far as it gets. */
  #up(place: number): void {
    for (const crossing of this.#crossings.slice(place)) {
      if (crossing.silent) return
      crossing.end?.()
    }
    if (this.#doorIsSilent) return
    this.#stopWaiting?.()
    this.#options.tellHost()
  }

  #noteCut(place: number, by: string): void {
    if (place >= this.#cutAt) return
    this.#cutAt = place
    this.#options.cutBy(by)
  }

  #cutAtPlace(place: number, how: CutHow, by: string): void {
    this.#noteCut(place, by)
    const crossing = this.#crossings[place]
    crossing?.end?.()
    const shown = crossing === undefined ? how : cutShown(how, crossing.watch.answered())
    switch (shown) {
      case 'silent':
        this.#options.fellSilent(this.#options.clock.nowUs())
        if (crossing === undefined) this.#doorIsSilent = true
        else crossing.silent = true
        return
      case 504:
        this.#down(place, this.#options.answerInFront(504, undefined))
        break
      case 'close':
        if (crossing !== undefined) this.#release(place, crossing)
        this.#down(place, this.#cleanEnd())
        break
      case 'reset':
        this.#down(place, { of: 'broken', how: 'reset', cause: new Error(`cut by ${by}`) })
    }
    this.#up(place + 1)
  }

  /** Of a body in chunks, that is; one of declared length cannot end cleanly before it is whole. */
  #cleanEnd(): PassingMessage<Head, P> {
    if (this.#head?.chunked !== true) return { of: 'broken', how: 'closed', cause: undefined }
    this.#options.lastChunk()
    return { of: 'end', connection: 'closes' }
  }
}
