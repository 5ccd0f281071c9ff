/** What a push client does with posts and answers; what it costs on the wire is in push.test.ts. */
import { describe, expect, test } from 'vitest'
import { US_PER_SECOND } from '../../kernel/units.ts'
import type { PushPolicy } from '../../policies/policy.ts'
import type { Task } from '../../protocol/a2a.ts'
import {
  type Asked,
  inClientWorld,
  type Scene,
  type SceneOptions,
  TASK,
  taskIn,
} from '../../testing/client-world.ts'
import { pushBy } from '../../testing/scenario.ts'
import type { ClientWorld } from '../a2a-world.ts'
import type { Beginning, BegunTask, Ending } from '../mechanism.ts'
import { runProcess } from '../over-client.ts'
import { push } from './process.ts'

const IDS = { taskId: TASK.id, contextId: TASK.contextId ?? '' }
const WORKING = { statusUpdate: { ...IDS, status: TASK.status } }
const DONE = { statusUpdate: { ...IDS, status: taskIn('TASK_STATE_COMPLETED').status } }

/** An agent that shows `task` in every answer. */
const showing =
  (task: Task): SceneOptions['agent'] =>
  ({ operation, params, result }) => {
    switch (operation) {
      case 'SendMessage':
        return result({ task })
      case 'CreateTaskPushNotificationConfig':
        return result(params ?? {})
      default:
        return result(task)
    }
  }

interface Played {
  ending: Ending
  operations: string[]
  /** `by` and, for posts and answers, the exchange that brought it. */
  told: [by: string, exchange: number | undefined][]
  endUs: number
  leftovers: object
  asked: readonly Asked[]
}

const begin = (
  world: ClientWorld,
  policy: PushPolicy,
  beginning: Beginning = { configuration: {}, began: () => {} },
): Promise<Ending> => runProcess(world, (its) => push.begin(its, policy, beginning))

const follow = (world: ClientWorld, policy: PushPolicy): Promise<Ending> =>
  runProcess(world, (its) => push.follow(its, policy, IDS))

/** Lets the client run beside `script`, which plays the agent's posts. */
async function play(
  policy: Partial<PushPolicy>,
  script: (scene: Scene) => Promise<void>,
  options: Partial<SceneOptions> = {},
  run = (scene: Scene, whole: PushPolicy): Promise<Ending> => begin(scene.world, whole),
): Promise<Played> {
  const { value, leftovers } = await inClientWorld({ agent: showing(TASK), ...options }, async (scene) => {
    const [ending] = await Promise.all([run(scene, pushBy(policy)), script(scene)])
    return { ending, endUs: scene.clock.nowUs(), asked: scene.asked, told: scene.told }
  })
  return {
    ...value,
    operations: value.asked.map(({ operation }) => operation),
    told: value.told.map(({ by, exchange }) => [by, exchange]),
    leftovers,
  }
}

const doneAt = (seconds: number) => async (scene: Scene) => {
  await scene.at(seconds)
  scene.post(DONE, 40)
}

test('the send carries the webhook, beside what others want in it, and posts are told by number', async () => {
  const begun: BegunTask[] = []
  const { asked, ...played } = await play({}, doneAt(5), {}, ({ world }, policy) =>
    begin(world, policy, {
      configuration: { historyLength: 3 },
      began: (task) => void begun.push(task),
    }),
  )
  expect(begun).toEqual([IDS])
  expect(asked[0]?.params).toMatchObject({
    configuration: {
      returnImmediately: true,
      historyLength: 3,
      taskPushNotificationConfig: { url: 'https://client.example/hooks/1' },
    },
  })
  expect(played).toEqual({
    ending: { kind: 'learned' },
    operations: ['SendMessage'],
    told: [
      ['reply', 1],
      ['push', 40],
    ],
    endUs: 5 * US_PER_SECOND,
    leftovers: { events: 0, timers: 0, waiting: [] },
  })
})

