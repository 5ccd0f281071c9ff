/** A client's side of the lean world: what processes see of it. */
import type { Cancel } from '../../kernel/clock.ts'
import type { RandomStream } from '../../kernel/random.ts'
import { spellDuration } from '../../kernel/units.ts'
import type {
  Incoming,
  Inbox,
  OpenOptions,
  Pending,
  Post,
  ProcessWorld,
  Timer,
} from '../../mechanisms/client-world.ts'
import {
  CallError,
  type GetAnswer,
  type SeenTask,
  type ServerWords,
  type StreamedChange,
} from '../../mechanisms/client.ts'
import type { PathClock } from '../../path/clock.ts'
import type { Binding, Message } from '../../protocol/a2a.ts'
import type { Asker, Break } from './exchange.ts'
import { brokenCall, cutRefusal, refusedCall } from './failures.ts'
import type { LeanJournal } from './journal.ts'
import type { LeanKnowledge } from './knowledge.ts'
import type { LeanHead, LeanPiece, LeanRequest } from './messages.ts'
import type { Asking, Begun, LeanNetwork } from './network.ts'
import type { LeanReceiver } from './receiver.ts'
import type { LeanClock } from './time.ts'

export interface LeanClientOptions {
  /** True time. */
  clock: LeanClock
  /** The client's own, which may run fast or slow. */
  ownClock: PathClock
  network: LeanNetwork
  asking: Asking
  receiver: LeanReceiver
  knowledge: LeanKnowledge
  journal: LeanJournal
  binding: Binding
  offers: ProcessWorld['offers']
  /** Whether it fetches the agent's card before anything else. */
  fetchesCard: boolean
  random: (purpose: string) => RandomStream
}

export interface LeanClient {
  world: ProcessWorld
  /** Whether it has read the id of its task. */
  knowsTask(): boolean
}

/** Whether any request may have begun a task. */
interface SendWatch {
  mayHaveBegun: boolean
}

