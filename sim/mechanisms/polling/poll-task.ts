import type { Clock } from '../../kernel/clock.ts'
import type { PollPolicy } from '../../policies/policy.ts'
import { type A2AClient, CallError, type GetAnswer } from '../client.ts'
import type { BegunTask, ClientWorld, Ending, Observation } from '../mechanism.ts'
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
export async function pollTask(
  world: ClientWorld,
  client: A2AClient,
  policy: PollPolicy,
  { task, asks, etag: repliedTag, observed }: PollStart,
): Promise<Ending> {
  if (observed?.terminal === true) return { kind: 'learned' }
  const { clock } = world
  const random = world.random('polling')
  let schedule = createPollSchedule(policy, random)
  const questions = createQuestions(world, client, task)
  if (observed !== undefined) questions.heed(observed)
  /** A held poll names what the client has as well, else it would sleep through what came between two polls. */
  const namesWhatItHas = policy.conditional || policy.hold !== undefined
  let etag = namesWhatItHas ? repliedTag : undefined

  /** One poll; `undefined` if it showed the end. */
  async function poll(holdUs: number | undefined): Promise<PollAnswer | undefined> {
    let answer: GetAnswer
    try {
      answer = await client.get(task.taskId, { etag, holdUs, timeoutUs: policy.timeoutUs })
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
    let step = schedule.first({ replyUs: clock.nowUs(), asks })
    for (;;) {
      await sleepUntil(clock, step.atUs, questions.wake()).catch(() => world.signal.throwIfAborted())
      if (questions.learned()) return { kind: 'learned' }
      const answered = questions.answered()
      if (answered !== undefined) {
        schedule = createPollSchedule(policy, random)
        step = schedule.first({ replyUs: clock.nowUs(), asks: answered })
        continue
      }
      if (step.of === 'give up') return { kind: step.outcome, reason: step.reason }
      const sentUs = clock.nowUs()
      const answer = await poll(step.holdUs)
      if (answer === undefined) return { kind: 'learned' }
      step = schedule.next({ sentUs, answeredUs: clock.nowUs(), answer })
    }
  } finally {
    questions.close()
  }
}

/** What is due already does not wait for a turn of the clock. */
async function sleepUntil(clock: Clock, dueUs: number, signal: AbortSignal): Promise<void> {
  if (dueUs > clock.nowUs()) await clock.sleep(dueUs - clock.nowUs(), signal)
}
