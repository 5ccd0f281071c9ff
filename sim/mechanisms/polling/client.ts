import type { Clock } from '../../kernel/clock.ts'
import { spellDuration } from '../../kernel/units.ts'
import type { PollPolicy } from '../../policies/policy.ts'
import { connect } from '../a2a-client.ts'
import type { Mechanism } from '../mechanism.ts'
import { firstPollUs, nextPollUs } from './policy.ts'

/** SendMessage that returns at once, then GetTask again and again until the task is over. */
export const polling: Mechanism<PollPolicy> = {
  title: (policy) => `poll every ${spellDuration(policy.intervalUs)}${firstPollTitle(policy)}`,

  async run(world, policy) {
    const client = await connect(world)
    const sent = await client.send({ returnImmediately: true })
    if (world.observe({ of: 'task', view: sent.view }, 'reply').terminal) return { kind: 'learned' }
    let dueUs = firstPollUs(policy, world.clock.nowUs())
    for (;;) {
      await sleepUntil(world.clock, dueUs, world.signal)
      const sentUs = world.clock.nowUs()
      const task = await client.get(sent.taskId)
      if (world.observe({ of: 'task', view: task.view }, 'poll').terminal) return { kind: 'learned' }
      dueUs = nextPollUs(policy, { sentUs, answeredUs: world.clock.nowUs() })
    }
  },
}

function firstPollTitle(policy: PollPolicy): string {
  const wait = policy.waitFrom === 'request' ? ', counted from the request' : ''
  if (policy.firstAfterUs === 0) return wait
  return `, first after ${spellDuration(policy.firstAfterUs)}${wait}`
}

/** A poll that is due already does not wait for a turn of the clock. */
async function sleepUntil(clock: Clock, dueUs: number, signal: AbortSignal): Promise<void> {
  if (dueUs > clock.nowUs()) await clock.sleep(dueUs - clock.nowUs(), signal)
}
