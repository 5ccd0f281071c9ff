import type { PushPolicy } from '../../policies/policy.ts'
import type { Message, TaskPushNotificationConfig } from '../../protocol/a2a.ts'
import type { Channel } from '../../records/record.ts'
import type { Post, ProcessWorld } from '../client-world.ts'
import { CallError, type SeenTask } from '../client.ts'
import { type BegunTask, type Ending, LEARNED, type Mechanism, type Observation } from '../mechanism.ts'
import { type Process, run } from '../process.ts'
import { answered, createBell, sleep } from '../waiting.ts'

/**
 * A webhook, then silence until the agent posts. It never gives up by itself:
 * whoever wants more safety puts a poll beside it.
 *
 * With the send the address is open before that leaves, because a post may
 * overtake the reply. Registered afterwards, the client asks once more with
 * GetTask: what happened in between is posted to nobody.
 */
export const push: Mechanism<PushPolicy> = {
  *begin(world, policy, { configuration, began }) {
    if (!world.offers.push) return NO_PUSH
    const tell = once(began)
    const webhook = openWebhook(world, policy, tell)
    yield* answered(world.connect())
    const withSend = policy.register === 'with-send' ? webhook.asConfiguration : {}
    const sent = yield* answered(world.send({ returnImmediately: true, ...configuration, ...withSend }))
    tell(sent)
    webhook.observe(sent, 'reply')
    if (!webhook.knowsEnd() && policy.register === 'after-reply') yield* webhook.register(sent)
    return yield* webhook.end()
  },

  *follow(world, policy, task) {
    if (!world.offers.push) return NO_PUSH
    const webhook = openWebhook(world, policy, () => {})
    yield* answered(world.connect())
    yield* webhook.register(task)
    return yield* webhook.end()
  },

  prepare(world, policy) {
    if (!world.offers.push || policy.register === 'after-reply')
      return { configuration: {}, follow: push.follow }
    const webhook = openWebhook(world, policy, () => {})
    return { configuration: webhook.asConfiguration, follow: () => webhook.end() }
  },
}

const NO_PUSH: Ending = { kind: 'failed', reason: "the agent's card does not offer push notifications" }

function once(tell: (task: BegunTask) => void): (task: BegunTask) => void {
  let told = false
  return ({ taskId, contextId }) => {
    if (!told) tell({ taskId, contextId })
    told = true
  }
}

/** What one webhook address brings, and what the client does about it. */
interface Webhook {
  asConfiguration: { taskPushNotificationConfig: TaskPushNotificationConfig }
  knowsEnd(): boolean
  observe(task: SeenTask, by: Channel): void
  /** CreateTaskPushNotificationConfig, then GetTask. @throws CallError if either fails; posts are not taken any more then */
  register(task: BegunTask): Process<void>
  /** Waits until the end of the task is known and the errands that posts gave rise to are done. */
  end(): Process<Ending>
}

/** @param met called with the task of each post before that is observed */
function openWebhook(world: ProcessWorld, policy: PushPolicy, met: (task: BegunTask) => void): Webhook {
  const over = createBell()
  let knowsEnd = false
  let errands = 0
  let fault: { error: unknown } | undefined

  function failWith(error: unknown): void {
    if (!over.ready) fault = { error }
    over.ring()
  }

  function finishIfDone(): void {
    if (knowsEnd && errands === 0) over.ring()
  }

  /** Asks for the whole or answers a question while further posts come in. */
  function begin(errand: Process<void>): void {
    errands += 1
    world.errand(
      (function* () {
        try {
          yield* errand
          errands -= 1
        } catch (error) {
          failWith(error)
          return
        }
        finishIfDone()
      })(),
    )
  }

  function note({ terminal, asks }: Observation, task: BegunTask): void {
    knowsEnd ||= terminal
    if (asks !== undefined) begin(answer(task, world.nowUs() + asks.afterUs, asks.message))
    finishIfDone()
  }

  const observe: Webhook['observe'] = ({ taskId, contextId, view, exchange }, by) =>
    note(world.observe({ of: 'task', view }, by, exchange), { taskId, contextId })

  function* answer(task: BegunTask, atUs: number, message: Message): Process<void> {
    yield* sleep(world, atUs)
    yield* answered(world.connect())
    observe(yield* answered(world.answer(task, message)), 'reply')
  }

  function* look({ taskId }: BegunTask): Process<void> {
    try {
      yield* answered(world.connect())
      const got = yield* answered(world.get(taskId))
      if (got.of === 'task') observe(got.task, 'poll')
    } catch (error) {
      // Then the client knows what the posts said, and asks again at the next.
      if (!(error instanceof CallError)) throw error
    }
  }

  function take({ change, task, exchange }: Post): void {
    met(task)
    const knewEnd = knowsEnd
    const seen = world.observe(change, 'push', exchange)
    const wantsWhole = policy.get === 'each' || (policy.get === 'final' && seen.terminal && !knewEnd)
    if (wantsWhole) begin(look(task))
    note(seen, task)
  }

  const inbox = world.openInbox()

  /** The address stays: who is told more than it waits for, or not needed any more, is told so all the same. */
  function* listen(): Process<void> {
    try {
      for (;;) {
        yield inbox
        take(inbox.take())
      }
    } catch (error) {
      failWith(error)
    }
  }
  run(listen())

  return {
    asConfiguration: { taskPushNotificationConfig: inbox.config },
    knowsEnd: () => knowsEnd,
    observe,
    *register({ taskId }) {
      try {
        yield* answered(world.register(taskId, inbox.config))
        const got = yield* answered(world.get(taskId))
        if (got.of === 'task') observe(got.task, 'poll')
      } catch (error) {
        inbox.close()
        throw error
      }
    },
    *end() {
      yield over
      if (fault !== undefined) throw fault.error
      return LEARNED
    },
  }
}
