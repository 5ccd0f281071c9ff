/**
 * One exchange of the lean world: what the wire's requester, host side and
 * recording do together, without texts and promises. Where nothing but a fixed
 * latency lies between two parties, an exchange is two events.
 */
import type { Cancel } from '../../kernel/clock.ts'
import type { Connection } from '../../path/connections.ts'
import { onceDue } from '../../path/deadline.ts'
import { createDribble, dribbleAnswer, type Dribble } from '../../path/dribble.ts'
import { createLink, type Link } from '../../path/link.ts'
import { Passage } from '../../path/passage.ts'
import type { Route } from '../../path/route.ts'
import { createHopWatch, type CutReason, type HopWatch } from '../../policies/hop-watch.ts'
import type { CutHow } from '../../policies/middlebox.ts'
import type { ExchangeOctets, ExchangeRecord, Party, StreamArrival } from '../../records/record.ts'
import {
  lineUp,
  pieceOf,
  type LeanHead,
  type LeanMessage,
  type LeanPiece,
  type LeanRequest,
} from './messages.ts'
import type { LeanSurroundings } from './network.ts'

/** How an exchange ended that nobody answered, or not to the end. */
export type Break =
  | 'refused'
  | 'no name'
  | 'reset'
  | 'closed'
  /** By the asker's own limits. */
  | 'head too late'
  | 'silent too long'
  | 'took too long'

/** Who waits for an answer. */
export interface Asker {
  head(head: LeanHead, exchange: number): void
  piece(piece: LeanPiece): void
  /** The answer is whole. */
  end(): void
  broke(how: Break): void
}

/** How a host answers. Nothing of it arrives once nobody waits any more. */
export interface Reply {
  /** Nobody listens. */
  refuse(): void
  whole(head: LeanHead): void
  /** A body that comes in pieces begins with those that are there already; `ends` if that is all of it. */
  open(head: LeanHead, pieces: readonly LeanPiece[], ends: boolean): void
  write(piece: LeanPiece): void
  end(): void
  /** The body breaks off in the middle. */
  breakOff(): void
  /** Set by a host that wants to hear of it when nobody waits any more. */
  gone: (() => void) | undefined
}

/** Who answers. */
export interface LeanHost {
  party: Party
  /** @param exchange the number of the exchange */
  serve(request: LeanRequest, reply: Reply, exchange: number): void
}

/** Not counted here: engines that need octets look them up by what was exchanged. */
const NO_OCTETS: ExchangeOctets = { requestHead: 0, requestBody: 0, responseHead: 0, responseBody: 0 }

/** Deadlines of its own come after all others of an instant: a hop's 504 is in time. */
const AFTER_HOPS = 2

/** Of an answer that nobody gave the size of: a small one. */
const SMALL_OCTETS = 40

const NO_PIECES: readonly LeanPiece[] = []

export class LeanExchange implements Reply {
  readonly from: Party
  readonly host: LeanHost
  readonly record: ExchangeRecord
  gone: (() => void) | undefined = undefined
  private readonly world: LeanSurroundings
  private readonly route: Route
  private readonly request: LeanRequest
  private readonly asker: Asker
  private readonly concluded: (() => void) | undefined
  private readonly connection: Connection | undefined
  private stage: 'under way' | 'done' | 'run over' = 'under way'
  private closesConnection = false
  private ended = false
  /** The host has finished, broken down, or been told that nobody listens. */
  private hostIsDone = false
  private hostWasLeft = false
  private onLeaving: (() => void) | undefined
  private runIsOver = false
  /** Messages that have set out for the host and not arrived. */
  private underWay = 0
  private up: Link | undefined
  private down: Link | undefined
  private dribbleUp: Dribble | undefined
  private dribbleDown: Dribble | undefined
  /** Set where hops stand in the way. Without any the host's door is all there is. */
  private passage: Passage<LeanHead, LeanPiece> | undefined
  private cutAtDoor = false
  private doorIsSilent = false
  /** The host's head, once it has been written. */
  private head: LeanHead | undefined
  private watch: HopWatch | undefined
  private stopWatch: Cancel | undefined

