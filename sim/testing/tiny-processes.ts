/**
 * The mechanisms of single policies as processes, as small as they can be, for
 * tests of worlds that processes run in. They answer questions on streams and
 * in blocking sends alone.
 */
import type { Incoming, OpenOptions, Pending, ProcessWorld, Timer } from '../mechanisms/client-world.ts'
import { CallError, type CallFailure, type SeenTask } from '../mechanisms/client.ts'
import { patienceUs } from '../mechanisms/blocking/patience.ts'
import type { BegunTask, Ending } from '../mechanisms/mechanism.ts'
import { answerOf } from '../mechanisms/polling/answer-of.ts'
import { createPollSchedule, type PollAnswer } from '../mechanisms/polling/policy.ts'
import type { Process } from '../mechanisms/process.ts'
import { statusSeen } from '../mechanisms/status-seen.ts'
import { createReconnects, didNothing, type StreamEnd } from '../mechanisms/streaming/policy.ts'
import { createBackoff } from '../policies/backoff.ts'
import type { BlockingPolicy, Policy, PollPolicy, PushPolicy, StreamPolicy } from '../policies/policy.ts'
import type { Message } from '../protocol/a2a.ts'

/** @throws RangeError for a policy with parts */
export function tinyProcess(world: ProcessWorld, policy: Policy): Process<Ending> {
  switch (policy.kind) {
    case 'poll':
      return pollProcess(world, policy)
    case 'stream':
      return streamProcess(world, policy)
    case 'push':
      return pushProcess(world, policy)
    case 'blocking':
      return blockingProcess(world, policy)
    case 'chain':
    case 'together':
      throw new RangeError(`there is no tiny process for ${policy.kind}`)
  }
}

const LEARNED: Ending = { kind: 'learned' }

function* calling<T>(call: Pending<T>): Process<T> {
  yield call
  return call.take()
}

export function* pollProcess(world: ProcessWorld, policy: PollPolicy): Process<Ending> {
  const sent = yield* calling(world.send({ returnImmediately: true }))
  if (world.observe({ of: 'task', view: sent.view }, 'reply', sent.exchange).terminal) return LEARNED
  const schedule = createPollSchedule(policy, world.random('polling'))
  const namesWhatItHas = policy.conditional || policy.hold !== undefined
  let etag = namesWhatItHas ? sent.says.etag : undefined
  let step = schedule.first({ replyUs: world.nowUs(), asks: sent.says })
  for (;;) {
    if (step.atUs > world.nowUs()) yield world.timer(step.atUs)
    if (step.of === 'give up') return { kind: step.outcome, reason: step.reason }
    const sentUs = world.nowUs()
    const call = world.get(sent.taskId, { etag, holdUs: step.holdUs, timeoutUs: policy.timeoutUs })
    yield call
    let answer: PollAnswer
    try {
      const got = call.take()
      if (got.of === 'not-modified') answer = { of: 'not-modified', news: false, asks: got.says }
      else {
        const { view, exchange, says } = got.task
        if (namesWhatItHas) etag = says.etag
        const { news, terminal } = world.observe({ of: 'task', view }, 'poll', exchange)
        if (terminal) return LEARNED
        answer = { of: 'task', news, asks: says }
      }
    } catch (error) {
      if (!(error instanceof CallError)) throw error
      answer = answerOf(error)
    }
    step = schedule.next({ sentUs, answeredUs: world.nowUs(), answer })
  }
}

