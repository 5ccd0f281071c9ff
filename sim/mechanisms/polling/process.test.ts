import { describe, expect, test } from 'vitest'
import type { PollPolicy } from '../../policies/policy.ts'
import type { Message } from '../../protocol/a2a.ts'
import { POLL_HINT_KEY } from '../../protocol/delivery-extension.ts'
import {
  type Asked,
  inClientWorld,
  type Scene,
  type SceneOptions,
  TASK,
  taskIn,
} from '../../testing/client-world.ts'
import { backoffOf, every, pollBy, seconds } from '../../testing/scenario.ts'
import type { ClientWorld } from '../a2a-world.ts'
import type { Beginning, Ending, Observation } from '../mechanism.ts'
import { runProcess } from '../over-client.ts'
import { polling } from './process.ts'

/** An agent that answers the n-th GetTask by the n-th of these, the last again and again. */
const answering =
  (...answers: ((asked: Asked) => Response | Promise<Response>)[]): SceneOptions['agent'] =>
  (asked) =>
    asked.operation === 'SendMessage' ? asked.result({ task: TASK }) : (answers.shift() ?? over)(asked)

const working = (asked: Asked): Response => asked.result(TASK)
const over = (asked: Asked): Response => asked.result(taskIn('TASK_STATE_COMPLETED'))
const answer =
  (status: number, headers: Record<string, string> = {}) =>
  (): Response =>
    new Response(status === 304 ? null : '', { status, headers })
const never = (): Promise<Response> => new Promise(() => {})

/** Operations with the instant each left, in s. */
const sentIn = ({ asked }: Scene): string[] =>
  asked.map(({ operation, atUs }) => `${operation} ${atUs / 1e6}`)
const pollsIn = (scene: Scene): number[] =>
  scene.asked.filter(({ operation }) => operation === 'GetTask').map(({ atUs }) => atUs / 1e6)

const begin = (
  world: ClientWorld,
  policy: PollPolicy,
  beginning: Beginning = { configuration: {}, began: () => {} },
): Promise<Ending> => runProcess(world, (its) => polling.begin(its, policy, beginning))

async function poll(
  policy: PollPolicy,
  options: SceneOptions,
): Promise<{ ending: Ending; polls: number[]; scene: Scene; leftovers: object }> {
  let kept: Scene | undefined
  const { value: ending, leftovers } = await inClientWorld(options, (scene) => {
    kept = scene
    return begin(scene.world, policy)
  })
  const scene = kept as Scene
  return { ending, polls: pollsIn(scene), scene, leftovers }
}

const every5 = pollBy(every(seconds(5)))
const LEARNED = { kind: 'learned' }

describe('what comes back decides about the next poll', () => {
  test('errors that may pass are polled through, with Retry-After', async () => {
    const agent = answering(answer(503), answer(429, { 'retry-after': '2' }), () => {
      throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') })
    })
    expect(await poll(every5, { agent })).toMatchObject({ ending: LEARNED, polls: [0, 5, 7, 12] })
  })

  test('a task that is gone is told, not lost', async () => {
    const agent = answering(working, (asked) => asked.error('TaskNotFoundError', { status: 404 }))
    const { ending } = await poll(every5, { agent })
    expect(ending).toEqual({ kind: 'failed', reason: 'the agent has no such task any more' })
  })

  test('a refusal is the end, an error is where the policy says so', async () => {
    const refused = await poll(every5, { agent: answering(answer(403)) })
    expect(refused).toMatchObject({ ending: { kind: 'failed' }, polls: [0] })
    expect(refused.ending).toHaveProperty('reason', expect.stringContaining('403'))
    const strict: PollPolicy = { ...every5, onError: 'fail' }
    expect(await poll(strict, { agent: answering(answer(500)) })).toMatchObject({
      ending: { kind: 'failed' },
    })
  })

  test('a poll that takes too long is broken off, and the next is made', async () => {
    const policy: PollPolicy = { ...every5, timeoutUs: seconds(3) }
    const { ending, polls, leftovers } = await poll(policy, { agent: answering(never) })
    expect({ ending, polls }).toEqual({ ending: LEARNED, polls: [0, 8] })
    expect(leftovers).toEqual({ events: 0, timers: 0, waiting: [] })
  })

  test('when the budget is over the client gives up, then and not before', async () => {
    const policy: PollPolicy = { ...every5, budgetUs: seconds(12) }
    const agent = answering(working, working, working)
    await inClientWorld({ agent }, async (scene) => {
      const ending = await begin(scene.world, policy)
      expect(ending).toMatchObject({ kind: 'not-learned', reason: expect.stringContaining('budget') })
      expect(scene.clock.nowUs()).toBe(seconds(12))
    })
  })
})