  /** @param concluded the asker is done with it, and its connection free for others */
  constructor(
    world: LeanSurroundings,
    number: number,
    from: Party,
    connection: Connection | undefined,
    errand: { request: LeanRequest; host: LeanHost; route: Route },
    asker: Asker,
    concluded: (() => void) | undefined,
  ) {
    this.from = from
    this.host = errand.host
    this.world = world
    this.route = errand.route
    this.request = errand.request
    this.asker = asker
    this.concluded = concluded
    this.connection = connection
    this.record = {
      kind: 'exchange',
      number,
      from,
      to: errand.host.party,
      operation: errand.request.operation,
      startUs: world.clock.nowUs(),
      endUs: undefined,
      status: undefined,
      octets: NO_OCTETS,
      outcome: 'open',
    }
  }

  /** The name of its host is not found: nothing sets out. */
  nameNotFound(): void {
    this.stage = 'done'
    this.leaveRecord('failed')
    this.concluded?.()
    this.asker.broke('no name')
  }

  begin(): void {
    const { clock } = this.world
    const { limits, hops } = this.route
    if (
      limits !== undefined &&
      (limits.timeoutUs !== undefined || limits.firstByteUs !== undefined || limits.idleUs !== undefined)
    ) {
      const { timeoutUs: lifetimeUs, firstByteUs, idleUs } = limits
      const watch = createHopWatch({ idleUs, firstByteUs, lifetimeUs }, clock.nowUs())
      this.watch = watch
      this.stopWatch = onceDue(
        clock,
        () => watch.dueUs()?.atUs,
        () => this.runOut(watch.dueUs()?.why ?? 'lifetime', watch.answered()),
        AFTER_HOPS,
      )
    }
    if (hops.length > 0)
      this.passage = new Passage<LeanHead, LeanPiece>({
        clock,
        hops,
        serve: () => this.serve(),
        tellHost: () => this.askerLeft(),
        send: (message) => this.sendDown(message),
        answerInFront: (status, retryAfterUs) => ({
          of: 'head',
          response: frontHead(status, retryAfterUs),
          chunked: false,
          body: [pieceOf(SMALL_OCTETS)],
          ends: true,
        }),
        lastChunk() {},
        cutBy: (name) => this.cutBy(name),
        fellSilent: (atUs) => this.fellSilent(atUs),
      })
    this.sendUp(
      () => this.arrives(),
      this.request.octets,
      (atUs) => this.world.twin(this, this.request, atUs),
    )
  }

  // The way up

  private sendUp(arrives: () => void, octets: number, twice?: (atUs: number) => void): void {
    const { clock } = this.world
    const { up, dribble } = this.route
    this.underWay += 1
    if (dribble.up === undefined && up.fixedUs !== undefined) {
      if (up.fixedUs === 0) {
        arrives()
        this.arrivedOrLost(1)
      } else
        clock.at(clock.nowUs() + up.fixedUs, () => {
          arrives()
          this.arrivedOrLost(1)
        })
      return
    }
    const arrived = (): void => {
      arrives()
      this.arrivedOrLost(1)
    }
    this.up ??= createLink(clock, up, (messages) => this.arrivedOrLost(messages))
    if (dribble.up === undefined) this.up.send(arrived, twice)
    else {
      const pieces = (this.dribbleUp ??= createDribble(clock, dribble.up))
      this.up.send(() => {
        pieces.write(octets, () => {})
        pieces.behind(arrived)
      }, twice)
    }
  }

  /** The request is there, in front of the hops. */
  private arrives(): void {
    if (this.passage !== undefined) this.passage.request()
    else if (!this.cutAtDoor) this.serve()
  }

  /** It is over once the asker is done with it and nothing that it sent is under way any more, though its host or a hop may never hear of that. */
  private arrivedOrLost(messages: number): void {
    this.underWay -= messages
    if (this.underWay > 0 || this.stage !== 'done') return
    this.world.over(this)
  }

  // The host

  private serve(): void {
    const { conditions, clock } = this.world
    const met = conditions?.host(this.host.party, this.record.operation, clock.nowUs())
    if (met?.of === 'down') this.refuse()
    else if (met?.of === 'answers') this.whole(frontHead(met.status, met.retryAfterUs))
    else this.host.serve(this.request, this, this.record.number)
  }

