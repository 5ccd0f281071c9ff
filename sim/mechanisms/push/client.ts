import { waitFor } from '../../kernel/wait.ts'
import type { PushPolicy } from '../../policies/policy.ts'
import type { StreamResponse, TaskPushNotificationConfig } from '../../protocol/a2a.ts'
import { changeOf } from '../../protocol/view.ts'
import type { Channel } from '../../records/record.ts'
import { connect } from '../a2a-client.ts'
import { type A2AClient, CallError, type SeenTask } from '../client.ts'
import type { BegunTask, ClientWorld, Ending, Mechanism, Observation } from '../mechanism.ts'

/**
 * A webhook, then silence until the agent posts. It never gives up by itself:
 * whoever wants more safety puts a poll beside it.
 *
 * With the send the address is open before that leaves, because a post may
 * overtake the reply. Registered afterwards, the client asks once more with
 * GetTask: what happened in between is posted to nobody.
 */
export const push: Mechanism<PushPolicy> = {
  async begin(world, policy, { configuration, began }) {
    if (!offersPush(world)) return NO_PUSH
    const tell = once(began)
    const inbox = openInbox(world, policy, tell)
    const client = await connect(world)
    const withSend = policy.register === 'with-send' ? inbox.asConfiguration : {}
    const sent = await client.send({ returnImmediately: true, ...configuration, ...withSend })
    tell(sent)
    inbox.observe(sent, 'reply')
    if (!inbox.knowsEnd() && policy.register === 'after-reply') await inbox.register(client, sent)
    return inbox.end(world)
  },

  async follow(world, policy, task) {
    if (!offersPush(world)) return NO_PUSH
    const inbox = openInbox(world, policy, () => {})
    await inbox.register(await connect(world), task)
    return inbox.end(world)
  },

  prepare(world, policy) {
    if (!offersPush(world) || policy.register === 'after-reply')
      return { configuration: {}, follow: push.follow }
    const inbox = openInbox(world, policy, () => {})
    return { configuration: inbox.asConfiguration, follow: (itsWorld) => inbox.end(itsWorld) }
  },
}

const NO_PUSH: Ending = { kind: 'failed', reason: "the agent's card does not offer push notifications" }

const offersPush = ({ card }: ClientWorld): boolean => card.capabilities.pushNotifications === true

function once(tell: (task: BegunTask) => void): (task: BegunTask) => void {
  let told = false
  return ({ taskId, contextId }) => {
    if (!told) tell({ taskId, contextId })
    told = true
  }
}

/** What one webhook address brings, and what the client does about it. */
interface Inbox {
  asConfiguration: { taskPushNotificationConfig: TaskPushNotificationConfig }
  knowsEnd(): boolean
  observe(task: SeenTask, by: Channel): void
  /** CreateTaskPushNotificationConfig, then GetTask. @throws CallError if either fails; posts are not taken any more then */
  register(client: A2AClient, task: BegunTask): Promise<void>
  /** Waits until the end of the task is known and the errands that posts gave rise to are done. */
  end(world: ClientWorld): Promise<Ending>
}

/** @param met called with the task of each post before that is observed */
function openInbox(world: ClientWorld, policy: PushPolicy, met: (task: BegunTask) => void): Inbox {
  let knowsEnd = false
  let errands = 0
  let deaf = false
  let finish = (): void => {}
  let fail = (_reason: unknown): void => {}
  const over = new Promise<void>((resolve, reject) => {
    finish = resolve
    fail = reject
  })
  over.catch(() => {}) // it may fail before anybody waits for it

  /** Asks for the whole or answers a question while further posts come in. */
  function run(errand: () => Promise<void>): void {
    errands += 1
    errand().then(() => {
      errands -= 1
      if (knowsEnd && errands === 0) finish()
    }, fail)
  }

  function note({ terminal, asks }: Observation, task: BegunTask): void {
    knowsEnd ||= terminal
    if (asks !== undefined)
      run(async () => {
        await world.clock.sleep(asks.afterUs, world.signal)
        observe(await (await connect(world)).answer(task, asks.message), 'reply')
      })
    if (knowsEnd && errands === 0) finish()
  }

  const observe: Inbox['observe'] = ({ taskId, contextId, view, exchange }, by) =>
    note(world.observe({ of: 'task', view }, by, exchange), { taskId, contextId })

  async function look({ taskId }: BegunTask): Promise<void> {
    try {
      const answer = await (await connect(world)).get(taskId)
      if (answer.of === 'task') observe(answer.task, 'poll')
    } catch (error) {
      // Then the client knows what the posts said, and asks again at the next.
      if (!(error instanceof CallError)) throw error
    }
  }

  const webhook = world.receive((body, exchange) => {
    if (deaf) return
    const event = body as StreamResponse
    const change = changeOf(event)
    if (change === undefined) return
    const task = taskOf(event)
    met(task)
    const knewEnd = knowsEnd
    const seen = world.observe(change, 'push', exchange)
    const wantsWhole = policy.get === 'each' || (policy.get === 'final' && seen.terminal && !knewEnd)
    if (wantsWhole) run(() => look(task))
    note(seen, task)
  })

  return {
    asConfiguration: { taskPushNotificationConfig: webhook },
    knowsEnd: () => knowsEnd,
    observe,
    async register(client, { taskId }) {
      try {
        await client.register(taskId, webhook)
        const answer = await client.get(taskId)
        if (answer.of === 'task') observe(answer.task, 'poll')
      } catch (error) {
        deaf = true
        throw error
      }
    },
    async end({ clock, signal }) {
      await waitFor(clock, over, 'the client waits for a webhook post', signal)
      return { kind: 'learned' }
    },
  }
}

/** The task a webhook body is about. */
function taskOf(event: StreamResponse): BegunTask {
  if ('task' in event) return { taskId: event.task.id, contextId: event.task.contextId ?? '' }
  if ('statusUpdate' in event) return idsOf(event.statusUpdate)
  if ('artifactUpdate' in event) return idsOf(event.artifactUpdate)
  return idsOf(event.message)
}

const idsOf = ({ taskId = '', contextId = '' }: Partial<BegunTask>): BegunTask => ({ taskId, contextId })
