/** Calls and streams of a lean client under way. */
import type { Cancel } from '../../kernel/clock.ts'
import { spellDuration } from '../../kernel/units.ts'
import type { Incoming, OpenOptions, Pending } from '../../mechanisms/client-world.ts'
import { CallError, type StreamedChange } from '../../mechanisms/client.ts'
import type { PathClock } from '../../path/clock.ts'
import type { Binding } from '../../protocol/a2a.ts'
import type { Asker, Break } from './exchange.ts'
import { brokenCall, cutRefusal, refusedCall } from './failures.ts'
import type { Customer, LeanHead, LeanPiece, LeanRequest } from './messages.ts'
import type { Asking, Begun, LeanNetwork } from './network.ts'
import type { LeanClock } from './time.ts'

/** Whether any request may have begun a task. */
export interface SendWatch {
  mayHaveBegun: boolean
  /** Who else wants to know. */
  outer: SendWatch | undefined
}

/** What the calls of one client have in common. */
export interface Caller {
  customer: Customer
  clock: LeanClock
  /** The client's own, which may run fast or slow. */
  ownClock: PathClock
  network: LeanNetwork
  asking: Asking
  binding: Binding
  /** Set while a post is taken: what is asked because of it leaves once that is done. */
  isTaking: boolean
  card: 'known' | 'asked for' | 'unknown'
  /** Those who wait for the card, each told why it did not come if it did not. */
  waitingForCard: ((error: CallError | undefined) => void)[]
}

const CARD_REQUEST = 'the request for the agent card'

/** Calls `ready` once the card is there, or with why it is not. */
function withCard(caller: Caller, ready: (error: CallError | undefined) => void): void {
  caller.waitingForCard.push(ready)
  if (caller.card === 'asked for') return
  caller.card = 'asked for'
  const card = new LeanCall<undefined>(caller, CARD_REQUEST, () => undefined, undefined)
  card.told = (error) => {
    caller.card = error === undefined ? 'known' : 'unknown'
    for (const tell of caller.waitingForCard.splice(0)) tell(error)
  }
  card.setOut({ customer: caller.customer, operation: 'agent card', octets: 0 })
}

/** A client that is getting ready. */
export class Readiness implements Pending<void> {
  ready: boolean
  wake: (() => void) | undefined
  private error: CallError | undefined

  constructor(caller: Caller) {
    this.ready = false
    this.wake = undefined
    this.error = undefined
    const { clock, isTaking } = caller
    const come = (): void => this.come(undefined)
    // What is asked because of a post leaves behind the answers to the posts of this instant.
    if (caller.card === 'known') clock.soon(isTaking ? () => clock.soon(come) : come)
    else withCard(caller, (error) => this.come(error))
  }

  private come(error: CallError | undefined): void {
    this.error = error
    this.ready = true
    this.wake?.()
  }

  take(): void {
    if (this.error !== undefined) throw this.error
  }

  abandon(): void {}
}

/** How long a call may take, by the client's clock. What is scheduled for the last instant already, such as an answer's arrival, goes first. */
function patience({ ownClock }: Caller, limitUs: number, runsOut: () => void): Cancel {
  const dueUs = ownClock.nowUs() + limitUs
  let cancel = ownClock.at(dueUs, () => {
    cancel = ownClock.at(dueUs, runsOut)
  })
  return () => cancel()
}

const tooLate = (operation: string, limitUs: number): CallError =>
  new CallError(`${operation} had no answer within ${spellDuration(limitUs)}`, { of: 'timeout' })

/** Only POSTs begin anything; over JSON-RPC every call is one. */
const isPost = (operation: string, binding: Binding): boolean =>
  binding === 'JSONRPC' || (operation !== 'GetTask' && operation !== 'SubscribeToTask')

/** The statuses by which a door turns requests away before anybody acts on them. */
const isTurnedAway = (status: number): boolean => status === 429 || status === 503

function noteBegun(watch: SendWatch | undefined): void {
  for (let one = watch; one !== undefined; one = one.outer) one.mayHaveBegun = true
}

/** What calls and streams have in common: how they set out and how they fail. */
abstract class Under implements Asker {
  wake: (() => void) | undefined
  protected readonly caller: Caller
  protected readonly operation: string
  protected readonly watch: SendWatch | undefined
  protected answered: LeanHead | undefined
  protected exchange: number
  protected isOver: boolean
  protected error: CallError | undefined
  protected stopTimer: Cancel | undefined
  private begun: Begun | undefined

  constructor(caller: Caller, operation: string, watch: SendWatch | undefined) {
    this.wake = undefined
    this.caller = caller
    this.operation = operation
    this.watch = watch !== undefined && isPost(operation, caller.binding) ? watch : undefined
    this.answered = undefined
    this.exchange = 0
    this.isOver = false
    this.error = undefined
    this.stopTimer = undefined
    this.begun = undefined
  }

  start(request: LeanRequest, timeoutUs: number | undefined): this {
    if (this.caller.card === 'known') this.leave(request, timeoutUs)
    else
      withCard(this.caller, (error) => {
        if (this.isOver) return
        if (error === undefined) this.leave(request, timeoutUs)
        else this.finish(error)
      })
    return this
  }