  private askerLeft(): void {
    if (this.hostIsDone) return
    this.hostIsDone = true
    this.hostWasLeft = true
    this.gone?.()
    this.onLeaving?.()
  }

  /** Calls `act` once the host has heard, before it was done, that nobody waits; at once if it has by now. */
  whenAskerLeft(act: () => void): void {
    if (this.hostWasLeft) act()
    else this.onLeaving = act
  }

  private isUnheard(): boolean {
    return this.hostIsDone || this.runIsOver
  }

  refuse(): void {
    if (this.hostIsDone) return
    this.hostIsDone = true
    this.answer({ of: 'refused' })
  }

  whole(head: LeanHead): void {
    if (this.isUnheard()) return
    this.hostIsDone = true
    this.head = head
    const hasBody = head.status !== 204 && head.status !== 304
    const body = hasBody ? [pieceOf(this.world.sizes.answer(this.record.operation, head))] : NO_PIECES
    this.answer({ of: 'head', response: head, chunked: false, body, ends: true })
  }

  open(head: LeanHead, pieces: readonly LeanPiece[], ends: boolean): void {
    if (this.isUnheard()) {
      this.gone?.()
      return
    }
    if (ends) this.hostIsDone = true
    this.head = head
    this.answer({ of: 'head', response: head, chunked: true, body: pieces, ends })
  }

  write(piece: LeanPiece): void {
    if (!this.isUnheard()) this.answer({ of: 'octets', chunks: [piece] })
  }

  end(): void {
    if (this.isUnheard()) return
    this.hostIsDone = true
    this.answer({ of: 'end', connection: 'stays' })
  }

  breakOff(): void {
    if (this.isUnheard()) return
    this.hostIsDone = true
    this.cutBy(this.host.party)
    this.answer({ of: 'broken', how: 'closed', cause: undefined })
  }

  // The way down

  private answer(message: LeanMessage): void {
    if (this.passage !== undefined) this.passage.answer(message)
    else if (!this.doorIsSilent) this.sendDown(message)
  }

  private sendDown(message: LeanMessage): void {
    if (this.stage !== 'under way') return
    const { clock } = this.world
    const { down } = this.route
    if (down.fixedUs === 0) this.comes(message)
    else if (down.fixedUs !== undefined) clock.at(clock.nowUs() + down.fixedUs, () => this.comes(message))
    else {
      this.down ??= createLink(clock, down, () => {})
      this.down.send(() => this.comes(message))
    }
  }

  private comes(message: LeanMessage): void {
    const dribble = this.route.dribble.down
    if (dribble === undefined || this.stage !== 'under way') this.arrive(message)
    else {
      this.dribbleDown ??= createDribble(this.world.clock, dribble)
      dribbleAnswer(this.dribbleDown, message, lineUp, (part) => this.arrive(part))
    }
  }

  // The asker

  private arrive(message: LeanMessage): void {
    if (this.stage !== 'under way') return
    const nowUs = this.world.clock.nowUs()
    switch (message.of) {
      case 'head': {
        this.watch?.octets(nowUs)
        const { response: head, body, ends } = message
        this.record.status = head.status
        const isStream = head.says.of === 'stream'
        if (isStream) {
          this.record.arrivals = []
          for (const piece of body) this.note(piece, nowUs)
        }
        if (ends) this.conclude('complete')
        this.asker.head(head, this.record.number)
        if (isStream) for (const piece of body) this.asker.piece(piece)
        if (ends) this.asker.end()
        return
      }
      case 'octets':
        this.watch?.octets(nowUs)
        if (this.record.arrivals !== undefined)
          for (const piece of message.chunks) {
            this.note(piece, nowUs)
            this.asker.piece(piece)
          }
        return
      case 'end':
        if (message.connection === 'closes') this.closesConnection = true
        this.conclude('complete')
        this.asker.end()
        return
      case 'broken':
        this.conclude('failed')
        this.asker.broke(message.how)
        return
      case 'refused':
        this.connection?.wasNone()
        this.conclude('failed')
        this.asker.broke('refused')
    }
  }

