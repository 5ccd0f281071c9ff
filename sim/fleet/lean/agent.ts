/** The lean agent: what the imitation agent does about requests, without texts. */
import { type Capacity, createDesk, type Desk } from '../../policies/desk.ts'
import { createTokenBucket, type TokenBucket } from '../../policies/token-bucket.ts'
import type { RandomStream } from '../../kernel/random.ts'
import { jsonRpcHttpStatusOf, kindOf } from '../../protocol/errors.ts'
import { kindOfOperation } from '../../protocol/operations.ts'
import { isInterrupted } from '../../protocol/states.ts'
import type { AgentSettings, StreamingSettings } from '../../scenario/scenario.ts'
import { frontHead, type LeanHost, type Reply } from './exchange.ts'
import type { Customer, LeanErrorName, LeanHead, LeanPiece, LeanRequest } from './messages.ts'
import type { LeanSizes } from './sizes.ts'
import { openLeanStream } from './streams.ts'
import { LeanTask, type Refusal, type TaskWorld } from './task.ts'
import type { LeanClock } from './time.ts'
import { openLeanWebhook, type PostWorld } from './webhooks.ts'

export interface LeanAgentOptions {
  clock: LeanClock
  settings: AgentSettings
  /** The agent's chance, one stream for each purpose. */
  random: (purpose: string) => RandomStream
  sizes: LeanSizes
  /** How webhook posts leave. */
  post: PostWorld['send']
}

export interface LeanAgent extends LeanHost {
  /** Makes every change of the agent's own that is due by now. */
  catchUp(): void
  restart(loses: 'streams' | 'posts' | 'tasks'): void
  /** Nobody will ask for this client's tasks any more: they are kept no longer. */
  release(customer: Customer): void
  /** Whether it has nothing more to do by itself: every task is over and no webhook post is on its way. */
  isIdle(): boolean
}

/** Answers that are not over yet, as the agent sees them: how each is broken off. */
export type OpenAnswers = Set<() => void>

