import type { PollPolicy } from '../../policies/policy.ts'
import { connect } from '../a2a-client.ts'
import type { Mechanism } from '../mechanism.ts'
import { pollTask } from './poll-task.ts'
import type { AskedWaits } from './waits.ts'

const NOTHING_ASKED: AskedWaits = { hintUs: undefined, retryAfterUs: undefined }

/** SendMessage that returns at once, then GetTask again and again until the task is over. */
export const polling: Mechanism<PollPolicy> = {
  async begin(world, policy, { configuration, began }) {
    const client = await connect(world)
    const sent = await client.send({ ...configuration, returnImmediately: true })
    began(sent)
    const observed = world.observe({ of: 'task', view: sent.view }, 'reply', sent.exchange)
    const { says } = sent
    return pollTask(world, client, policy, { task: sent, asks: says, etag: says.etag, observed })
  },

  /** The first poll is counted from the take-over. */
  async follow(world, policy, task) {
    const client = await connect(world)
    const start = { task, asks: NOTHING_ASKED, etag: undefined, observed: undefined }
    return pollTask(world, client, policy, start)
  },
}
