import { describe, expect, test } from 'vitest'
import { US_PER_SECOND } from '../../kernel/units.ts'
import type { BlockingPolicy } from '../../policies/policy.ts'
import {
  type Asked,
  inClientWorld,
  type Scene,
  type SceneOptions,
  TASK,
  taskIn,
} from '../../testing/client-world.ts'
import { backoffOf, blockingBy, every, seconds } from '../../testing/scenario.ts'
import type { BegunTask, Ending } from '../mechanism.ts'
import { runProcess } from '../over-client.ts'
import { blocking } from './process.ts'

const IDS = { taskId: TASK.id, contextId: TASK.contextId ?? '' }
const OVER = taskIn('TASK_STATE_COMPLETED')

interface Played {
  ending: Ending | string
  began: BegunTask[]
  requests: [atSeconds: number, operation: string, hold: string | null][]
  asked: readonly Asked[]
  endUs: number
}

/** A client beside an agent; what it throws is its ending. */
async function play(
  policy: Partial<BlockingPolicy>,
  agent: (asked: Asked, scene: Scene) => Response | Promise<Response>,
  options: Partial<SceneOptions> & { follows?: boolean } = {},
): Promise<Played> {
  let scene: Scene | undefined
  const { value, leftovers } = await inClientWorld(
    { agent: (asked) => agent(asked, scene as Scene), ...options },
    async (its) => {
      scene = its
      const began: BegunTask[] = []
      const beginning = {
        configuration: { historyLength: 3 },
        began: (task: BegunTask) => void began.push(task),
      }
      const whole = blockingBy(policy)
      const running = runProcess(its.world, (world) =>
        options.follows === true
          ? blocking.follow(world, whole, IDS)
          : blocking.begin(world, whole, beginning),
      )
      const ending = await running.catch((error: unknown) => String(error))
      return { ending, began, asked: its.asked, endUs: its.clock.nowUs() }
    },
  )
  expect(leftovers).toEqual({ events: 0, timers: 0, waiting: [] })
  const requests = value.asked.map(({ atUs, operation, headers }): Played['requests'][number] => [
    atUs / US_PER_SECOND,
    operation,
    headers.get('prefer'),
  ])
  return { ...value, requests }
}

const replyAt =
  (atSeconds: number, task = OVER) =>
  async ({ result }: Asked, { at }: Scene) => {
    await at(atSeconds)
    return result({ task })
  }

const silence = () => new Promise<Response>(() => {})

test('the reply is held, and learned', async () => {
  const played = await play({ holdUs: seconds(30) }, replyAt(20))
  expect(played).toMatchObject({
    ending: { kind: 'learned' },
    began: [IDS],
    requests: [[0, 'SendMessage', 'wait=30']],
    endUs: seconds(20),
  })
  const configuration = played.asked[0]?.params?.['configuration']
  expect(configuration).toMatchObject({ historyLength: 3 })
  expect(configuration).not.toHaveProperty('returnImmediately', true)
})

test('a reply that shows an unfinished task hands over', async () => {
  expect(await play({}, replyAt(30, TASK))).toMatchObject({
    ending: { kind: 'not-learned', reason: 'the agent answered before the task was over' },
    began: [IDS],
    requests: [[0, 'SendMessage', null]],
  })
})

test('a question is answered by a send that is held as well', async () => {
  const message = { messageId: 'Q'.repeat(26), role: 'ROLE_USER' as const, parts: [{ text: '2024' }] }
  const played = await play(
    { holdUs: seconds(60) },
    async (asked, { at }) => {
      await at(asked.number * 10)
      return asked.result({ task: asked.number === 1 ? TASK : OVER })
    },
    {
      observation: (change) =>
        change.of === 'task' && change.view.state === 'TASK_STATE_WORKING'
          ? { asks: { afterUs: seconds(5), message } }
          : {},
    },
  )
  expect(played).toMatchObject({
    ending: { kind: 'learned' },
    requests: [
      [0, 'SendMessage', 'wait=60'],
      [15, 'SendMessage', 'wait=60'],
    ],
    endUs: seconds(20),
  })
  expect(played.asked[1]?.params).toMatchObject({ message: { taskId: TASK.id, parts: message.parts } })
  expect(played.asked[1]?.params?.['configuration']).not.toHaveProperty('returnImmediately', true)
})