  private leave(request: LeanRequest, timeoutUs: number | undefined): void {
    if (timeoutUs !== undefined)
      this.stopTimer = patience(this.caller, timeoutUs, () => {
        this.noteFailure()
        this.begun?.letGo()
        this.finish(tooLate(this.operation, timeoutUs))
      })
    const { clock, isTaking } = this.caller
    // Behind the answers to the posts of this instant.
    if (isTaking) clock.soon(() => clock.soon(() => this.setOut(request)))
    else this.setOut(request)
  }

  setOut(request: LeanRequest): void {
    if (this.isOver) return
    const begun = this.caller.network.begin(this.caller.asking, request, this)
    if (!this.isOver) this.begun = begun
  }

  abandon(): void {
    if (this.isOver) return
    this.noteFailure()
    this.isOver = true
    this.wake = undefined
    this.stopTimer?.()
    this.begun?.letGo()
  }

  head(head: LeanHead, exchange: number): void {
    this.answered = head
    this.exchange = exchange
    if (this.watch !== undefined && !isTurnedAway(head.status)) noteBegun(this.watch)
  }

  abstract piece(piece: LeanPiece): void
  abstract end(): void

  broke(how: Break): void {
    if (how !== 'refused' && how !== 'no name') this.noteFailure()
    const head = this.answered
    this.finish((head && cutRefusal(this.operation, head)) ?? brokenCall(this.operation, how))
  }

  /** Nobody knows what the agent did about it. */
  private noteFailure(): void {
    if (this.watch !== undefined && this.answered === undefined) noteBegun(this.watch)
  }

  protected finish(error: CallError | undefined): void {
    if (this.isOver) return
    this.isOver = true
    this.error = error
    this.stopTimer?.()
    this.tell()
    this.wake?.()
  }

  /** It is over. */
  protected tell(): void {}
}

export class LeanCall<T> extends Under implements Pending<T> {
  /** Hears of its end before anybody else. */
  told: ((error: CallError | undefined) => void) | undefined
  private readonly read: (head: LeanHead, exchange: number) => T
  private value: T | undefined

  constructor(
    caller: Caller,
    operation: string,
    read: (head: LeanHead, exchange: number) => T,
    watch: SendWatch | undefined,
  ) {
    super(caller, operation, watch)
    this.told = undefined
    this.read = read
    this.value = undefined
  }

  get ready(): boolean {
    return this.isOver
  }

  take(): T {
    if (!this.isOver) throw new Error(`${this.operation} was asked for its answer before it had one`)
    if (this.error !== undefined) throw this.error
    return this.value as T
  }

  piece(): void {}

  end(): void {
    const { clock } = this.caller
    // To read an answer takes longer than to send what is about to be sent.
    if (clock.pending() > 0) clock.soon(() => this.understand())
    else this.understand()
  }

  private understand(): void {
    const head = this.answered as LeanHead
    const error = refusedCall(this.operation, head)
    if (error === undefined) this.value = this.read(head, this.exchange)
    this.finish(error)
  }

  protected override tell(): void {
    this.told?.(this.error)
  }
}

export class LeanStream extends Under implements Incoming {
  private readonly onSign: OpenOptions['onSign']
  private readonly events: StreamedChange[]
  /** The last id there was: it stays that of all further events. */
  private id: string | undefined

  constructor(
    caller: Caller,
    operation: string,
    onSign: OpenOptions['onSign'],
    watch: SendWatch | undefined,
  ) {
    super(caller, operation, watch)
    this.onSign = onSign
    this.events = []
    this.id = undefined
  }

  get ready(): boolean {
    return this.isOver || this.events.length > 0
  }

  take(): StreamedChange | undefined {
    const event = this.events.shift()
    if (event !== undefined) return event
    if (!this.isOver) throw new Error(`${this.operation} was asked for an event before it had one`)
    if (this.error !== undefined) throw this.error
    return undefined
  }

  override head(head: LeanHead, exchange: number): void {
    super.head(head, exchange)
    if (head.says.of !== 'stream') return
    this.stopTimer?.()
    this.onSign?.({ retryUs: undefined })
  }

  override abandon(): void {
    const { wake } = this
    super.abandon()
    // What has come is about to be read.
    if (this.events.length > 0) this.wake = wake
  }

  piece({ said }: LeanPiece): void {
    if (this.isOver) return
    let retryUs: number | undefined
    for (const one of said) if (one.of === 'event') retryUs = one.retryUs ?? retryUs
    this.onSign?.({ retryUs })
    for (const one of said) {
      if (one.of !== 'event') continue
      this.id = one.id ?? this.id
      const { change, task } = one
      this.events.push({ change, task, exchange: this.exchange, eventId: this.id })
    }
    // Who reads a stream gets to it once all that comes at this instant has come.
    if (this.events.length > 0)
      this.caller.clock.soon(() => {
        if (this.events.length > 0) this.wake?.()
      })
  }

  end(): void {
    const head = this.answered as LeanHead
    this.finish(head.says.of === 'stream' ? undefined : refusedCall(this.operation, head))
  }
}
