import { waitFor } from '../../kernel/wait.ts'
import type { PushPolicy } from '../../policies/policy.ts'
import type { StreamResponse } from '../../protocol/a2a.ts'
import { changeOf } from '../../protocol/view.ts'
import { connect } from '../a2a-client.ts'
import type { Mechanism } from '../mechanism.ts'

/**
 * SendMessage with a webhook inside, then silence until the agent posts. The
 * address is open before the send leaves, because a post may overtake the reply.
 */
export const push: Mechanism<PushPolicy> = {
  title: () => 'push (webhooks)',

  async run(world) {
    if (world.card.capabilities.pushNotifications !== true)
      return { kind: 'failed', reason: "the agent's card does not offer push notifications" }
    const client = await connect(world)
    let finish: () => void = () => {}
    const over = new Promise<void>((resolve) => {
      finish = resolve
    })
    const webhook = world.receive((body) => {
      const change = changeOf(body as StreamResponse)
      if (change !== undefined && world.observe(change, 'push').terminal) finish()
    })
    const sent = await client.send({ returnImmediately: true, taskPushNotificationConfig: webhook })
    if (world.observe({ of: 'task', view: sent.view }, 'reply').terminal) return { kind: 'learned' }
    await waitFor(world.clock, over, 'the client waits for a webhook post', world.signal)
    return { kind: 'learned' }
  },
}
