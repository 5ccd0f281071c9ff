import { createBackoff } from '../../policies/backoff.ts'
import type { BlockingPolicy } from '../../policies/policy.ts'
import type { Channel } from '../../records/record.ts'
import { connect } from '../a2a-client.ts'
import { type A2AClient, CallError, type CallFailure, type SeenTask, type SendOptions } from '../client.ts'
import type { ClientWorld, Ending, Mechanism } from '../mechanism.ts'
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
  async begin(world, policy, { configuration, began }) {
    const client = await connect(world)
    const blockingSend = { ...configuration, returnImmediately: false }
    const sent = await insist(world, policy, didNotArrive, () => client.send(blockingSend, waitOf(policy)))
    began({ taskId: sent.taskId, contextId: sent.contextId })
    return readOn(world, policy, client, sent, 'reply')
  },

  async follow(world, policy, { taskId }) {
    const client = await connect(world)
    const answer = await insist(world, policy, mayPass, () => client.get(taskId, waitOf(policy)))
    return answer.of === 'task' ? readOn(world, policy, client, answer.task, 'poll') : NOT_OVER
  },
}

const NOT_OVER: Ending = { kind: 'not-learned', reason: 'the agent answered before the task was over' }

const waitOf = (policy: BlockingPolicy): SendOptions => ({
  holdUs: policy.holdUs,
  timeoutUs: patienceUs(policy),
})

/** Reads what came, and answers questions by sends of the same kind. */
async function readOn(
  world: ClientWorld,
  policy: BlockingPolicy,
  client: A2AClient,
  first: SeenTask,
  firstBy: Channel,
): Promise<Ending> {
  let by = firstBy
  for (let seen = first; ; by = 'reply') {
    const { terminal, asks } = world.observe({ of: 'task', view: seen.view }, by, seen.exchange)
    if (terminal) return { kind: 'learned' }
    if (asks === undefined) return NOT_OVER
    await world.clock.sleep(asks.afterUs, world.signal)
    const { taskId, contextId } = seen
    const answering = () => client.answer({ taskId, contextId }, asks.message, waitOf(policy))
    seen = await insist(world, policy, didNotArrive, answering)
  }
}

/** Calls again as `onError` has it. @throws the CallError of the last attempt */
async function insist<T>(
  { clock, signal, random }: ClientWorld,
  { onError }: BlockingPolicy,
  isWorthATry: (failure: CallFailure) => boolean,
  call: () => Promise<T>,
): Promise<T> {
  const waits = typeof onError === 'object' ? createBackoff(onError, random('blocking retries')) : undefined
  const sinceUs = clock.nowUs()
  for (;;) {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof CallError) || !isWorthATry(error.failure)) throw error
      const waitUs = waits?.next(clock.nowUs() - sinceUs)
      if (waitUs === undefined) throw error
      await clock.sleep(Math.max(waitUs, askedUs(error.failure)), signal)
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
