/** A client's side of the lean world: what processes see of it. */
import type { RandomStream } from '../../kernel/random.ts'
import type { Inbox, Post, ProcessWorld, Timer } from '../../mechanisms/client-world.ts'
import type { GetAnswer, SeenTask, ServerWords } from '../../mechanisms/client.ts'
import type { PathClock } from '../../path/clock.ts'
import type { Message } from '../../protocol/a2a.ts'
import { run } from '../../mechanisms/process.ts'
import { type Caller, LeanCall, LeanStream, Readiness, type SendWatch } from './calls.ts'
import type { LeanJournal } from './journal.ts'
import type { LeanKnowledge } from './knowledge.ts'
import type { LeanHead, LeanPost } from './messages.ts'
import type { LeanReceiver } from './receiver.ts'

export interface LeanClientOptions extends Pick<
  Caller,
  'clock' | 'ownClock' | 'network' | 'asking' | 'binding' | 'customer'
> {
  receiver: LeanReceiver
  knowledge: LeanKnowledge
  journal: LeanJournal
  offers: ProcessWorld['offers']
  /** Whether it fetches the agent's card before anything else. */
  fetchesCard: boolean
  random: (purpose: string) => RandomStream
}

export function createLeanClient(options: LeanClientOptions): ProcessWorld {
  const { clock, ownClock, network, asking, binding, customer, fetchesCard } = options
  const { receiver, knowledge, journal, offers, random } = options
  const caller: Caller = {
    clock,
    ownClock,
    network,
    asking,
    binding,
    customer,
    isTaking: false,
    card: fetchesCard ? 'unknown' : 'known',
    waitingForCard: [],
  }
  let knowsTask = false

  const worldWith = (watch: SendWatch | undefined): ProcessWorld => ({
    connect: () => new Readiness(caller),
    send: (configuration, { timeoutUs, holdUs } = {}) =>
      new LeanCall(caller, 'SendMessage', seenIn, watch).start(
        {
          customer,
          operation: 'SendMessage',
          octets: 0,
          message: JOB_MESSAGE,
          returnImmediately: configuration.returnImmediately === true,
          holdUs,
          webhook: configuration.taskPushNotificationConfig?.url,
        },
        timeoutUs,
      ),
    answer: ({ taskId }, message, wait) =>
      new LeanCall(caller, 'SendMessage', seenIn, watch).start(
        {
          customer,
          operation: 'SendMessage',
          octets: 0,
          taskId,
          message,
          returnImmediately: wait === undefined,
          holdUs: wait?.holdUs,
        },
        wait?.timeoutUs,
      ),
    get: (taskId, { etag, holdUs, timeoutUs } = {}) =>
      new LeanCall<GetAnswer>(caller, 'GetTask', gotIn, watch).start(
        { customer, operation: 'GetTask', octets: 0, taskId, etag, holdUs },
        timeoutUs,
      ),
    register: (taskId, { url }) =>
      new LeanCall<void>(caller, 'CreateTaskPushNotificationConfig', nothingIn, watch).start(
        { customer, operation: 'CreateTaskPushNotificationConfig', octets: 0, taskId, webhook: url },
        undefined,
      ),
    stream: (configuration, { timeoutUs, onSign } = {}) =>
      new LeanStream(caller, 'SendStreamingMessage', onSign, watch).start(
        {
          customer,
          operation: 'SendStreamingMessage',
          octets: 0,
          message: JOB_MESSAGE,
          webhook: configuration.taskPushNotificationConfig?.url,
        },
        timeoutUs,
      ),
    answerStreaming: ({ taskId }, message, { timeoutUs, onSign } = {}) =>
      new LeanStream(caller, 'SendStreamingMessage', onSign, watch).start(
        { customer, operation: 'SendStreamingMessage', octets: 0, taskId, message },
        timeoutUs,
      ),
    subscribe: (taskId, { timeoutUs, onSign, lastEventId } = {}) =>
      new LeanStream(caller, 'SubscribeToTask', onSign, watch).start(
        { customer, operation: 'SubscribeToTask', octets: 0, taskId, lastEventId },
        timeoutUs,
      ),
    nowUs: ownClock.nowUs,
    timer: (atUs, last) => new LeanTimer(ownClock, atUs, last === true),
    offers,
    observe(change, by, exchange) {
      knowsTask ||= by !== 'push'
      return knowledge.observe(change, by, exchange, clock.nowUs())
    },
    openInbox: () => new LeanInbox(receiver, caller, () => knowsTask),
    errand: run,
    random,
    handOver: (to, reason) => journal.append({ kind: 'hand-over', atUs: clock.nowUs(), to, reason }),
    watchingSends() {
      const inner: SendWatch = { mayHaveBegun: false, outer: watch }
      return { world: worldWith(inner), mayHaveBegun: () => inner.mayHaveBegun }
    },
  })

  return worldWith(undefined)
}

/** The message every job begins with. */
const JOB_MESSAGE: Message = { messageId: 'job', role: 'ROLE_USER', parts: [] }

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

const nothingIn = (): void => {}

class LeanTimer implements Timer {
  ready: boolean
  wake: (() => void) | undefined
  cancel: () => void

  constructor(clock: PathClock, atUs: number, last: boolean) {
    this.ready = false
    this.wake = undefined
    const dueUs = Math.max(atUs, clock.nowUs())
    const fire = (): void => {
      this.ready = true
      this.wake?.()
    }
    this.cancel = clock.at(
      dueUs,
      last
        ? () => {
            this.cancel = clock.at(dueUs, fire)
          }
        : fire,
    )
  }
}

class LeanInbox implements Inbox {
  wake: (() => void) | undefined
  readonly config: { url: string }
  private readonly posts: Post[]
  private isOpen: boolean

  constructor(receiver: LeanReceiver, caller: Caller, knowsTask: () => boolean) {
    this.wake = undefined
    this.posts = []
    this.isOpen = true
    const accept = ({ change, task }: LeanPost, exchange: number): void => {
      if (!this.isOpen) return
      this.posts.push({ change, task, exchange })
      caller.isTaking = true
      this.wake?.()
      caller.isTaking = false
    }
    const url = receiver.open({ accept, knowsTask })
    this.config = { url }
  }

  get ready(): boolean {
    return this.posts.length > 0
  }

  take(): Post {
    const post = this.posts.shift()
    if (post === undefined) throw new Error('an inbox was asked for a post before it had one')
    return post
  }

  close(): void {
    this.isOpen = false
    this.posts.length = 0
  }
}