describe('extensions, where the policy asks for them', () => {
  test('a hint of the agent', async () => {
    const hinting = (ms: number) => ({ ...TASK, metadata: { [POLL_HINT_KEY]: ms } })
    const agent: SceneOptions['agent'] = (asked) => {
      if (asked.operation === 'SendMessage') return asked.result({ task: hinting(2000) })
      return asked.number < 4 ? asked.result(hinting(7000)) : over(asked)
    }
    const policy: PollPolicy = { ...every5, first: 'hint', hint: 'interval' }
    expect((await poll(policy, { agent })).polls).toEqual([2, 9, 16])
  })

  test('a conditional poll names what the client has, and a 304 tells nothing', async () => {
    const tagged = (asked: Asked) => asked.result(TASK, { headers: { etag: '"1"' } })
    const options = { agent: answering(tagged, answer(304), tagged) }
    const { scene } = await poll({ ...every5, conditional: true }, options)
    const polls = scene.asked.filter(({ operation }) => operation === 'GetTask')
    expect(polls.map(({ headers }) => headers.get('if-none-match'))).toEqual([null, '"1"', '"1"', '"1"'])
    expect(scene.told.map(({ atUs }) => atUs / 1e6)).toEqual([0, 0, 10, 15])
  })

  test('nothing of the kind without a policy that says so', async () => {
    const tagged = (asked: Asked) => asked.result(TASK, { headers: { etag: '"1"' } })
    const { scene } = await poll(every5, { agent: answering(tagged, tagged) })
    for (const { headers } of scene.asked) {
      expect(headers.get('if-none-match')).toBeNull()
      expect(headers.get('prefer')).toBeNull()
    }
  })

  test('a held poll asks for ever longer holds', async () => {
    const hold = backoffOf({ of: 'growing', initialUs: seconds(1), multiplier: 2, maxUs: seconds(3) })
    const quiet = { news: false }
    const options: SceneOptions = {
      agent: answering(working, working, working),
      observation: (change) =>
        change.of === 'task' && change.view.state === 'TASK_STATE_WORKING' ? quiet : {},
    }
    const { scene } = await poll(pollBy(every(seconds(1)), { hold }), options)
    expect(scene.asked.map(({ headers }) => headers.get('prefer'))).toEqual([
      null,
      'wait=1',
      'wait=2',
      'wait=3',
      'wait=3',
    ])
  })
})

