import type { Cancel, Clock } from '../../kernel/clock.ts'
import { US_PER_SECOND } from '../../kernel/units.ts'
import type { StreamPolicy } from '../../policies/policy.ts'
import type { Message } from '../../protocol/a2a.ts'
import { connect } from '../a2a-client.ts'
import { type A2AClient, CallError, type StreamedChange, type StreamOptions } from '../client.ts'
import type { BegunTask, ClientWorld, Ending, Mechanism } from '../mechanism.ts'
import { statusSeen } from '../status-seen.ts'
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
  async begin(world, policy, { configuration, began }) {
    if (!offersStreaming(world)) return NOT_OFFERED
    const client = await connect(world)
    return attend({ world, policy, client, began }, (options) => client.stream(configuration, options))
  },

  async follow(world, policy, task) {
    if (!offersStreaming(world)) return NOT_OFFERED
    const client = await connect(world)
    return attend({ world, policy, client, began() {} }, undefined, task)
  },
}

// The official client would quietly send a blocking message instead.
const offersStreaming = ({ card }: ClientWorld): boolean => card.capabilities.streaming === true
const NOT_OFFERED: Ending = { kind: 'failed', reason: "the agent's card does not offer streaming" }

/** How long a client that has learned the end still listens for the stream to close. */
const LINGER_US = 10 * US_PER_SECOND

interface Part {
  world: ClientWorld
  policy: StreamPolicy
  client: A2AClient
  began(task: BegunTask): void
}

type Opener = (options: StreamOptions) => AsyncGenerator<StreamedChange, void, undefined>

/** What the agent asked, until the task's status shows that it has its answer. */
interface Question {
  message: Message
  dueUs: number
  /** The status that asks. */
  status: string
}

/** Why the client broke a stream off. */
type BreakingOff = 'silent' | 'to answer' | 'learned'

/**
 * Listens until the task is over or the policy gives up.
 *
 * @param send opens the first stream; without it the task is known, and subscribed to
 */
async function attend(part: Part, send: Opener | undefined, begun?: BegunTask): Promise<Ending> {
  const { world, policy, client } = part
  const { clock, signal } = world
  const reconnects = createReconnects(policy, world.random('reconnect'), clock.nowUs())
  let task = begun
  let lastEventId: string | undefined
  let over = false
  let question: Question | undefined

  const subscribe: Opener = (options) => client.subscribe(idOf(task), { ...options, lastEventId: cursor() })
  const cursor = () => (policy.resume === 'cursor' ? lastEventId : undefined)
  const answer: Opener = (options) => {
    const { message } = question as Question
    return client.answerStreaming(task as BegunTask, message, options)
  }

  function take({ change, exchange }: StreamedChange, seen: boolean): void {
    const status = statusSeen(change)
    if (status !== undefined && status !== question?.status) question = undefined
    if (!seen) return
    const { terminal, asks } = world.observe(change, 'stream', exchange)
    over ||= terminal
    if (asks !== undefined && status !== undefined)
      question = { message: asks.message, dueUs: clock.nowUs() + asks.afterUs, status }
  }

  async function listen(open: Opener, timeoutUs: number | undefined): Promise<StreamEnd> {
    const cutting = new AbortController()
    let brokenOff: BreakingOff | undefined
    let events = 0
    const alarms: Record<BreakingOff, Cancel> = { silent() {}, 'to answer'() {}, learned() {} }
    function breakOffAt(atUs: number, why: BreakingOff): void {
      alarms[why]()
      const dueUs = Math.max(atUs, clock.nowUs())
      // What is scheduled for that instant already, such as a sign of life, goes first.
      alarms[why] = clock.at(dueUs, () => {
        alarms[why] = clock.at(dueUs, () => {
          brokenOff ??= why
          cutting.abort()
        })
      })
    }
    const watch = () => {
      if (policy.watchdogUs !== undefined) breakOffAt(clock.nowUs() + policy.watchdogUs, 'silent')
    }

    try {
      watch()
      const onSign: StreamOptions['onSign'] = ({ retryUs }) => {
        watch()
        // The first sign is the head of the answer.
        reconnects.opened(clock.nowUs())
        if (retryUs !== undefined) reconnects.hinted(retryUs)
      }
      for await (const event of open({ signal: cutting.signal, timeoutUs, onSign })) {
        events++
        if (task === undefined) {
          task = event.task
          part.began(task)
        }
        lastEventId = event.eventId ?? lastEventId
        take(event, events > 1 || open !== subscribe || policy.resume !== 'live')
        alarms['to answer']()
        if (question !== undefined) breakOffAt(question.dueUs, 'to answer')
        if (over) breakOffAt(clock.nowUs() + LINGER_US, 'learned')
      }
      return brokenOff === 'silent' ? { of: 'silent' } : { of: 'closed' }
    } catch (error) {
      if (brokenOff !== undefined) return brokenOff === 'silent' ? { of: 'silent' } : { of: 'closed' }
      if (signal.aborted || !(error instanceof CallError)) throw error
      const why = error.message
      if (events > 0) return { of: 'broken', why }
      return { of: 'refused', failure: error.failure, why }
    } finally {
      for (const cancel of Object.values(alarms)) cancel()
    }
  }

  /** Asks once how the task stands, after a refusal to stream it. */
  async function look(refusal: StreamEnd & { of: 'refused' }): Promise<StreamEnd | Ending> {
    try {
      const answered = await client.get(idOf(task), { timeoutUs: policy.timeoutUs })
      if (answered.of === 'task') {
        const { view, exchange } = answered.task
        over = world.observe({ of: 'task', view }, 'poll', exchange).terminal
      }
      return over ? { kind: 'learned' } : { kind: 'failed', reason: refusal.why }
    } catch (error) {
      if (signal.aborted || !(error instanceof CallError)) throw error
      return { of: 'refused', failure: error.failure, why: error.message }
    }
  }

  let open = send ?? subscribe
  /** The question that `open` answered last, if it did. */
  let answered: Question | undefined
  let timeoutUs = policy.timeoutUs
  for (;;) {
    let end = await listen(open, timeoutUs)
    if (over) return { kind: 'learned' }
    signal.throwIfAborted()
    // Until its user has answered the agent does nothing that could be missed.
    if (question !== undefined && (open !== answer || question !== answered) && end.of !== 'refused') {
      await sleepUntil(clock, question.dueUs, signal)
      answered = question
      open = answer
      continue
    }
    let step = reconnects.after(end, { atUs: clock.nowUs(), known: task !== undefined })
    if (step.do === 'look' && end.of === 'refused') {
      const looked = await look(end)
      if ('kind' in looked) return looked
      end = looked
      step = reconnects.after(end, { atUs: clock.nowUs(), known: true })
    }
    switch (step.do) {
      case 'stop':
        return { kind: step.outcome, reason: step.reason }
      case 'look':
        return { kind: 'failed', reason: end.of === 'refused' ? end.why : '' }
      case 'reopen':
        await sleepUntil(clock, clock.nowUs() + step.afterUs, signal)
        if (end.of !== 'refused' || !didNothing(end)) open = subscribe
        timeoutUs = policy.reconnect?.timeoutUs ?? policy.timeoutUs
    }
  }
}

const idOf = (task: BegunTask | undefined): string => (task as BegunTask).taskId

async function sleepUntil(clock: Clock, dueUs: number, signal: AbortSignal): Promise<void> {
  if (dueUs > clock.nowUs()) await clock.sleep(dueUs - clock.nowUs(), signal)
}