export function createLeanAgent(options: LeanAgentOptions): LeanAgent {
  const { clock, settings, random, sizes } = options
  const { polling, streaming, push, blocking, binding, errorProfile } = settings
  const isRpc = binding === 'JSONRPC'
  const tasks = new Map<string, LeanTask>()
  const openAnswers: OpenAnswers = new Set()
  const lifetimes = lazily(() => random('stream lifetimes'))
  const retryChance = lazily(() => random('webhook retries'))
  const admits = createGate(settings.quotas, clock)
  const tags = (polling.etag || polling.holdUs > 0) && !isRpc
  const { capacity } = settings
  const desk = capacity && createDesk(capacity, clock, random('service'))
  let going = 0
  let begun = 0
  let hooks = 0

  const busy: TaskWorld['busy'] = (by) => void (going += by)
  const taskWorld: TaskWorld = { clock, settings, busy }

  function catchUp(): void {
    for (const task of tasks.values()) task.catchUp()
  }

  /** What tasks of others do at this instant nobody sees by this request. */
  function catchUpWith({ hadBy }: Customer): void {
    const pending = clock.pending()
    for (const task of hadBy.values()) task.catchUp()
    saysLater = clock.pending() > pending
  }

  // What there is to say

  function errorHead(name: LeanErrorName, message = '', retryAfterUs?: number): LeanHead {
    const status = isRpc ? jsonRpcHttpStatusOf(name) : kindOf(name, errorProfile).httpStatus
    const text = message === '' ? kindOf(name).message : message
    return {
      status,
      says: { of: 'error', name, message: text },
      hintUs: undefined,
      // Whole seconds, rounded up: who heeds it is not early.
      retryAfterUs: retryAfterUs === undefined ? undefined : Math.ceil(retryAfterUs / 1_000_000) * 1_000_000,
      etag: undefined,
    }
  }

  const refusalHead = ({ name, message, retryAfterUs }: Refusal): LeanHead =>
    errorHead(name, message, retryAfterUs)

  /** The task as it is, and when to ask again. */
  function taskHead(task: LeanTask, ifNoneMatch: string | undefined): LeanHead {
    const hintUs = task.hintUs()
    const etag = tags ? etagOf(task.position) : undefined
    if (hintUs === undefined && etag === undefined)
      return (task.plainHead ??= {
        status: 200,
        says: { of: 'task', task: task.ids, view: task.view() },
        hintUs: undefined,
        retryAfterUs: undefined,
        etag: undefined,
      })
    const isHeader = polling.hintVia === 'retry-after'
    const same = polling.etag && etag !== undefined && ifNoneMatch === etag
    return {
      status: same ? 304 : 200,
      says: same ? { of: 'done' } : { of: 'task', task: task.ids, view: task.view() },
      hintUs: isHeader || (same && polling.hintVia === 'body') ? undefined : hintUs,
      retryAfterUs: isHeader && hintUs !== undefined ? Math.ceil(hintUs / 1_000_000) * 1_000_000 : undefined,
      etag,
    }
  }

  // Tasks

  /** One whose time is over is as unknown as one that never was. */
  function taskOf(id: string | undefined): LeanTask | undefined {
    const task = id === undefined ? undefined : tasks.get(id)
    if (task === undefined) return undefined
    if (!task.isExpired()) return task
    tasks.delete(task.ids.taskId)
    task.delete()
    return undefined
  }

  function register(task: LeanTask, url: string): void {
    const id = `hook ${++hooks}`
    if (push === false) throw new Error('an agent that does not push was given a webhook')
    const webhook = openLeanWebhook(
      { url, sending: push, sizes },
      { clock, busy, send: options.post, retryChance: retryChance() },
      {
        customer: task.customer,
        task: task.ids,
        untilUs: () => task.untilUs(),
        remove: () => task.removeWebhook(id),
      },
    )
    task.webhooks.set(id, webhook)
  }

  /** The task a message begins or goes to, or why it does not. */
  function hear({ customer, message, taskId, webhook }: LeanRequest): LeanTask | LeanHead {
    const messageId = message?.messageId ?? ''
    const { hadBy } = customer
    const before = hadBy.get(messageId)
    if (before?.isExpired() === false) return before
    let task: LeanTask
    if (taskId === undefined) {
      if (webhook !== undefined && push === false) return errorHead('PushNotificationNotSupportedError')
      const number = ++begun
      task = new LeanTask({ taskId: `task ${number}`, contextId: `context ${number}` }, customer, taskWorld)
      if (webhook !== undefined) register(task, webhook)
      tasks.set(task.ids.taskId, task)
    } else {
      const known = taskOf(taskId)
      if (known === undefined) return errorHead('TaskNotFoundError')
      if (known.isOver)
        return errorHead('UnsupportedOperationError', 'the task is over: send a new message in its context')
      if (webhook !== undefined) register(known, webhook)
      known.hear()
      task = known
    }
    hadBy.set(messageId, task)
    return task
  }

  // Answers

  /** Set while a request is answered before which something happened: others hear of that first. */
  let saysLater = false

  function say(reply: Reply, head: LeanHead): void {
    if (saysLater) clock.soon(() => reply.whole(head))
    else reply.whole(head)
  }

  /** Holds an answer back until there is enough to tell, or the hold is over. */
  function hold(
    task: LeanTask,
    reply: Reply,
    { forUs, isEnough }: { forUs: number | undefined; isEnough: () => boolean },
    answer: () => LeanHead,
  ): void {
    let isHeld = true
    function letGo(): void {
      isHeld = false
      task.followers.delete(follower)
      cancel?.()
      openAnswers.delete(letGo)
      reply.gone = undefined
    }
    function tell(): void {
      if (!isHeld) return
      letGo()
      // As it is once all that happens at this instant by itself has happened.
      clock.soon(() => reply.whole(answer()))
    }
    const follower = {
      told() {
        if (isEnough()) tell()
      },
      deleted() {
        letGo()
        clock.soon(() => reply.whole(errorHead('TaskNotFoundError')))
      },
    }
    task.followers.add(follower)
    const cancel =
      forUs === undefined
        ? undefined
        : clock.at(clock.nowUs() + forUs, () => {
            task.catchUp()
            tell()
          })
    openAnswers.add(letGo)
    reply.gone = letGo
  }

  function stream(
    task: LeanTask,
    how: StreamingSettings,
    lastEventId: string | undefined,
    reply: Reply,
  ): void {
    const position =
      lastEventId !== undefined && /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : undefined
    const missed =
      how.replayUs === 0 || position === undefined ? undefined : task.missedSince(position, how.replayUs)
    if (missed === undefined && task.isOver) {
      say(
        reply,
        errorHead('UnsupportedOperationError', 'the task is over: nothing follows, ask with GetTask'),
      )
      return
    }
    openLeanStream(task, missed, how, { clock, openAnswers, lifetimes: lifetimes(), sizes }, reply, saysLater)
  }

  function send(request: LeanRequest, reply: Reply): void {
    const heard = hear(request)
    if (!(heard instanceof LeanTask)) {
      say(reply, heard)
      return
    }
    if (request.operation === 'SendStreamingMessage') {
      stream(heard, streaming as StreamingSettings, undefined, reply)
      return
    }
    const forUs = blocking === false ? 0 : shorterOf(blocking.holdUs, request.holdUs)
    if (request.returnImmediately === true || forUs === 0 || hasStopped(heard))
      say(reply, taskHead(heard, undefined))
    else hold(heard, reply, { forUs, isEnough: () => hasStopped(heard) }, () => taskHead(heard, undefined))
  }

  function get(request: LeanRequest, reply: Reply): void {
    const task = taskOf(request.taskId)
    if (task === undefined) {
      say(reply, errorHead('TaskNotFoundError'))
      return
    }
    const refused = task.polled()
    if (refused !== undefined) {
      say(reply, refusalHead(refused))
      return
    }
    const etag = isRpc ? undefined : request.etag
    const hasNews = etag !== undefined && etag !== etagOf(task.position)
    const forUs = request.holdUs === undefined ? 0 : Math.min(request.holdUs, polling.holdUs)
    if (forUs === 0 || hasNews || task.isOver) say(reply, taskHead(task, etag))
    else hold(task, reply, { forUs, isEnough: () => true }, () => taskHead(task, etag))
  }

  function perform(request: LeanRequest, reply: Reply): void {
    switch (request.operation) {
      case 'SendMessage':
        return send(request, reply)
      case 'SendStreamingMessage':
        return streaming === false ? noStreams(reply) : send(request, reply)
      case 'SubscribeToTask': {
        if (streaming === false) return noStreams(reply)
        const task = taskOf(request.taskId)
        if (task === undefined) return say(reply, errorHead('TaskNotFoundError'))
        return stream(task, streaming, request.lastEventId, reply)
      }
      case 'CreateTaskPushNotificationConfig': {
        if (push === false) return say(reply, errorHead('PushNotificationNotSupportedError'))
        const task = taskOf(request.taskId)
        if (task === undefined) return say(reply, errorHead('TaskNotFoundError'))
        register(task, request.webhook ?? '')
        return say(reply, DONE)
      }
      default:
        return get(request, reply)
    }
  }

  /** Serves a request when it is its turn. */
  function wait(itsDesk: Desk, request: LeanRequest, reply: Reply): void {
    const { operation, customer } = request
    let isOver = false
    let leave = (): void => {}
    const over = (): void => {
      isOver = true
      leave()
    }
    leave = itsDesk.enter({
      operation: kindOfOperation(operation),
      serve(waitedUs) {
        catchUpWith(customer)
        if (capacity?.handlers !== undefined)
          customer.journal.append({ kind: 'served', atUs: clock.nowUs(), operation, waitedUs })
        perform(request, new WatchedReply(reply, over))
      },
      turnAway() {
        customer.journal.append({ kind: 'turned-away', atUs: clock.nowUs(), operation })
        const { answer, retryAfterUs } = (capacity as Capacity).full
        if (answer === 'refuse' || answer === 'wait') reply.refuse()
        else reply.whole(frontHead(answer, retryAfterUs))
      },
    })
    if (isOver) leave()
    else reply.gone ??= over
  }

  const noStreams = (reply: Reply): void =>
    say(reply, errorHead('UnsupportedOperationError', 'this agent does not stream'))

  return {
    party: 'agent',
    serve(request, reply) {
      catchUpWith(request.customer)
      if (request.operation === 'agent card') {
        say(reply, DONE)
        return
      }
      const retryAfterUs = admits(request)
      if (retryAfterUs !== undefined)
        say(reply, errorHead('TooManyRequestsError', 'the quota of requests is used up', retryAfterUs))
      else if (desk === undefined) perform(request, reply)
      else wait(desk, request, reply)
    },
    catchUp,
    restart(loses) {
      catchUp()
      for (const breakOff of openAnswers) breakOff()
      openAnswers.clear()
      desk?.forget()
      if (loses === 'posts') {
        for (const task of tasks.values()) for (const webhook of task.webhooks.values()) webhook.forget()
      } else if (loses === 'tasks') {
        for (const task of tasks.values()) task.delete()
        tasks.clear()
      }
    },
    release({ hadBy }) {
      for (const { ids } of hadBy.values()) tasks.delete(ids.taskId)
      hadBy.clear()
    },
    isIdle: () => going === 0,
  }
}

