import { US_PER_SECOND } from '../../kernel/units.ts'
import type { StreamPolicy } from '../../policies/policy.ts'
import type { Message } from '../../protocol/a2a.ts'
import type { Incoming, OpenOptions, ProcessWorld } from '../client-world.ts'
import { CallError, type StreamedChange } from '../client.ts'
import { type BegunTask, type Ending, LEARNED, type Mechanism } from '../mechanism.ts'
import { type Process, run } from '../process.ts'
import { statusSeen } from '../status-seen.ts'
import { type Alarm, answered, createAlarm, sleepUntil } from '../waiting.ts'
import { createReconnects, didNothing, type StreamEnd } from './policy.ts'

/**
 * SendStreamingMessage, read to its end. The official client neither
 * reconnects nor tells a cut from an end, so a stream that ends before the task
 * has lost the thread (specification 3.1.2: the last event carries the end)
 * unless the policy reconnects: then SubscribeToTask opens the next one, as soon
 * as the task is known. A send that may have begun a task nobody knows is not
 * made again.
 */
export const streaming: Mechanism<StreamPolicy> = {
  *begin(world, policy, { configuration, began }) {
    if (!world.offers.streaming) return NOT_OFFERED
    yield* answered(world.connect())
    return yield* attend({ world, policy, began }, (options) => world.stream(configuration, options))
  },

  *follow(world, policy, task) {
    if (!world.offers.streaming) return NOT_OFFERED
    yield* answered(world.connect())
    return yield* attend({ world, policy, began() {} }, undefined, task)
  },
}

// The official client would quietly send a blocking message instead.
const NOT_OFFERED: Ending = { kind: 'failed', reason: "the agent's card does not offer streaming" }

/** How long a client that has learned the end still listens for the stream to close. */
const LINGER_US = 10 * US_PER_SECOND

interface Part {
  world: ProcessWorld
  policy: StreamPolicy
  began(task: BegunTask): void
}

type Opener = (options: OpenOptions) => Incoming

/** What the agent asked, until the task's status shows that it has its answer. */
interface Question {
  message: Message
  dueUs: number
  /** The status that asks. */
  status: string
}

/** When the client breaks a stream off. */
type Alarms = Record<'silent' | 'to answer' | 'learned', Alarm>

/**
 * Listens until the task is over or the policy gives up.
 *
 * @param send opens the first stream; without it the task is known, and subscribed to
 */
function* attend(part: Part, send: Opener | undefined, begun?: BegunTask): Process<Ending> {
  const { world, policy } = part
  const reconnects = createReconnects(policy, world.random('reconnect'), world.nowUs())
  let task = begun
  let lastEventId: string | undefined
  let over = false
  let question: Question | undefined

  const subscribe: Opener = (options) => world.subscribe(idOf(task), { ...options, lastEventId: cursor() })
  const cursor = () => (policy.resume === 'cursor' ? lastEventId : undefined)
  const answer: Opener = (options) => {
    const { message } = question as Question
    return world.answerStreaming(task as BegunTask, message, options)
  }

  function take({ change, exchange }: StreamedChange, seen: boolean): void {
    const status = statusSeen(change)
    if (status !== undefined && status !== question?.status) question = undefined
    if (!seen) return
    const { terminal, asks } = world.observe(change, 'stream', exchange)
    over ||= terminal
    if (asks !== undefined && status !== undefined)
      question = { message: asks.message, dueUs: world.nowUs() + asks.afterUs, status }
  }

  function* listen(open: Opener, timeoutUs: number | undefined): Process<StreamEnd> {
    const alarms: Alarms = {
      silent: createAlarm(world),
      'to answer': createAlarm(world),
      learned: createAlarm(world),
    }
    const bells = Object.values(alarms)
    let isAttended = true
    let events = 0
    const watch = () => {
      if (policy.watchdogUs !== undefined && isAttended)
        alarms.silent.setTo(world.nowUs() + policy.watchdogUs)
    }
    watch()
    const incoming = open({
      timeoutUs,
      onSign({ retryUs }) {
        watch()
        // The first sign is the head of the answer.
        reconnects.opened(world.nowUs())
        if (retryUs !== undefined) reconnects.hinted(retryUs)
      },
    })

    /** What has come is read, even if nobody attends any more. */
    function* read(): Process<void> {
      for (;;) {
        yield incoming
        const event = incoming.take()
        if (event === undefined) return
        events++
        if (task === undefined) {
          task = event.task
          part.began(task)
        }
        lastEventId = event.eventId ?? lastEventId
        take(event, events > 1 || open !== subscribe || policy.resume !== 'live')
        if (!isAttended) continue
        alarms['to answer'].off()
        if (question !== undefined) alarms['to answer'].setTo(question.dueUs)
        if (over) alarms.learned.setTo(world.nowUs() + LINGER_US)
      }
    }

    try {
      const reading = run(read())
      yield [reading, ...bells]
      if (alarms.silent.ready) return { of: 'silent' }
      if (reading.ready) reading.take()
      return { of: 'closed' }
    } catch (error) {
      if (!(error instanceof CallError)) throw error
      const why = error.message
      if (events > 0) return { of: 'broken', why }
      return { of: 'refused', failure: error.failure, why }
    } finally {
      isAttended = false
      incoming.abandon()
      for (const alarm of bells) alarm.off()
    }
  }

  /** Asks once how the task stands, after a refusal to stream it. */
  function* look(refusal: StreamEnd & { of: 'refused' }): Process<StreamEnd | Ending> {
    try {
      const got = yield* answered(world.get(idOf(task), { timeoutUs: policy.timeoutUs }))
      if (got.of === 'task') {
        const { view, exchange } = got.task
        over = world.observe({ of: 'task', view }, 'poll', exchange).terminal
      }
      return over ? LEARNED : { kind: 'failed', reason: refusal.why }
    } catch (error) {
      if (!(error instanceof CallError)) throw error
      return { of: 'refused', failure: error.failure, why: error.message }
    }
  }

  let open = send ?? subscribe
  /** The question that `open` answered last, if it did. */
  let lastAnswered: Question | undefined
  let timeoutUs = policy.timeoutUs
  for (;;) {
    let end = yield* listen(open, timeoutUs)
    if (over) return LEARNED
    // Until its user has answered the agent does nothing that could be missed.
    if (question !== undefined && (open !== answer || question !== lastAnswered) && end.of !== 'refused') {
      yield* sleepUntil(world, question.dueUs)
      lastAnswered = question
      open = answer
      continue
    }
    let step = reconnects.after(end, { atUs: world.nowUs(), known: task !== undefined })
    if (step.do === 'look' && end.of === 'refused') {
      const looked = yield* look(end)
      if ('kind' in looked) return looked
      end = looked
      step = reconnects.after(end, { atUs: world.nowUs(), known: true })
    }
    switch (step.do) {
      case 'stop':
        return { kind: step.outcome, reason: step.reason }
      case 'look':
        return { kind: 'failed', reason: end.of === 'refused' ? end.why : '' }
      case 'reopen':
        yield* sleepUntil(world, world.nowUs() + step.afterUs)
        if (end.of !== 'refused' || !didNothing(end)) open = subscribe
        timeoutUs = policy.reconnect?.timeoutUs ?? policy.timeoutUs
    }
  }
}

const idOf = (task: BegunTask | undefined): string => (task as BegunTask).taskId
