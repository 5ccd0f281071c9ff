import { createBackoff } from '../../policies/backoff.ts'
import type { BlockingPolicy } from '../../policies/policy.ts'
import type { Channel } from '../../records/record.ts'
import type { Pending, ProcessWorld } from '../client-world.ts'
import { CallError, type CallFailure, type SeenTask, type SendOptions } from '../client.ts'
import { type Ending, LEARNED, type Mechanism } from '../mechanism.ts'
import type { Process } from '../process.ts'
import { answered, sleep } from '../waiting.ts'
import { patienceUs } from './patience.ts'

/**
 * A send whose reply the agent holds until the task is over or asks, or as long
 * as it cares to. A reply that shows an unfinished task ends it: in a chain,
 * whoever comes next goes on from that task.
 *
 * After a failed send nothing is known of the task, not even whether there is
 * one: there is no next call, and `onError: next` fails like `fail`. With a
 * backoff the message is sent again, but only if the agent certainly did not act
 * on it: agents need not recognise a message they have had (specification
 * 3.1.1), and a second task would begin. What merely asks is asked again in any case.
 *
 * Nobody can send again what another part of the policy has sent: to follow a
 * task is one GetTask, held as long as the policy says (an extension; without
 * it the answer comes at once), and then the thread is handed over.
 */
export const blocking: Mechanism<BlockingPolicy> = {
  *begin(world, policy, { configuration, began }) {
    yield* answered(world.connect())
    const blockingSend = { ...configuration, returnImmediately: false }
    const sent = yield* insist(world, policy, didNotArrive, () => world.send(blockingSend, waitOf(policy)))
    began({ taskId: sent.taskId, contextId: sent.contextId })
    return yield* readOn(world, policy, sent, 'reply')
  },

  *follow(world, policy, { taskId }) {
    yield* answered(world.connect())
    const answer = yield* insist(world, policy, mayPass, () => world.get(taskId, waitOf(policy)))
    return answer.of === 'task' ? yield* readOn(world, policy, answer.task, 'poll') : NOT_OVER
  },
}

const NOT_OVER: Ending = { kind: 'not-learned', reason: 'the agent answered before the task was over' }

const waitOf = (policy: BlockingPolicy): SendOptions => ({
  holdUs: policy.holdUs,
  timeoutUs: patienceUs(policy),
})

/** Reads what came, and answers questions by sends of the same kind. */
function* readOn(
  world: ProcessWorld,
  policy: BlockingPolicy,
  first: SeenTask,
  firstBy: Channel,
): Process<Ending> {
  let by = firstBy
  for (let seen = first; ; by = 'reply') {
    const { terminal, asks } = world.observe({ of: 'task', view: seen.view }, by, seen.exchange)
    if (terminal) return LEARNED
    if (asks === undefined) return NOT_OVER
    yield* sleep(world, world.nowUs() + asks.afterUs)
    const { taskId, contextId } = seen
    const answer = () => world.answer({ taskId, contextId }, asks.message, waitOf(policy))
    seen = yield* insist(world, policy, didNotArrive, answer)
  }
}

/** Calls again as `onError` has it. @throws the CallError of the last attempt */
function* insist<T>(
  world: ProcessWorld,
  { onError }: BlockingPolicy,
  isWorthATry: (failure: CallFailure) => boolean,
  call: () => Pending<T>,
): Process<T> {
  const waits =
    typeof onError === 'object' ? createBackoff(onError, world.random('blocking retries')) : undefined
  const sinceUs = world.nowUs()
  for (;;) {
    try {
      return yield* answered(call())
    } catch (error) {
      if (!(error instanceof CallError) || !isWorthATry(error.failure)) throw error
      const nowUs = world.nowUs()
      const waitUs = waits?.next(nowUs - sinceUs)
      if (waitUs === undefined) throw error
      yield* sleep(world, nowUs + Math.max(waitUs, askedUs(error.failure)))
    }
  }
}

/** Whether the call was turned away at the door, or never left. */
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

/** Whether the same call may succeed later. */
const mayPass = (failure: CallFailure): boolean =>
  failure.of === 'answer' ? failure.status >= 500 : failure.of !== 'gone'

/** The least wait the agent asked for. */
const askedUs = (failure: CallFailure): number =>
  ('retryAfterUs' in failure ? failure.retryAfterUs : undefined) ?? 0
