import type { Message } from '../../protocol/a2a.ts'
import type { TaskView } from '../../protocol/view.ts'
import { type A2AClient, CallError } from '../client.ts'
import type { BegunTask, ClientWorld, Observation } from '../mechanism.ts'
import { answerOf } from './answer-of.ts'
import type { AskedWaits } from './waits.ts'

/** The task's questions and the user's answers to them, while polling goes on. */
export interface Questions {
  /** Notes a question if one was learned, and the state a poll showed. */
  heed(observed: Observation, state?: TaskView['state']): void
  /** Aborts with the world's own, and when there is no need to wait for the next poll. One for each wait. */
  wake(): AbortSignal
  /** What the reply to an answer asked for, once: with it polling begins anew. */
  answered(): AskedWaits | undefined
  /**
   * Whether the reply to an answer told the end.
   *
   * @throws ClientError if an answer was refused for good
   */
  learned(): boolean
  /** Answers that have not left stay unsent. */
  close(): void
}

/**
 * An answer that did not get through is sent again as soon as a poll shows that
 * the task still asks: then it cannot have arrived.
 */
export function createQuestions(world: ClientWorld, client: A2AClient, task: BegunTask): Questions {
  let wake = new AbortController()
  let replied: AskedWaits | undefined
  const closing = new AbortController()
  const sleepEnds = (): void => wake.abort(world.signal.reason)
  world.signal.addEventListener('abort', sleepEnds, { once: true })
  let unsent: Message | undefined
  let learned = false
  let fault: { error: unknown } | undefined

  async function answer(message: Message, afterUs: number): Promise<void> {
    await world.clock.sleep(afterUs, closing.signal)
    const seen = await client.answer(task, message).catch((error: unknown) => {
      if (!(error instanceof CallError) || answerOf(error).of === 'refused') throw error
      unsent = message
    })
    if (seen === undefined || closing.signal.aborted) return
    const observed = world.observe({ of: 'task', view: seen.view }, 'reply', seen.exchange)
    if (observed.terminal) {
      learned = true
      wake.abort()
      return
    }
    replied = seen.says
    wake.abort()
    heed(observed)
  }

  function heed({ asks }: Observation, state?: TaskView['state']): void {
    const waiting = state === 'TASK_STATE_INPUT_REQUIRED' ? unsent : undefined
    const next = asks ?? (waiting && { message: waiting, afterUs: 0 })
    if (next === undefined) return
    unsent = undefined
    answer(next.message, next.afterUs).catch((error: unknown) => {
      if (closing.signal.aborted || world.signal.aborted) return
      fault = { error }
      wake.abort()
    })
  }

  return {
    heed,
    wake() {
      if (wake.signal.aborted && !world.signal.aborted) wake = new AbortController()
      return wake.signal
    },
    answered() {
      const asks = replied
      replied = undefined
      return asks
    },
    learned() {
      if (fault !== undefined) throw fault.error
      return learned
    },
    close() {
      world.signal.removeEventListener('abort', sleepEnds)
      closing.abort()
    },
  }
}
