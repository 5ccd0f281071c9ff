import type { PollPolicy } from '../../policies/policy.ts'
import type { Pending, ProcessWorld, Timer } from '../client-world.ts'
import { CallError, type GetAnswer } from '../client.ts'
import { type BegunTask, type Ending, LEARNED, type Observation } from '../mechanism.ts'
import type { Process } from '../process.ts'
import { answerOf } from './answer-of.ts'
import { createPollSchedule, type PollAnswer } from './policy.ts'
import { createQuestions } from './questions.ts'
import type { AskedWaits } from './waits.ts'

/** Where polling begins. */
export interface PollStart {
  task: BegunTask
  /** What the reply to the send asked for. */
  asks: AskedWaits
  /** The tag of what that reply showed, for a first conditional poll. */
  etag: string | undefined
  /** What the reply to the send told; `undefined` when polling takes over. */
  observed: Observation | undefined
}

/**
 * GetTask by the schedule until the task is over or the schedule gives up.
 * Questions are answered meanwhile; with the reply to an answer the schedule
 * begins anew, as with the reply to the send.
 */
export function* pollTask(
  world: ProcessWorld,
  policy: PollPolicy,
  { task, asks, etag: repliedTag, observed }: PollStart,
): Process<Ending> {
  if (observed?.terminal === true) return LEARNED
  const random = world.random('polling')
  let schedule = createPollSchedule(policy, random)
  const questions = createQuestions(world, task)
  if (observed !== undefined) questions.heed(observed)
  /** A held poll names what the client has as well, else it would sleep through what came between two polls. */
  const namesWhatItHas = policy.conditional || policy.hold !== undefined
  let etag = namesWhatItHas ? repliedTag : undefined
  let timer: Timer | undefined
  let call: Pending<GetAnswer> | undefined

  /** What came of the poll; `undefined` if it showed the end. */
  function read(poll: Pending<GetAnswer>): PollAnswer | undefined {
    let answer: GetAnswer
    try {
      answer = poll.take()
    } catch (error) {
      if (error instanceof CallError) return answerOf(error)
      throw error
    }
    if (answer.of === 'not-modified') return { of: 'not-modified', news: false, asks: answer.says }
    const { view, exchange, says } = answer.task
    if (namesWhatItHas) etag = says.etag
    const seen = world.observe({ of: 'task', view }, 'poll', exchange)
    if (seen.terminal) return undefined
    questions.heed(seen, view.state)
    return { of: 'task', news: seen.news, asks: says }
  }

  try {
    let step = schedule.first({ replyUs: world.nowUs(), asks })
    for (;;) {
      // What is due already does not wait for a turn of the clock.
      if (step.atUs > world.nowUs()) {
        timer = world.timer(step.atUs)
        yield questions.orSooner(timer)
        timer.cancel()
      }
      if (questions.learned()) return LEARNED
      const replied = questions.replied()
      if (replied !== undefined) {
        schedule = createPollSchedule(policy, random)
        step = schedule.first({ replyUs: world.nowUs(), asks: replied })
        continue
      }
      if (step.of === 'give up') return { kind: step.outcome, reason: step.reason }
      const sentUs = world.nowUs()
      call = world.get(task.taskId, { etag, holdUs: step.holdUs, timeoutUs: policy.timeoutUs })
      yield call
      const answer = read(call)
      if (answer === undefined) return LEARNED
      step = schedule.next({ sentUs, answeredUs: world.nowUs(), answer })
    }
  } finally {
    timer?.cancel()
    call?.abandon()
    questions.close()
  }
}