export function createLeanClient(options: LeanClientOptions): LeanClient {
  const { clock, ownClock, network, asking, receiver, knowledge, journal, binding, offers, random } = options
  let knowsTask = false
  /** What it asks because of a post leaves once that is taken. */
  let isTaking = false
  const taking = (act: () => void): void => {
    isTaking = true
    act()
    isTaking = false
  }

  // The card

  let cardIs: 'known' | 'asked for' | 'unknown' = options.fetchesCard ? 'unknown' : 'known'
  const waitingForCard: ((error: CallError | undefined) => void)[] = []

  /** Calls `ready` once the card is there, or with why it is not. */
  function withCard(ready: (error: CallError | undefined) => void): void {
    waitingForCard.push(ready)
    if (cardIs === 'asked for') return
    cardIs = 'asked for'
    const card = new Call<void>(
      CARD_REQUEST,
      () => undefined,
      (error) => {
        cardIs = error === undefined ? 'known' : 'unknown'
        for (const tell of waitingForCard.splice(0)) tell(error)
      },
    )
    card.start({ operation: 'agent card', octets: 0 }, undefined)
  }

  // Calls

  class Call<T> implements Pending<T>, Asker {
    ready = false
    wake: (() => void) | undefined = undefined
    readonly operation: string
    readonly #read: (head: LeanHead, exchange: number) => T
    readonly #told: ((error: CallError | undefined) => void) | undefined
    #watch: SendWatch | undefined
    #begun: Begun | undefined
    #head: LeanHead | undefined
    #exchange = 0
    #value: T | undefined
    #error: CallError | undefined
    #stopTimer: Cancel | undefined

    constructor(
      operation: string,
      read: (head: LeanHead, exchange: number) => T,
      told?: (error: CallError | undefined) => void,
    ) {
      this.operation = operation
      this.#read = read
      this.#told = told
    }

    start(request: LeanRequest, timeoutUs: number | undefined, watch?: SendWatch): this {
      this.#watch = watch !== undefined && isPost(request, binding) ? watch : undefined
      if (cardIs === 'known' || request.operation === 'agent card') this.#begin(request, timeoutUs)
      else
        withCard((error) => {
          if (this.ready) return
          if (error === undefined) this.#begin(request, timeoutUs)
          else this.#finish(error)
        })
      return this
    }

    #begin(request: LeanRequest, timeoutUs: number | undefined): void {
      if (timeoutUs !== undefined)
        this.#stopTimer = patience(timeoutUs, () => {
          this.#noteFailure()
          this.#begun?.letGo()
          this.#finish(tooLate(this.operation, timeoutUs))
        })
      if (isTaking) clock.soon(() => this.#setOut(request))
      else this.#setOut(request)
    }

    #setOut(request: LeanRequest): void {
      if (this.ready) return
      const begun = network.begin(asking, request, this)
      if (!this.ready) this.#begun = begun
    }

    take(): T {
      if (!this.ready) throw new Error(`${this.operation} was asked for its answer before it had one`)
      if (this.#error !== undefined) throw this.#error
      return this.#value as T
    }

    abandon(): void {
      if (this.ready) return
      this.#noteFailure()
      this.ready = true
      this.wake = undefined
      this.#stopTimer?.()
      this.#begun?.letGo()
    }

    head(head: LeanHead, exchange: number): void {
      this.#head = head
      this.#exchange = exchange
      if (this.#watch !== undefined && !isTurnedAway(head.status)) this.#watch.mayHaveBegun = true
    }

    piece(): void {}

    end(): void {
      const head = this.#head as LeanHead
      const error = refusedCall(this.operation, head)
      if (error === undefined) this.#value = this.#read(head, this.#exchange)
      this.#finish(error)
    }

    broke(how: Break): void {
      if (how !== 'refused' && how !== 'no name') this.#noteFailure()
      const head = this.#head
      this.#finish((head && cutRefusal(this.operation, head)) ?? brokenCall(this.operation, how))
    }

    /** Nobody knows what the agent did about it. */
    #noteFailure(): void {
      if (this.#watch !== undefined && this.#head === undefined) this.#watch.mayHaveBegun = true
    }

    #finish(error: CallError | undefined): void {
      if (this.ready) return
      this.ready = true
      this.#error = error
      this.#stopTimer?.()
      this.#told?.(error)
      this.wake?.()
    }
  }

  class Stream implements Incoming, Asker {
    wake: (() => void) | undefined = undefined
    readonly operation: string
    readonly #onSign: OpenOptions['onSign']
    readonly #watch: SendWatch | undefined
    readonly #events: StreamedChange[] = []
    #begun: Begun | undefined
    #head: LeanHead | undefined
    #exchange = 0
    #isOver = false
    #error: CallError | undefined
    #stopTimer: Cancel | undefined
    /** The last id there was: it stays that of all further events. */
    #id: string | undefined

    constructor(request: LeanRequest, { timeoutUs, onSign }: OpenOptions, watch: SendWatch | undefined) {
      this.operation = request.operation
      this.#onSign = onSign
      this.#watch = watch !== undefined && isPost(request, binding) ? watch : undefined
      if (cardIs === 'known') this.#begin(request, timeoutUs)
      else
        withCard((error) => {
          if (this.#isOver) return
          if (error === undefined) this.#begin(request, timeoutUs)
          else this.#finish(error)
        })
    }

    #begin(request: LeanRequest, timeoutUs: number | undefined): void {
      if (timeoutUs !== undefined)
        this.#stopTimer = patience(timeoutUs, () => {
          this.#noteFailure()
          this.#begun?.letGo()
          this.#finish(tooLate(this.operation, timeoutUs))
        })
      if (isTaking) clock.soon(() => this.#setOut(request))
      else this.#setOut(request)
    }

    #setOut(request: LeanRequest): void {
      if (this.#isOver) return
      const begun = network.begin(asking, request, this)
      if (!this.#isOver) this.#begun = begun
    }

    get ready(): boolean {
      return this.#isOver || this.#events.length > 0
    }

    take(): StreamedChange | undefined {
      const event = this.#events.shift()
      if (event !== undefined) return event
      if (!this.#isOver) throw new Error(`${this.operation} was asked for an event before it had one`)
      if (this.#error !== undefined) throw this.#error
      return undefined
    }

    abandon(): void {
      if (this.#isOver) return
      this.#noteFailure()
      this.#isOver = true
      this.wake = undefined
      this.#stopTimer?.()
      this.#begun?.letGo()
    }

    head(head: LeanHead, exchange: number): void {
      this.#head = head
      this.#exchange = exchange
      if (this.#watch !== undefined && !isTurnedAway(head.status)) this.#watch.mayHaveBegun = true
      if (head.says.of !== 'stream') return
      this.#stopTimer?.()
      this.#onSign?.({ retryUs: undefined })
    }

    piece({ said }: LeanPiece): void {
      if (this.#isOver) return
      let retryUs: number | undefined
      for (const one of said) if (one.of === 'event') retryUs = one.retryUs ?? retryUs
      this.#onSign?.({ retryUs })
      for (const one of said) {
        if (one.of !== 'event') continue
        this.#id = one.id ?? this.#id
        const { change, task } = one
        this.#events.push({ change, task, exchange: this.#exchange, eventId: this.#id })
      }
      // Who reads a stream gets to it once all that comes at this instant has come.
      if (this.#events.length > 0) clock.soon(() => this.wake?.())
    }

    end(): void {
      const head = this.#head as LeanHead
      this.#finish(head.says.of === 'stream' ? undefined : refusedCall(this.operation, head))
    }

    broke(how: Break): void {
      if (how !== 'refused' && how !== 'no name') this.#noteFailure()
      const head = this.#head
      this.#finish((head && cutRefusal(this.operation, head)) ?? brokenCall(this.operation, how))
    }

    #noteFailure(): void {
      if (this.#watch !== undefined && this.#head === undefined) this.#watch.mayHaveBegun = true
    }

    #finish(error: CallError | undefined): void {
      if (this.#isOver) return
      this.#isOver = true
      this.#error = error
      this.#stopTimer?.()
      this.wake?.()
    }
  }

  /** How long a call may take, by the client's clock. What is scheduled for the last instant already, such as an answer's arrival, goes first. */
  function patience(limitUs: number, runsOut: () => void): Cancel {
    const dueUs = ownClock.nowUs() + limitUs
    let cancel = ownClock.at(dueUs, () => {
      cancel = ownClock.at(dueUs, runsOut)
    })
    return () => cancel()
  }

  const callsOf = (watch: SendWatch | undefined): Omit<ProcessWorld, 'watchingSends'> => ({
    send: (configuration, { timeoutUs, holdUs } = {}) =>
      new Call('SendMessage', seenIn).start(
        {
          operation: 'SendMessage',
          octets: 0,
          message: JOB_MESSAGE,
          returnImmediately: configuration.returnImmediately === true,
          holdUs,
          webhook: configuration.taskPushNotificationConfig?.url,
        },
        timeoutUs,
        watch,
      ),
    answer: ({ taskId }, message, wait) =>
      new Call('SendMessage', seenIn).start(
        {
          operation: 'SendMessage',
          octets: 0,
          taskId,
          message,
          returnImmediately: wait === undefined,
          holdUs: wait?.holdUs,
        },
        wait?.timeoutUs,
        watch,
      ),
    get: (taskId, { etag, holdUs, timeoutUs } = {}) =>
      new Call<GetAnswer>('GetTask', gotIn).start(
        { operation: 'GetTask', octets: 0, taskId, etag, holdUs },
        timeoutUs,
        watch,
      ),
    register: (taskId, { url }) =>
      new Call<void>('CreateTaskPushNotificationConfig', () => undefined).start(
        { operation: 'CreateTaskPushNotificationConfig', octets: 0, taskId, webhook: url },
        undefined,
        watch,
      ),
    stream: (configuration, opening = {}) =>
      new Stream(
        {
          operation: 'SendStreamingMessage',
          octets: 0,
          message: JOB_MESSAGE,
          webhook: configuration.taskPushNotificationConfig?.url,
        },
        opening,
        watch,
      ),
    answerStreaming: ({ taskId }, message, opening = {}) =>
      new Stream({ operation: 'SendStreamingMessage', octets: 0, taskId, message }, opening, watch),
    subscribe: (taskId, opening = {}) =>
      new Stream(
        { operation: 'SubscribeToTask', octets: 0, taskId, lastEventId: opening.lastEventId },
        opening,
        watch,
      ),
    nowUs: () => ownClock.nowUs(),
    timer: (atUs, last) => startTimer(ownClock, atUs, last === true),
    offers,
    observe(change, by, exchange) {
      knowsTask ||= by !== 'push'
      return knowledge.observe(change, by, exchange, clock.nowUs())
    },
    openInbox: () => openLeanInbox(receiver, taking),
    random,
    handOver: (to, reason) => journal.append({ kind: 'hand-over', atUs: clock.nowUs(), to, reason }),
  })

  const worldWith = (watch: SendWatch | undefined): ProcessWorld => ({
    ...callsOf(watch),
    watchingSends() {
      const inner: SendWatch = {
        get mayHaveBegun() {
          return begun
        },
        set mayHaveBegun(value: boolean) {
          begun = value
          if (watch !== undefined && value) watch.mayHaveBegun = true
        },
      }
      let begun = false
      return { world: worldWith(inner), mayHaveBegun: () => begun }
    },
  })

  return { world: worldWith(undefined), knowsTask: () => knowsTask }
}

const CARD_REQUEST = 'the request for the agent card'

/** The message every job begins with. */
const JOB_MESSAGE: Message = { messageId: 'job', role: 'ROLE_USER', parts: [] }

/** Only POSTs begin anything; over JSON-RPC every call is one. */
const isPost = ({ operation }: LeanRequest, binding: Binding): boolean =>
  operation !== 'agent card' &&
  (binding === 'JSONRPC' || (operation !== 'GetTask' && operation !== 'SubscribeToTask'))

/** The statuses by which a door turns requests away before anybody acts on them. */
const isTurnedAway = (status: number): boolean => status === 429 || status === 503

const tooLate = (operation: string, limitUs: number): CallError =>
  new CallError(`${operation} had no answer within ${spellDuration(limitUs)}`, { of: 'timeout' })

const wordsOf = ({ hintUs, retryAfterUs, etag }: LeanHead): ServerWords => ({ hintUs, retryAfterUs, etag })

function seenIn(head: LeanHead, exchange: number): SeenTask {
  const { says } = head
  if (says.of !== 'task') throw new Error('an answer that shows no task was read as one')
  const { task, view } = says
  return { taskId: task.taskId, contextId: task.contextId, view, exchange, says: wordsOf(head) }
}

const gotIn = (head: LeanHead, exchange: number): GetAnswer =>
  head.says.of === 'task'
    ? { of: 'task', task: seenIn(head, exchange) }
    : { of: 'not-modified', says: wordsOf(head) }

function startTimer(clock: PathClock, atUs: number, last: boolean): Timer {
  const dueUs = Math.max(atUs, clock.nowUs())
  let cancel = clock.at(dueUs, last ? () => void (cancel = clock.at(dueUs, fire)) : () => fire())
  const timer = {
    ready: false,
    wake: undefined as (() => void) | undefined,
    cancel: () => cancel(),
  }
  function fire(): void {
    timer.ready = true
    timer.wake?.()
  }
  return timer
}

function openLeanInbox(receiver: LeanReceiver, taking: (act: () => void) => void): Inbox {
  const posts: Post[] = []
  let isOpen = true
  const url = receiver.open(({ change, task }, exchange) => {
    if (!isOpen) return
    posts.push({ change, task, exchange })
    taking(() => inbox.wake?.())
  })
  const inbox = {
    config: { url },
    get ready() {
      return posts.length > 0
    },
    wake: undefined as (() => void) | undefined,
    take() {
      const post = posts.shift()
      if (post === undefined) throw new Error('an inbox was asked for a post before it had one')
      return post
    },
    close() {
      isOpen = false
      posts.length = 0
    },
  }
  return inbox
}
