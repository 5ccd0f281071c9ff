/** Tasks are kept for a time; then they are as if they had never been. */
import { describe, expect, test } from 'vitest'
import type { Clock } from '../kernel/clock.ts'
import type { Waits } from '../policies/backoff.ts'
import type { PushSending } from '../policies/policy.ts'
import type { Task } from '../protocol/a2a.ts'
import type { Operation } from '../protocol/operation.ts'
import { eventsOf, MESSAGE, onStage, resultOf, SEED_JOB, type Stage } from '../testing/agent-stage.ts'
import { backoffOf, every, jobOf, seconds, status } from '../testing/scenario.ts'
import { settingsWith } from './settings.ts'

const JOB = jobOf([status(seconds(20), 'working'), status(seconds(100), 'completed')])
const fromCreation = (afterSeconds: number) => ({
  ttl: { afterUs: seconds(afterSeconds), from: 'creation' as const },
})

const reasonOf = async ({ ask }: Stage, operation: Operation, params: Record<string, unknown>) => {
  const outcome = await ask('JSONRPC', operation, params)
  return 'error' in outcome ? outcome.error.reason : 'ok'
}

test('a task whose time is over is found by no operation', async () => {
  await onStage({ job: JOB, settings: fromCreation(60) }, async (stage) => {
    const { id } = await stage.send()
    await stage.at(59.999999)
    expect(await reasonOf(stage, 'GetTask', { id })).toBe('ok')
    await stage.at(60)
    const operations: [Operation, Record<string, unknown>][] = [
      ['GetTask', { id }],
      ['CancelTask', { id }],
      ['SubscribeToTask', { id }],
      ['SendMessage', { message: { ...MESSAGE, taskId: id } }],
      ['CreateTaskPushNotificationConfig', { taskId: id, url: 'https://client.example/' }],
      ['ListTaskPushNotificationConfigs', { taskId: id }],
    ]
    for (const [operation, params] of operations)
      expect(await reasonOf(stage, operation, params), operation).toBe('TASK_NOT_FOUND')
    expect(resultOf<{ tasks: Task[] }>(await stage.ask('JSONRPC', 'ListTasks', {})).tasks).toEqual([])
    expect(stage.agent.authorised(id)).toBe(false)
  })
})

test('it ends with its job unfinished: streams close, held answers fail, nothing is posted or happens any more', async () => {
  const posts: number[] = []
  const fetch: typeof globalThis.fetch = () => {
    posts.push(1)
    return Promise.reject(new TypeError('fetch failed'))
  }
  // Each post is tried for ever: only the deletion ends that.
  const { push } = settingsWith()
  const sending = push && { ...push, retry: { ...push.retry, attempts: undefined } }
  const settings = { ...fromCreation(60), push: sending }
  const { records, leftovers } = await onStage({ job: JOB, settings, fetch }, async (stage) => {
    const { id } = await stage.send({ taskPushNotificationConfig: { url: 'https://client.example/' } })
    const stream = stage.call('HTTP+JSON', 'SubscribeToTask', { id }).then(eventsOf)
    const held = stage.ask('HTTP+JSON', 'SendMessage', { message: { ...MESSAGE, taskId: id } })
    expect(await stream).toHaveLength(2)
    expect(stage.clock.nowUs()).toBe(seconds(60))
    expect(await held).toMatchObject({ error: { reason: 'TASK_NOT_FOUND' } })
    await stage.agent.idle()
    expect(stage.clock.nowUs()).toBe(seconds(60))
    await stage.at(200)
  })
  expect(leftovers).toEqual({ events: 0, timers: 0, waiting: [] })
  expect(records.filter(({ kind }) => kind === 'happened')).toHaveLength(1)
  // At 20, 21, 23, 27, 35 and 51 s.
  expect(posts).toHaveLength(6)
})

test('counted from its completion it begins only then, and an idle agent waits for none of it', async () => {
  const settings = { ttl: { afterUs: seconds(30), from: 'completion' as const } }
  const { leftovers } = await onStage({ job: JOB, settings }, async (stage) => {
    const { id } = await stage.send()
    await stage.agent.idle()
    expect(stage.clock.nowUs()).toBe(seconds(100))
    await stage.at(129.999999)
    expect(await reasonOf(stage, 'GetTask', { id })).toBe('ok')
    await stage.at(130)
    expect(await reasonOf(stage, 'GetTask', { id })).toBe('TASK_NOT_FOUND')
  })
  expect(leftovers).toEqual({ events: 0, timers: 0, waiting: [] })
})

test('kept beyond its end it is waited for by nobody', async () => {
  const { leftovers } = await onStage({ job: JOB, settings: fromCreation(300) }, async (stage) => {
    const { id } = await stage.send()
    await stage.agent.idle()
    expect(stage.clock.nowUs()).toBe(seconds(100))
    expect(await reasonOf(stage, 'GetTask', { id })).toBe('ok')
  })
  expect(leftovers).toEqual({ events: 0, timers: 0, waiting: [] })
})

describe('posts about a task that is over', () => {
  async function postsOf(
    waits: Waits,
    receive: (clock: Clock) => Promise<Response>,
  ): Promise<{ atSeconds: number[]; idleAt: number }> {
    const atSeconds: number[] = []
    const push = settingsWith().push as PushSending
    const settings = {
      ttl: { afterUs: seconds(30), from: 'completion' as const },
      push: { ...push, timeoutUs: seconds(60), retry: backoffOf(waits) },
    }
    let stage: Stage | undefined
    const fetch: typeof globalThis.fetch = () => {
      const { clock } = stage as Stage
      atSeconds.push(clock.nowUs() / 1e6)
      return receive(clock)
    }
    const { value } = await onStage({ job: SEED_JOB, settings, fetch }, async (given) => {
      stage = given
      await given.send()
      const { tasks } = resultOf<{ tasks: Task[] }>(await given.ask('JSONRPC', 'ListTasks', {}))
      await given.at(50)
      const webhook = { taskId: tasks[0]?.id as string, url: 'https://client.example/' }
      await given.ask('JSONRPC', 'CreateTaskPushNotificationConfig', webhook)
      await given.agent.idle()
      return given.clock.nowUs() / 1e6
    })
    return { atSeconds, idleAt: value }
  }

  test('are tried again only as long as it is kept, and nobody waits for a try that will not be', async () => {
    const refuse = () => Promise.reject(new TypeError('fetch failed'))
    const { atSeconds, idleAt } = await postsOf(every(seconds(10)), refuse)
    // The first post at 100, 110 and 120 s; for those behind it each time one try is left.
    expect(atSeconds).toEqual([100, 110, 120, 120, 120])
    expect(idleAt).toBe(120)
  })

  test('and none begins afterwards, though it waited for its turn', async () => {
    const slow = async (clock: Clock) => {
      await clock.sleep(seconds(20))
      return new Response(null, { status: 204 })
    }
    expect(await postsOf(every(seconds(10)), slow)).toEqual({ atSeconds: [100, 120], idleAt: 140 })
  })
})

test('a task that ends at the very instant of its deletion has ended', async () => {
  const { records } = await onStage({ job: JOB, settings: fromCreation(100) }, async (stage) => {
    const { id } = await stage.send()
    const events = await eventsOf(await stage.call('HTTP+JSON', 'SubscribeToTask', { id }))
    expect(events).toHaveLength(3)
    expect(await reasonOf(stage, 'GetTask', { id })).toBe('TASK_NOT_FOUND')
  })
  expect(records.filter(({ kind }) => kind === 'happened')).toHaveLength(2)
})
