import type { PollPolicy } from '../../policies/policy.ts'
import type { Mechanism } from '../mechanism.ts'
import { answered } from '../waiting.ts'
import { pollTask } from './poll-task.ts'
import type { AskedWaits } from './waits.ts'

const NOTHING_ASKED: AskedWaits = { hintUs: undefined, retryAfterUs: undefined }

/** SendMessage that returns at once, then GetTask again and again until the task is over. */
export const polling: Mechanism<PollPolicy> = {
  *begin(world, policy, { configuration, began }) {
    yield* answered(world.connect())
    const sent = yield* answered(world.send({ ...configuration, returnImmediately: true }))
    began(sent)
    const observed = world.observe({ of: 'task', view: sent.view }, 'reply', sent.exchange)
    const { says } = sent
    return yield* pollTask(world, policy, { task: sent, asks: says, etag: says.etag, observed })
  },

  /** The first poll is counted from the take-over. */
  *follow(world, policy, task) {
    yield* answered(world.connect())
    const start = { task, asks: NOTHING_ASKED, etag: undefined, observed: undefined }
    return yield* pollTask(world, policy, start)
  },
}