test('a post that overtakes the reply tells of the task first', async () => {
  const told: string[] = []
  const slow: SceneOptions['agent'] = async (asked) => {
    await pause()
    return showing(TASK)(asked)
  }
  let pause: () => Promise<void> = async () => {}
  const { ending } = await play({}, doneAt(1), { agent: slow }, (scene, policy) => {
    pause = () => scene.at(2)
    const { world } = scene
    const began = (task: BegunTask) => void told.push(`began ${JSON.stringify(task)}`)
    const observe: typeof world.observe = (...seen) => {
      told.push(seen[1])
      return world.observe(...seen)
    }
    return begin({ ...world, observe }, policy, { configuration: {}, began })
  })
  expect(ending).toEqual({ kind: 'learned' })
  expect(told).toEqual([`began ${JSON.stringify(IDS)}`, 'push', 'reply'])
})

describe('registered after the reply', () => {
  test('the client asks once more for what was posted to nobody', async () => {
    const { operations, told, endUs } = await play({ register: 'after-reply' }, doneAt(5))
    expect(operations).toEqual(['SendMessage', 'CreateTaskPushNotificationConfig', 'GetTask'])
    expect(told).toEqual([
      ['reply', 1],
      ['poll', 3],
      ['push', 40],
    ])
    expect(endUs).toBe(5 * US_PER_SECOND)
  })

  test('a task that ended in between is learned of at once', async () => {
    let over = false
    const { ending, operations, endUs } = await play({ register: 'after-reply' }, async () => {}, {
      agent: (asked) => {
        over ||= asked.operation === 'CreateTaskPushNotificationConfig'
        return showing(over ? taskIn('TASK_STATE_COMPLETED') : TASK)(asked)
      },
    })
    expect([ending.kind, operations.length, endUs]).toEqual(['learned', 3, 0])
  })

  test('a task that is over by the reply needs no webhook', async () => {
    const { operations } = await play({ register: 'after-reply' }, async () => {}, {
      agent: showing(taskIn('TASK_STATE_COMPLETED')),
    })
    expect(operations).toEqual(['SendMessage'])
  })

  test('whoever follows a task that others began does the same', async () => {
    const { operations, ending } = await play({}, doneAt(5), {}, ({ world }, policy) => follow(world, policy))
    expect(operations).toEqual(['CreateTaskPushNotificationConfig', 'GetTask'])
    expect(ending).toEqual({ kind: 'learned' })
  })

  test('a refused registration fails', async () => {
    const refusing: SceneOptions['agent'] = ({ error }) => error('UnsupportedOperationError')
    const following = play(
      {},
      async () => {},
      { agent: refusing },
      ({ world }, policy) => follow(world, policy),
    )
    await expect(following).rejects.toThrow('This operation is not supported')
  })

  test('who failed to ask once more takes no post any more, though the agent goes on posting', async () => {
    const { ending, operations, told } = await play(
      { register: 'after-reply', get: 'each' },
      doneAt(5),
      {
        agent: (asked) =>
          asked.operation === 'GetTask' ? asked.error('UnsupportedOperationError') : showing(TASK)(asked),
      },
      ({ world }, policy) =>
        begin(world, policy).catch((error: Error) => ({
          kind: 'failed',
          reason: error.message,
        })),
    )
    expect(ending.kind).toBe('failed')
    expect(operations).toEqual(['SendMessage', 'CreateTaskPushNotificationConfig', 'GetTask'])
    expect(told).toEqual([['reply', 1]])
  })
})

test('prepared before the send of another, it only waits', async () => {
  const { operations, ending, asked } = await play(
    {},
    doneAt(5),
    { agent: showing(TASK) },
    ({ world }, policy) => {
      return runProcess(world, (its) => {
        const ready = push.prepare?.(its, policy)
        expect(ready?.configuration).toMatchObject({ taskPushNotificationConfig: { token: 'secret' } })
        return (ready ?? push).follow(its, policy, IDS)
      })
    },
  )
  expect([operations, ending.kind, asked.length]).toEqual([[], 'learned', 0])
})

