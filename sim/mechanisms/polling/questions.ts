import type { Message } from '../../protocol/a2a.ts'
import type { TaskView } from '../../protocol/view.ts'
import type { ProcessWorld } from '../client-world.ts'
import { CallError, type SeenTask } from '../client.ts'
import type { BegunTask, Observation } from '../mechanism.ts'
import type { Process, Running, Waitable } from '../process.ts'
import { answered, createBell, sleep } from '../waiting.ts'
import { answerOf } from './answer-of.ts'
import type { AskedWaits } from './waits.ts'

/** The task's questions and the user's answers to them, while polling goes on. */
export interface Questions {
  /** Notes a question if one was learned, and the state a poll showed. */
  heed(observed: Observation, state?: TaskView['state']): void
  /** What to wait for instead of `timer`: that, or that from now on there is no need to wait for the next poll. */
  orSooner(timer: Waitable): Waitable | readonly Waitable[]
  /** What the reply to an answer asked for, once: with it polling begins anew. */
  replied(): AskedWaits | undefined
  /**
   * Whether the reply to an answer told the end.
   *
   * @throws ClientError if an answer was refused for good
   */
  learned(): boolean
  /** Answers that have not left stay unsent; what comes of others is nobody's business any more. */
  close(): void
}

/**
 * An answer that did not get through is sent again as soon as a poll shows that
 * the task still asks: then it cannot have arrived.
 */
export function createQuestions(world: ProcessWorld, task: BegunTask): Questions {
  const soonEnough = createBell()
  /** The answers that have not left. */
  const thoughtOver = new Set<Running<void>>()
  let hasAnswered = false
  let replied: AskedWaits | undefined
  let unsent: Message | undefined
  let learned = false
  let fault: { error: unknown } | undefined
  let isClosed = false

  function* send(message: Message): Process<SeenTask | undefined> {
    try {
      return yield* answered(world.answer(task, message))
    } catch (error) {
      if (!(error instanceof CallError) || answerOf(error).of === 'refused') throw error
      unsent = message
      return undefined
    }
  }

  function* answer(message: Message, atUs: number, leaves: () => void): Process<void> {
    try {
      yield* sleep(world, atUs)
      leaves()
      const seen = yield* send(message)
      if (seen === undefined || isClosed) return
      const observed = world.observe({ of: 'task', view: seen.view }, 'reply', seen.exchange)
      if (observed.terminal) learned = true
      else {
        replied = seen.says
        heed(observed)
      }
    } catch (error) {
      if (isClosed) return
      fault = { error }
    }
    soonEnough.ring()
  }

  function heed({ asks }: Observation, state?: TaskView['state']): void {
    const waiting = state === 'TASK_STATE_INPUT_REQUIRED' ? unsent : undefined
    const next = asks ?? (waiting && { message: waiting, afterUs: 0 })
    if (next === undefined) return
    unsent = undefined
    hasAnswered = true
    const answering = world.errand(
      answer(next.message, world.nowUs() + next.afterUs, () => void thoughtOver.delete(answering)),
    )
    thoughtOver.add(answering)
  }

  return {
    heed,
    orSooner(timer) {
      if (!hasAnswered) return timer
      soonEnough.hush()
      return [timer, soonEnough]
    },
    replied() {
      const asks = replied
      replied = undefined
      return asks
    },
    learned() {
      if (fault !== undefined) throw fault.error
      return learned
    },
    close() {
      isClosed = true
      for (const answering of thoughtOver) answering.stop()
    },
  }
}