  private note({ said }: LeanPiece, atUs: number): void {
    const arrivals = this.record.arrivals as StreamArrival[]
    for (const { of, says } of said) arrivals.push({ atUs, of, says })
  }

  /** The asker wants no more of it. */
  letGo(): void {
    if (this.stage === 'done') return
    if (this.stage === 'under way') this.conclude('aborted')
    this.stage = 'done'
    this.concluded?.()
    this.down?.open()
    this.dribbleDown?.clear()
    this.sendUp(() => this.leave(), 0)
  }

  /** Word that nobody waits any more is there, in front of the hops. */
  private leave(): void {
    if (this.passage !== undefined) this.passage.leave()
    else if (!this.doorIsSilent) this.askerLeft()
  }

  private runOut(why: CutReason, answered: boolean): void {
    this.cutBy('client limits')
    this.letGo()
    this.asker.broke(why === 'lifetime' ? 'took too long' : answered ? 'silent too long' : 'head too late')
  }

  /** The record is written before anybody can see the end. */
  private conclude(outcome: 'complete' | 'aborted' | 'failed'): void {
    const endUs = this.world.clock.nowUs()
    this.stage = 'done'
    this.stopWatch?.()
    if (outcome === 'complete' && !this.closesConnection) this.connection?.free(endUs)
    else this.connection?.close(endUs)
    this.leaveRecord(outcome)
    if (outcome === 'aborted') return
    this.concluded?.()
    this.arrivedOrLost(0)
  }

  private leaveRecord(outcome: 'complete' | 'aborted' | 'failed'): void {
    this.ended = true
    this.record.endUs = this.world.clock.nowUs()
    this.record.outcome = outcome
    this.request.customer.journal.append(this.record)
  }

  // What the network does to it

  /** Cuts its answer at the host's door, if that is an event stream. */
  cutStream(how: CutHow, by: string): void {
    if (this.head?.says.of === 'stream' && this.isBetweenBoth()) this.cut(how, by)
  }

  /** Resets its connection at the host's door. */
  reset(by: string): void {
    if (this.isBetweenBoth()) this.cut('reset', by)
  }

  /** Both ends hear of what the network does only while both are there. */
  private isBetweenBoth(): boolean {
    return this.stage === 'under way' && !this.hostIsDone
  }

  private cut(how: CutHow, by: string): void {
    if (this.passage !== undefined) {
      this.passage.cut(how, by)
      return
    }
    if (this.doorIsSilent) return
    if (!this.cutAtDoor) this.cutBy(by)
    this.cutAtDoor = true
    switch (how) {
      case 'silent':
        this.fellSilent(this.world.clock.nowUs())
        this.doorIsSilent = true
        return
      case 'close':
        // A body of declared length cannot end cleanly before it is whole.
        if (this.head?.says.of === 'stream') this.sendDown({ of: 'end', connection: 'closes' })
        else this.sendDown({ of: 'broken', how: 'closed', cause: undefined })
        break
      case 'reset':
        this.sendDown({ of: 'broken', how: 'reset', cause: undefined })
    }
    this.askerLeft()
  }

  private cutBy(name: string): void {
    if (!this.ended) this.record.cutBy = name
  }

  private fellSilent(atUs: number): void {
    if (!this.ended) this.record.silentSinceUs ??= atUs
  }

  /** The run is over: leaves its record as it stands. */
  close(): void {
    this.passage?.open()
    if (this.stage === 'done') return
    this.stage = 'run over'
    this.runIsOver = true
    this.stopWatch?.()
    this.ended = true
    this.request.customer.journal.append(this.record)
  }
}

/** The small answer of somebody who stands in front of a host. */
export function frontHead(status: number, retryAfterUs: number | undefined): LeanHead {
  // The header knows whole seconds only; sooner than meant would be wrong.
  const askedUs = retryAfterUs === undefined ? undefined : Math.ceil(retryAfterUs / 1_000_000) * 1_000_000
  return { status, says: { of: 'front' }, hintUs: undefined, retryAfterUs: askedUs, etag: undefined }
}