const DONE: LeanHead = {
  status: 200,
  says: { of: 'done' },
  hintUs: undefined,
  retryAfterUs: undefined,
  etag: undefined,
}

const etagOf = (position: number): string => `W/"${position}"`

/** Whether nothing more happens to a task until somebody does something. */
const hasStopped = (task: LeanTask): boolean => task.isOver || isInterrupted(task.view().state)

/** Of two limits, either of which may be none. */
const shorterOf = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.min(a, b)

const lazily = <T>(make: () => T): (() => T) => {
  let made: T | undefined
  return () => (made ??= make())
}

/** How long to wait, if a request falls under a quota that is used up. One that is refused takes no token. */
function createGate(
  quotas: AgentSettings['quotas'],
  clock: LeanClock,
): (request: LeanRequest) => number | undefined {
  if (quotas.length === 0) return () => undefined
  const shelves = quotas.map((quota) => ({ quota, buckets: new Map<string, TokenBucket>() }))
  return ({ taskId, customer }) => {
    const nowUs = clock.nowUs()
    const due: TokenBucket[] = []
    for (const { quota, buckets } of shelves) {
      const key = keyOf(quota.per)
      if (key === undefined) continue
      const bucket = buckets.get(key) ?? createTokenBucket(quota)
      buckets.set(key, bucket)
      const waitUs = bucket.waitUs(nowUs)
      if (waitUs > 0) return quota.retryAfterUs ?? waitUs
      due.push(bucket)
    }
    for (const bucket of due) bucket.take(nowUs)
    return undefined

    function keyOf(per: AgentSettings['quotas'][number]['per']): string | undefined {
      switch (per) {
        case 'all':
          return ''
        case 'client':
          return String(customer.number)
        case 'task':
          return taskId
      }
    }
  }
}

/** A reply that tells when nothing more will come of it. */
class WatchedReply implements Reply {
  readonly #reply: Reply
  readonly #over: () => void
  #gone: (() => void) | undefined

  constructor(reply: Reply, over: () => void) {
    this.#reply = reply
    this.#over = over
    this.#gone = undefined
    reply.gone = () => {
      this.#gone?.()
      over()
    }
  }

  get gone(): (() => void) | undefined {
    return this.#gone
  }

  set gone(act: (() => void) | undefined) {
    this.#gone = act
  }

  refuse(): void {
    this.#over()
    this.#reply.refuse()
  }

  whole(head: LeanHead): void {
    this.#over()
    this.#reply.whole(head)
  }

  open(head: LeanHead, pieces: readonly LeanPiece[], ends: boolean): void {
    if (ends) this.#over()
    this.#reply.open(head, pieces, ends)
  }

  write(piece: LeanPiece): void {
    this.#reply.write(piece)
  }

  end(): void {
    this.#over()
    this.#reply.end()
  }

  breakOff(): void {
    this.#over()
    this.#reply.breakOff()
  }
}