describe('a question', () => {
  const asking = (asked: Asked): Response => asked.result(taskIn('TASK_STATE_INPUT_REQUIRED'))
  const message: Message = { messageId: 'A'.repeat(26), role: 'ROLE_USER', parts: [{ text: '2024' }] }

  /** The first poll shows the question; the user needs 12 s for it. */
  function scene(
    answers: ((asked: Asked) => Response)[],
    polls: ((asked: Asked) => Response)[],
  ): SceneOptions {
    let told = 0
    return {
      agent(asked) {
        if (asked.operation === 'GetTask') return (polls.shift() ?? over)(asked)
        return asked.number === 1 ? asked.result({ task: TASK }) : (answers.shift() ?? over)(asked)
      },
      observation: (): Partial<Observation> =>
        ++told === 2 ? { asks: { afterUs: seconds(12), message } } : {},
    }
  }
  const accepted = (asked: Asked): Response => asked.result({ task: TASK })

  test('is answered in its time, while polls go on, which begin anew with the reply', async () => {
    const { ending, scene: played } = await poll(every5, scene([accepted], [asking, asking, asking, working]))
    expect(ending).toEqual(LEARNED)
    expect(sentIn(played)).toEqual([
      'SendMessage 0',
      'GetTask 0',
      'GetTask 5',
      'GetTask 10',
      'SendMessage 12',
      'GetTask 12',
      'GetTask 17',
    ])
    expect(played.asked[4]?.params).toMatchObject({ message: { taskId: TASK.id, parts: [{ text: '2024' }] } })
  })

  test('is answered again once a poll shows that the answer did not get through', async () => {
    const { ending, scene: played } = await poll(
      every5,
      scene([answer(503), accepted], [asking, asking, asking, asking, asking, working]),
    )
    expect(ending).toEqual(LEARNED)
    expect(sentIn(played).filter((sent) => sent.startsWith('Send'))).toEqual([
      'SendMessage 0',
      'SendMessage 12',
      'SendMessage 15',
    ])
  })

  test('is not answered again once a poll shows that the answer got through, whatever became of its reply', async () => {
    const { ending, scene: played } = await poll(
      every5,
      scene([answer(503)], [asking, asking, asking, working]),
    )
    expect(ending).toEqual(LEARNED)
    expect(sentIn(played).filter((sent) => sent.startsWith('Send'))).toEqual([
      'SendMessage 0',
      'SendMessage 12',
    ])
  })

  test('the reply to the answer may be the end: no poll is waited for', async () => {
    const done = (asked: Asked): Response => asked.result({ task: taskIn('TASK_STATE_COMPLETED') })
    const {
      ending,
      scene: played,
      leftovers,
    } = await poll(pollBy(every(seconds(60))), scene([done], [asking]))
    expect(ending).toEqual(LEARNED)
    expect(sentIn(played)).toEqual(['SendMessage 0', 'GetTask 0', 'SendMessage 12'])
    expect(leftovers).toEqual({ events: 0, timers: 0, waiting: [] })
  })

  test('an answer that is refused ends the run', async () => {
    await expect(poll(every5, scene([answer(400)], [asking, asking, asking, asking]))).rejects.toThrow('400')
  })

  test('is not answered any more by a client that has given up', async () => {
    const { scene: played, leftovers } = await poll({ ...every5, attempts: 2 }, scene([], [asking, asking]))
    expect(sentIn(played)).toHaveLength(3)
    expect(leftovers).toEqual({ events: 0, timers: 0, waiting: [] })
  })
})

test('the send carries what others need, and they hear of the task first', async () => {
  const heard: string[] = []
  await inClientWorld(
    { agent: answering(over), observation: () => (heard.push('observed'), {}) },
    ({ world, asked }) =>
      begin(world, every5, {
        configuration: { taskPushNotificationConfig: { url: 'https://client.example/hooks/1' } },
        began: ({ taskId }) => heard.push(taskId),
      }).then(() =>
        expect(asked[0]?.params).toMatchObject({
          configuration: { returnImmediately: true, taskPushNotificationConfig: {} },
        }),
      ),
  )
  expect(heard).toEqual([TASK.id, 'observed', 'observed'])
})

test('whoever takes over counts the first poll from there', async () => {
  const first = { ...every5, first: 'after' } as const
  await inClientWorld({ agent: answering(working) }, async (scene) => {
    await scene.at(100)
    const task = { taskId: TASK.id, contextId: TASK.contextId ?? '' }
    expect(await runProcess(scene.world, (world) => polling.follow(world, first, task))).toEqual(LEARNED)
    expect(sentIn(scene)).toEqual(['GetTask 105', 'GetTask 110'])
  })
})

test('a client that is not needed any more stops at once and leaves nothing behind', async () => {
  const enough = new Error('enough')
  const { leftovers } = await inClientWorld({ agent: answering(working) }, async (scene) => {
    const running = begin(scene.world, every5)
    const stopped = expect(running).rejects.toBe(enough)
    await scene.at(2)
    scene.dismiss(enough)
    await stopped
    expect(scene.clock.nowUs()).toBe(seconds(2))
  })
  expect(leftovers).toEqual({ events: 0, timers: 0, waiting: [] })
})