function* pushProcess(world: ProcessWorld, policy: PushPolicy): Process<Ending> {
  if (!world.offers.push)
    return { kind: 'failed', reason: "the agent's card does not offer push notifications" }
  const inbox = world.openInbox()
  const isLater = policy.register === 'after-reply'
  const configuration = isLater ? {} : { taskPushNotificationConfig: inbox.config }
  let knowsEnd = false
  /** Calls under way, each with what is done about its answer. */
  const calls = new Map<Pending<unknown>, () => void>()
  const observeTask = ({ view, exchange }: SeenTask, by: 'reply' | 'poll') => {
    knowsEnd = world.observe({ of: 'task', view }, by, exchange).terminal || knowsEnd
  }
  const look = (taskId: string, isVital: boolean) => {
    const call = world.get(taskId)
    calls.set(call, () => {
      try {
        const got = call.take()
        if (got.of === 'task') observeTask(got.task, 'poll')
      } catch (error) {
        if (isVital || !(error instanceof CallError)) throw error
      }
    })
  }
  const register = (taskId: string) => {
    const call = world.register(taskId, inbox.config)
    calls.set(call, () => {
      call.take()
      look(taskId, true)
    })
  }
  const send = world.send({ returnImmediately: true, ...configuration })
  calls.set(send, () => {
    const sent = send.take()
    observeTask(sent, 'reply')
    if (isLater && !knowsEnd) register(sent.taskId)
  })
  while (!knowsEnd || calls.size > 0) {
    yield [inbox, ...calls.keys()]
    for (const [call, done] of calls)
      if (call.ready) {
        calls.delete(call)
        done()
      }
    while (inbox.ready) {
      const { change, task, exchange } = inbox.take()
      const knew = knowsEnd
      const { terminal } = world.observe(change, 'push', exchange)
      knowsEnd ||= terminal
      if (policy.get === 'each' || (policy.get === 'final' && terminal && !knew)) look(task.taskId, false)
    }
  }
  return LEARNED
}

interface Question {
  message: Message
  dueUs: number
  status: string
}

type Opener = (options: OpenOptions) => Incoming

/** How long a client that has learned the end still listens for the stream to close. */
const LINGER_US = 10_000_000

function* streamProcess(world: ProcessWorld, policy: StreamPolicy): Process<Ending> {
  if (!world.offers.streaming) return { kind: 'failed', reason: "the agent's card does not offer streaming" }
  const reconnects = createReconnects(policy, world.random('reconnect'), world.nowUs())
  let task: BegunTask | undefined
  let lastEventId: string | undefined
  let over = false
  let question: Question | undefined

  const idOfTask = () => (task as BegunTask).taskId
  const subscribe: Opener = (options) =>
    world.subscribe(idOfTask(), {
      ...options,
      lastEventId: policy.resume === 'cursor' ? lastEventId : undefined,
    })
  const answer: Opener = (options) =>
    world.answerStreaming(task as BegunTask, (question as Question).message, options)
  const asked = () => question

  function* listen(open: Opener, timeoutUs: number | undefined): Process<StreamEnd> {
    let events = 0
    let silentUs = Infinity
    let silent: Timer | undefined
    let own: Timer | undefined
    const watch = () => {
      if (policy.watchdogUs !== undefined) silentUs = world.nowUs() + policy.watchdogUs
    }
    watch()
    if (silentUs < Infinity) silent = world.timer(silentUs, true)
    const incoming = open({
      timeoutUs,
      onSign({ retryUs }) {
        watch()
        reconnects.opened(world.nowUs())
        if (retryUs !== undefined) reconnects.hinted(retryUs)
      },
    })
    try {
      for (;;) {
        yield [incoming, silent, own].filter((one) => one !== undefined)
        if (incoming.ready) {
          const event = incoming.take()
          if (event === undefined) return { of: 'closed' }
          events++
          task ??= event.task
          lastEventId = event.eventId ?? lastEventId
          const status = statusSeen(event.change)
          if (status !== undefined && status !== question?.status) question = undefined
          if (events > 1 || open !== subscribe || policy.resume !== 'live') {
            const { terminal, asks } = world.observe(event.change, 'stream', event.exchange)
            over ||= terminal
            if (asks !== undefined && status !== undefined)
              question = { message: asks.message, dueUs: world.nowUs() + asks.afterUs, status }
          }
          own?.cancel()
          own = undefined
          if (over) own = world.timer(world.nowUs() + LINGER_US, true)
          else if (question !== undefined) own = world.timer(question.dueUs, true)
        } else if (own?.ready === true || world.nowUs() >= silentUs) {
          incoming.abandon()
          return own?.ready === true ? { of: 'closed' } : { of: 'silent' }
        } else silent = world.timer(silentUs, true)
      }
    } catch (error) {
      if (!(error instanceof CallError)) throw error
      const { message: why, failure } = error
      return events > 0 ? { of: 'broken', why } : { of: 'refused', failure, why }
    } finally {
      silent?.cancel()
      own?.cancel()
    }
  }

  let open: Opener = (options) => world.stream({}, options)
  let answered: Question | undefined
  let timeoutUs = policy.timeoutUs
  for (;;) {
    let end = yield* listen(open, timeoutUs)
    if (over) return LEARNED
    const waiting = asked()
    if (waiting !== undefined && (open !== answer || waiting !== answered) && end.of !== 'refused') {
      if (waiting.dueUs > world.nowUs()) yield world.timer(waiting.dueUs)
      answered = waiting
      open = answer
      continue
    }
    let step = reconnects.after(end, { atUs: world.nowUs(), known: task !== undefined })
    if (step.do === 'look' && end.of === 'refused') {
      const { why } = end
      try {
        const got = yield* calling(world.get(idOfTask(), { timeoutUs: policy.timeoutUs }))
        if (got.of === 'task')
          over = world.observe({ of: 'task', view: got.task.view }, 'poll', got.task.exchange).terminal
        return over ? LEARNED : { kind: 'failed', reason: why }
      } catch (error) {
        if (!(error instanceof CallError)) throw error
        end = { of: 'refused', failure: error.failure, why: error.message }
      }
      step = reconnects.after(end, { atUs: world.nowUs(), known: true })
    }
    switch (step.do) {
      case 'stop':
        return { kind: step.outcome, reason: step.reason }
      case 'look':
        return { kind: 'failed', reason: end.of === 'refused' ? end.why : '' }
      case 'reopen':
        if (step.afterUs > 0) yield world.timer(world.nowUs() + step.afterUs)
        if (end.of !== 'refused' || !didNothing(end)) open = subscribe
        timeoutUs = policy.reconnect?.timeoutUs ?? policy.timeoutUs
    }
  }
}

