/** What an agent loses when its process ends and a new one begins. */
import { describe, expect, test } from 'vitest'
import type { PushSending } from '../policies/policy.ts'
import { type Stage, chunksOf, MESSAGE, onStage, SEED_JOB } from '../testing/agent-stage.ts'
import { jobOf, seconds, status } from '../testing/scenario.ts'
import { settingsWith } from './settings.ts'

const JOB = jobOf([status(seconds(20), 'working'), status(seconds(60), 'completed')])
const WEBHOOK = { taskPushNotificationConfig: { url: 'https://client.example/hook' } }

/** A receiver that fails up to an instant; keeps when it was posted to. */
function receiver(downUntilSeconds: number) {
  const atSeconds: number[] = []
  let stage: Stage | undefined
  const fetch: typeof globalThis.fetch = () => {
    const now = (stage as Stage).clock.nowUs() / 1e6
    atSeconds.push(now)
    return now < downUntilSeconds
      ? Promise.reject(new TypeError('fetch failed'))
      : Promise.resolve(new Response(null, { status: 204 }))
  }
  return { fetch, atSeconds, listen: (given: Stage) => (stage = given) }
}

test('streams break off, and their readers may come back', async () => {
  const { leftovers } = await onStage({ job: JOB }, async ({ send, call, at, agent, clock }) => {
    const { id } = await send()
    const read = async () => {
      const told: string[] = []
      try {
        for await (const { chunk } of chunksOf(await call('HTTP+JSON', 'SubscribeToTask', { id })))
          told.push(chunk)
        return `${told.length} and an end at ${clock.nowUs() / 1e6}`
      } catch {
        return `${told.length} and a break at ${clock.nowUs() / 1e6}`
      }
    }
    const first = read()
    await at(20)
    agent.restart('streams')
    expect(await first).toBe('2 and a break at 20')
    expect(await read()).toBe('2 and an end at 60')
  })
  expect(leftovers).toEqual({ events: 0, timers: 0, waiting: [] })
})

test('answers that are held never come, and nothing waits for them', async () => {
  const { leftovers } = await onStage({ job: jobOf([]) }, async ({ ask, at, agent }) => {
    let isAnswered = false
    void ask('JSONRPC', 'SendMessage', { message: MESSAGE }).then(() => (isAnswered = true))
    await at(10)
    agent.restart('streams')
    await at(100)
    expect(isAnswered).toBe(false)
  })
  expect(leftovers).toEqual({ events: 0, timers: 0, waiting: [] })
})

describe('webhook posts', () => {
  // The first post fails at 0 and 1 s and would go out at 3 s, the next ones in their turn.
  test.each<['streams' | 'posts', number[]]>([
    ['streams', [0, 1, 3, 20, 100, 100, 100]],
    ['posts', [0, 1, 20, 100, 100, 100]],
  ])('a restart that loses %s: posts at %j', async (loses, expected) => {
    const hook = receiver(1.5)
    await onStage({ job: SEED_JOB, fetch: hook.fetch }, async (stage) => {
      hook.listen(stage)
      await stage.send(WEBHOOK)
      await stage.at(2)
      stage.agent.restart(loses)
      await stage.agent.idle()
    })
    expect(hook.atSeconds).toEqual(expected)
  })

  test('an attempt under way when they are lost is not tried again, and does not hold up later ones', async () => {
    const hook = receiver(0)
    const pending: ((error: Error) => void)[] = []
    // Were its failure to count, the webhook would be gone.
    const push = settingsWith().push as PushSending
    const settings = { push: { ...push, retry: { ...push.retry, attempts: 1 }, giveUp: 'remove' as const } }
    const fetch: typeof globalThis.fetch = (...args) =>
      pending.length === 0 ? new Promise<Response>((_, reject) => pending.push(reject)) : hook.fetch(...args)
    await onStage({ job: SEED_JOB, fetch, settings }, async (stage) => {
      hook.listen(stage)
      await stage.send(WEBHOOK)
      await stage.at(5)
      stage.agent.restart('posts')
      pending[0]?.(new TypeError('fetch failed'))
      await stage.agent.idle()
    })
    expect(hook.atSeconds).toEqual([20, 100, 100, 100])
  })
})

test('what is due at the instant of the restart has happened before it', async () => {
  const job = jobOf([10, 20, 30].map((at) => status(seconds(at), 'working', `${at}`)))
  const { records } = await onStage({ job }, async ({ send, at, agent }) => {
    await send()
    await at(20)
    agent.restart('tasks')
    await at(40)
  })
  expect(records.map((one) => one.kind === 'happened' && one.atUs)).toEqual([seconds(10), seconds(20)])
})

test('tasks are gone with all that was to happen to them, and the agent has nothing to do', async () => {
  const hook = receiver(1000)
  const { records, leftovers } = await onStage({ job: SEED_JOB, fetch: hook.fetch }, async (stage) => {
    hook.listen(stage)
    const { id } = await stage.send(WEBHOOK)
    await stage.at(2)
    stage.agent.restart('tasks')
    await stage.agent.idle()
    expect(stage.clock.nowUs()).toBe(seconds(2))
    expect(await stage.ask('HTTP+JSON', 'GetTask', { id })).toMatchObject({
      error: { reason: 'TASK_NOT_FOUND' },
    })
    const again = await stage.send()
    await stage.agent.idle()
    expect((await stage.get(again.id)).status.state).toBe('TASK_STATE_COMPLETED')
  })
  expect(hook.atSeconds).toEqual([0, 1])
  expect(records.filter(({ kind }) => kind === 'happened')).toHaveLength(1 + 5)
  expect(leftovers).toEqual({ events: 0, timers: 0, waiting: [] })
})