describe('a failed send', () => {
  const gateway = async (_: Asked, { at }: Scene) => {
    await at(30)
    return new Response('<html>', { status: 504, statusText: 'Gateway Timeout' })
  }

  test.each(['next', 'fail'] as const)('fails with its status (%s)', async (onError) => {
    expect(await play({ onError }, gateway)).toMatchObject({
      ending: 'ClientError: SendMessage was answered with 504 Gateway Timeout',
      began: [],
      endUs: seconds(30),
    })
  })

  test('fails when the client has waited long enough', async () => {
    expect(await play({ timeoutUs: seconds(45) }, silence)).toMatchObject({
      ending: 'ClientError: SendMessage had no answer within 45 s',
      endUs: seconds(45),
    })
  })

  const onError = backoffOf(every(seconds(2)), { attempts: 3 })
  const refusing = () =>
    Promise.reject(
      new TypeError('fetch failed', {
        cause: Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
      }),
    )

  test('is made again under the same id as the backoff has it, and not before the agent wants it', async () => {
    const busy = ({ number, result }: Asked) =>
      number < 3
        ? new Response('', { status: 503, ...(number === 2 && { headers: { 'retry-after': '7' } }) })
        : result({ task: OVER })
    const { ending, requests, asked } = await play({ onError }, busy)
    expect(ending).toEqual({ kind: 'learned' })
    expect(requests.map(([atSeconds]) => atSeconds)).toEqual([0, 2, 9])
    expect(new Set(asked.map(({ params }) => JSON.stringify(params))).size).toBe(1)
  })

  test('fails in the end', async () => {
    const { ending, requests } = await play({ onError }, refusing)
    expect(ending).toContain('connect ECONNREFUSED')
    expect(requests.map(([atSeconds]) => atSeconds)).toEqual([0, 2, 4])
  })

  test.each([
    ['an answer that never comes', silence],
    ['a gateway that lost its patience', gateway],
  ])('is not made again if it may have arrived: %s', async (_, agent) => {
    const { requests } = await play({ onError, timeoutUs: seconds(40) }, agent)
    expect(requests).toHaveLength(1)
  })

  test('is not made again if that would change nothing', async () => {
    const { ending, requests } = await play({ onError }, ({ error }) => error('InvalidParamsError'))
    expect(ending).toContain('Invalid parameters')
    expect(requests).toHaveLength(1)
  })
})

describe('after somebody else has begun the task', () => {
  test('it is asked for once, and held', async () => {
    const held = async ({ result }: Asked, { at }: Scene) => {
      await at(25)
      return result(OVER)
    }
    expect(await play({ holdUs: seconds(30) }, held, { follows: true })).toMatchObject({
      ending: { kind: 'learned' },
      requests: [[0, 'GetTask', 'wait=30']],
      endUs: seconds(25),
    })
  })

  test('asking again does no harm: for as long as there is time, that of failed attempts included', async () => {
    const onError = backoffOf(every(seconds(2)), { budgetUs: seconds(5), timeoutUs: seconds(1) })
    const { requests, endUs } = await play({ onError }, silence, { follows: true })
    expect([requests.length, endUs]).toEqual([2, seconds(4)])
    const refused = await play({ onError }, ({ error }) => error('InvalidParamsError'), { follows: true })
    expect(refused.requests).toHaveLength(1)
  })

  test('an unfinished task hands over', async () => {
    expect(await play({}, ({ result }) => result(TASK), { follows: true })).toMatchObject({
      ending: { kind: 'not-learned' },
      requests: [[0, 'GetTask', null]],
    })
  })
})