function* blockingProcess(world: ProcessWorld, policy: BlockingPolicy): Process<Ending> {
  const wait = { holdUs: policy.holdUs, timeoutUs: patienceUs(policy) }

  function* insist(call: () => Pending<SeenTask>): Process<SeenTask> {
    const { onError } = policy
    const waits =
      typeof onError === 'object' ? createBackoff(onError, world.random('blocking retries')) : undefined
    const sinceUs = world.nowUs()
    for (;;) {
      try {
        return yield* calling(call())
      } catch (error) {
        if (!(error instanceof CallError) || !didNotArrive(error.failure)) throw error
        const waitUs = waits?.next(world.nowUs() - sinceUs)
        if (waitUs === undefined) throw error
        const askedUs = ('retryAfterUs' in error.failure ? error.failure.retryAfterUs : undefined) ?? 0
        yield world.timer(world.nowUs() + Math.max(waitUs, askedUs))
      }
    }
  }

  let seen = yield* insist(() => world.send({ returnImmediately: false }, wait))
  for (;;) {
    const { terminal, asks } = world.observe({ of: 'task', view: seen.view }, 'reply', seen.exchange)
    if (terminal) return LEARNED
    if (asks === undefined)
      return { kind: 'not-learned', reason: 'the agent answered before the task was over' }
    yield world.timer(world.nowUs() + asks.afterUs)
    const task = seen
    seen = yield* insist(() => world.answer(task, asks.message, wait))
  }
}

function didNotArrive(failure: CallFailure): boolean {
  switch (failure.of) {
    case 'throttled':
    case 'slow-down':
      return true
    case 'connection':
      return failure.neverSent === true
    case 'answer':
      return failure.status === 503
    case 'timeout':
    case 'gone':
      return false
  }
}