describe('asking for the whole', () => {
  const posts = async (scene: Scene) => {
    await scene.at(5)
    scene.post(WORKING, 40)
    await scene.at(9)
    scene.post(DONE, 41)
  }

  test.each([
    ['never', []],
    ['final', [9]],
    ['each', [5, 9]],
  ] as const)('%s', async (get, atSeconds) => {
    const { asked, told, ending } = await play({ get }, posts)
    const gets = asked.filter(({ operation }) => operation === 'GetTask')
    expect(gets.map(({ atUs }) => atUs / US_PER_SECOND)).toEqual(atSeconds)
    expect(told.filter(([by]) => by === 'poll')).toHaveLength(atSeconds.length)
    expect(ending).toEqual({ kind: 'learned' })
  })

  test('once at the end, though that is posted twice; at each post whatever is known', async () => {
    const twice = async (scene: Scene) => {
      await scene.at(9)
      scene.post(DONE, 41)
      scene.post(DONE, 42)
    }
    expect((await play({ get: 'final' }, twice)).operations).toEqual(['SendMessage', 'GetTask'])
    expect((await play({ get: 'each' }, twice)).operations).toEqual(['SendMessage', 'GetTask', 'GetTask'])
  })

  test('the client waits for the answer; without one it knows what the posts said', async () => {
    let pause: () => Promise<void> = async () => {}
    const failing: SceneOptions['agent'] = async (asked) => {
      if (asked.operation === 'SendMessage') return showing(TASK)(asked)
      await pause()
      return new Response('', { status: 503 })
    }
    const { ending, endUs } = await play(
      { get: 'final' },
      async (scene) => {
        pause = () => scene.at(12)
        await posts(scene)
      },
      { agent: failing },
    )
    expect(ending).toEqual({ kind: 'learned' })
    expect(endUs).toBe(12 * US_PER_SECOND)
  })
})

test('a question that was posted is answered, and what the reply says counts', async () => {
  const message = { messageId: 'Q'.repeat(26), role: 'ROLE_USER' as const, parts: [{ text: '2024' }] }
  const { asked, told, ending, endUs } = await play(
    {},
    async (scene) => {
      await scene.at(5)
      scene.post(
        { statusUpdate: { ...IDS, status: { ...TASK.status, state: 'TASK_STATE_INPUT_REQUIRED' } } },
        40,
      )
    },
    {
      agent: (one) => showing(one.number === 1 ? TASK : taskIn('TASK_STATE_COMPLETED'))(one),
      observation: (change) =>
        change.of === 'status' && change.state === 'TASK_STATE_INPUT_REQUIRED'
          ? { asks: { afterUs: 30 * US_PER_SECOND, message } }
          : {},
    },
  )
  expect(asked[1]).toMatchObject({
    atUs: 35 * US_PER_SECOND,
    params: { message: { parts: message.parts, taskId: TASK.id } },
  })
  expect(told.at(-1)).toEqual(['reply', 2])
  expect([ending.kind, endUs]).toEqual(['learned', 35 * US_PER_SECOND])
})

test('when the world does not need it any more it ends, and asks for nothing more', async () => {
  const enough = new Error('enough')
  const { value, leftovers } = await inClientWorld({ agent: showing(TASK) }, async ({ asked, ...scene }) => {
    const following = begin(scene.world, pushBy({ get: 'each' })).catch((error: unknown) => error)
    await scene.at(5)
    scene.dismiss(enough)
    const ended = await following
    scene.post(WORKING, 41)
    return { ended, operations: asked.map(({ operation }) => operation) }
  })
  expect(value).toEqual({ ended: enough, operations: ['SendMessage'] })
  expect(leftovers).toEqual({ events: 0, timers: 0, waiting: [] })
})

test('nothing is asked of an agent whose card does not offer push', async () => {
  const { ending, asked } = await play({}, async () => {}, { capabilities: { pushNotifications: false } })
  expect(ending).toMatchObject({
    kind: 'failed',
    reason: expect.stringContaining('push notifications') as string,
  })
  expect(asked).toEqual([])
})
