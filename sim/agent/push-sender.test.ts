import { describe, expect, test } from 'vitest'
import type { Clock } from '../kernel/clock.ts'
import { US_PER_SECOND } from '../kernel/units.ts'
import type { StreamResponse } from '../protocol/a2a.ts'
import { wordsOf } from '../protocol/words.ts'
import type { PushSending } from '../policies/policy.ts'
import { onStage, SEED_JOB, type Stage } from '../testing/agent-stage.ts'
import { backoffOf, jobOf, listOf, seconds, status } from '../testing/scenario.ts'
import { type AgentSettings, settingsWith } from './settings.ts'

const WEBHOOK = {
  url: 'https://client.example/hook',
  token: 'the token',
  authentication: { scheme: 'Bearer', credentials: 'the credentials' },
}

interface Post {
  atSeconds: number
  says: string
  request: Request
}

/** A webhook receiver that keeps every attempt; `answer` is called with its number, from 0. */
function receiver(
  answer: (attempt: number, clock: Clock, signal: AbortSignal) => Response | Promise<Response>,
) {
  const posts: Post[] = []
  let clock: Clock | undefined
  const fetch = async (input: string, init: RequestInit): Promise<Response> => {
    const request = new Request(input, init)
    const event = JSON.parse(init.body as string) as StreamResponse
    const now = clock as Clock
    posts.push({ atSeconds: now.nowUs() / US_PER_SECOND, says: wordsOf(event), request })
    return answer(posts.length - 1, now, init.signal as AbortSignal)
  }
  return {
    posts,
    fetch: fetch as typeof globalThis.fetch,
    listen: (stage: Stage) => (clock = stage.clock),
    told: () => posts.map(({ atSeconds, says }) => [atSeconds, says]),
  }
}

const thanks = () => new Response(null, { status: 204 })
const broken = () => new Response('no', { status: 500 })

/** Plays the seed job with one webhook given in the send; gives the task as it ended. */
const play = ({ fetch, listen }: ReturnType<typeof receiver>, untilSeconds: number) =>
  onStage({ job: SEED_JOB, fetch }, async (stage) => {
    listen(stage)
    const { id } = await stage.send({ taskPushNotificationConfig: WEBHOOK })
    await stage.at(untilSeconds)
    return (await stage.get(id)).status.state
  })

test('every update is posted as it is made, the reply itself is not', async () => {
  const hook = receiver(thanks)
  const { leftovers } = await play(hook, 100)
  expect(hook.told()).toEqual([
    [0, 'working'],
    [20, 'working'],
    [100, 'artifact venues-shortlist'],
    [100, 'artifact venues-shortlist'],
    [100, 'completed'],
  ])
  expect(leftovers).toEqual({ events: 0, timers: 0, waiting: [] })
  const { request } = hook.posts[0] as Post
  expect([request.method, request.url, request.redirect]).toEqual(['POST', WEBHOOK.url, 'manual'])
  expect(Object.fromEntries(request.headers)).toEqual({
    'content-type': 'application/a2a+json',
    authorization: 'Bearer the credentials',
    'x-a2a-notification-token': 'the token',
  })
})

describe('a post that fails', () => {
  test.each<[string, () => Response | Promise<Response>]>([
    ['by a status', broken],
    ['by a redirect', () => new Response(null, { status: 307, headers: { location: WEBHOOK.url } })],
    ['by the network', () => Promise.reject(new TypeError('fetch failed'))],
  ])('%s is tried again after 1 s and 2 s, and the next one waits for it', async (_, fail) => {
    const hook = receiver((attempt) => (attempt < 2 ? fail() : thanks()))
    const { records } = await play(hook, 101)
    expect(hook.told().slice(0, 4)).toEqual([
      [0, 'working'],
      [1, 'working'],
      [3, 'working'],
      [20, 'working'],
    ])
    expect(records.filter(({ kind }) => kind === 'retry')).toEqual([
      { kind: 'retry', atUs: 1_000_000, operation: 'webhook' },
      { kind: 'retry', atUs: 3_000_000, operation: 'webhook' },
    ])
  })

  test('three times is dropped, and the order of the others holds', async () => {
    const hook = receiver((attempt) => (attempt >= 2 && attempt <= 4 ? broken() : thanks()))
    const { value } = await play(hook, 120)
    expect(value).toBe('TASK_STATE_COMPLETED')
    expect(hook.told().slice(2)).toEqual([
      [100, 'artifact venues-shortlist'],
      [101, 'artifact venues-shortlist'],
      [103, 'artifact venues-shortlist'],
      [103, 'artifact venues-shortlist'],
      [103, 'completed'],
    ])
  })

  test('by silence is given up after 10 s', async () => {
    const silence = (_attempt: number, _clock: Clock, signal: AbortSignal) =>
      new Promise<Response>((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      )
    const hook = receiver((attempt, ...rest) => (attempt === 0 ? silence(attempt, ...rest) : thanks()))
    await play(hook, 20)
    expect(hook.told().slice(0, 2)).toEqual([
      [0, 'working'],
      [11, 'working'],
    ])
  })
})

test('a slow receiver gets one post at a time, in order', async () => {
  const hook = receiver(async (_, clock) => {
    await clock.sleep(2 * US_PER_SECOND)
    return thanks()
  })
  await play(hook, 110)
  expect(hook.told().slice(2)).toEqual([
    [100, 'artifact venues-shortlist'],
    [102, 'artifact venues-shortlist'],
    [104, 'completed'],
  ])
})

test('a webhook registered later hears from then on, a deleted one nothing more, not even what waited', async () => {
  const hook = receiver((attempt) => (attempt < 2 ? broken() : thanks()))
  const { records } = await onStage({ job: SEED_JOB, fetch: hook.fetch }, async (stage) => {
    hook.listen(stage)
    const { id: taskId } = await stage.send()
    await stage.at(10)
    const config = { taskId, id: 'mine', ...WEBHOOK }
    await stage.ask('HTTP+JSON', 'CreateTaskPushNotificationConfig', config)
    await stage.at(20.5)
    await stage.ask('HTTP+JSON', 'DeleteTaskPushNotificationConfig', { taskId, id: 'mine' })
    await stage.at(110)
  })
  expect(hook.told()).toEqual([[20, 'working']])
  expect(records.filter(({ kind }) => kind === 'retry')).toEqual([])
})

test('a webhook registered again under its id takes the place of the first', async () => {
  const hook = receiver(thanks)
  await onStage({ job: SEED_JOB, fetch: hook.fetch }, async (stage) => {
    hook.listen(stage)
    const { id: taskId } = await stage.send()
    await stage.at(10)
    for (const url of ['https://client.example/first', 'https://client.example/second'])
      await stage.ask('HTTP+JSON', 'CreateTaskPushNotificationConfig', { taskId, id: 'mine', url })
    await stage.at(20)
  })
  expect(hook.posts.map(({ request: { url } }) => url)).toEqual(['https://client.example/second'])
})

const sendingOf = (changes: Partial<PushSending>): Partial<AgentSettings> => ({
  push: { ...(settingsWith().push as PushSending), ...changes },
})

/** Plays a job with one webhook until the agent has nothing to do, and gives when each attempt was made. */
async function postsOf(
  changes: Partial<PushSending>,
  answer: Parameters<typeof receiver>[0],
  job = SEED_JOB,
) {
  const hook = receiver(answer)
  const settings = sendingOf(changes)
  const { records, leftovers } = await onStage({ job, fetch: hook.fetch, settings }, async (stage) => {
    hook.listen(stage)
    await stage.send({ taskPushNotificationConfig: WEBHOOK })
    await stage.agent.idle()
  })
  expect(leftovers).toEqual({ events: 0, timers: 0, waiting: [] })
  return { posts: hook.posts, told: hook.told(), records }
}

describe('recovery: a receiver that is down from the event on, and how long after it is back the post arrives', () => {
  const SECOND = 1
  const MINUTE = 60
  const HOUR = 3600
  const STANDARD = [
    5,
    5 * MINUTE,
    30 * MINUTE,
    2 * HOUR,
    5 * HOUR,
    10 * HOUR,
    14 * HOUR,
    20 * HOUR,
    24 * HOUR,
  ]
  const DOWN = [30 * SECOND, 10 * MINUTE, 1 * HOUR, 8 * HOUR]

  test.each<[string, number[], (number | 'lost')[]]>([
    [
      'Standard Webhooks',
      STANDARD,
      [275, 25 * MINUTE + 5, HOUR + 35 * MINUTE + 5, 9 * HOUR + 35 * MINUTE + 5],
    ],
    [
      'Svix',
      [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR],
      [275, 1505, 5705, 34_505],
    ],
    ['Slack', [0, MINUTE, 5 * MINUTE], [30, 'lost', 'lost', 'lost']],
    ['SNS', [20, 20, 20], [10, 'lost', 'lost', 'lost']],
    ['no retry', [], ['lost', 'lost', 'lost', 'lost']],
  ])('%s', async (_, delaysSeconds, expected) => {
    const atEnd = jobOf([status(seconds(600), 'completed')])
    const after: (number | 'lost')[] = []
    for (const downSeconds of DOWN) {
      let deliveredAt: number | undefined
      await postsOf(
        { retry: backoffOf(listOf(...delaysSeconds.map(seconds))) },
        (_attempt, clock) => {
          const sinceSeconds = clock.nowUs() / US_PER_SECOND - 600
          // It answers at the very instant it is back.
          if (sinceSeconds < downSeconds) throw new TypeError('fetch failed')
          deliveredAt = sinceSeconds
          return thanks()
        },
        atEnd,
      )
      after.push(deliveredAt === undefined ? 'lost' : deliveredAt - downSeconds)
    }
    expect(after).toEqual(expected)
  })

  test('met with silence, each attempt puts off the next by its time', async () => {
    const silence = (_attempt: number, _clock: Clock, signal: AbortSignal) =>
      new Promise<Response>((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      )
    const once = jobOf([status(seconds(600), 'completed')])
    const retry = backoffOf(listOf(seconds(5), seconds(20)))
    const { told } = await postsOf({ retry, timeoutUs: seconds(30) }, silence, once)
    expect(told.map(([at]) => at)).toEqual([600, 635, 685])
    const own = { ...retry, timeoutUs: seconds(2) }
    const { told: sooner } = await postsOf({ retry: own, timeoutUs: seconds(30) }, silence, once)
    expect(sooner.map(([at]) => at)).toEqual([600, 607, 629])
  })
})

test.each<[PushSending['events'], string[]]>([
  ['all', ['working', 'artifact list', 'input-required', 'working', 'auth-required', 'completed']],
  ['status', ['working', 'input-required', 'working', 'auth-required', 'completed']],
  ['pauses-and-final', ['input-required', 'auth-required', 'completed']],
  ['final', ['completed']],
])('events: %s', async (events, says) => {
  const job = jobOf([
    status(seconds(1), 'working'),
    {
      atUs: seconds(2),
      change: { of: 'artifact', artifact: 'list', content: undefined, append: false, lastChunk: true },
    },
    status(seconds(3), 'input-required'),
    status(seconds(4), 'working'),
    status(seconds(5), 'auth-required'),
    status(seconds(6), 'completed'),
  ])
  const { told } = await postsOf({ events }, thanks, job)
  expect(told.map(([, said]) => said)).toEqual(says)
})

test('out of order each post goes when its event happens, whatever becomes of the others', async () => {
  const job = jobOf([
    status(seconds(1), 'working'),
    status(seconds(2), 'working', 'Nearly.'),
    status(seconds(3), 'completed'),
  ])
  const failFirst = (attempt: number) => (attempt === 0 ? broken() : thanks())
  const retry = backoffOf(listOf(seconds(10)))
  const { told } = await postsOf({ ordered: false, retry }, failFirst, job)
  expect(told).toEqual([
    [1, 'working'],
    [2, 'working'],
    [3, 'completed'],
    [11, 'working'],
  ])
})

test('retries used up may end the webhook: nothing else is posted, not even what waits', async () => {
  const { told, records } = await postsOf({ giveUp: 'remove' }, broken)
  expect(told.map(([at]) => at)).toEqual([0, 1, 3])
  expect(records.filter(({ kind }) => kind === 'removed')).toEqual([{ kind: 'removed', atUs: seconds(3) }])
})

test('so many failed deliveries in a row end it; one that gets through begins the count anew', async () => {
  const retry = backoffOf(listOf())
  const job = jobOf([
    ...[1, 2, 3, 4, 5, 6].map((at) => status(seconds(at), 'working', `${at}`)),
    status(seconds(7), 'completed'),
  ])
  // Two fail, one gets through, and then none.
  const { told, records } = await postsOf(
    { retry, disableAfter: 3 },
    (attempt) => (attempt === 2 ? thanks() : broken()),
    job,
  )
  expect(told.map(([at]) => at)).toEqual([1, 2, 3, 4, 5, 6])
  expect(records.filter(({ kind }) => kind === 'removed')).toEqual([{ kind: 'removed', atUs: seconds(6) }])
})

test('a webhook that was removed is not there any more', async () => {
  const hook = receiver(broken)
  const settings = sendingOf({ giveUp: 'remove' })
  await onStage({ job: SEED_JOB, fetch: hook.fetch, settings }, async (stage) => {
    hook.listen(stage)
    const { id: taskId } = await stage.send({ taskPushNotificationConfig: WEBHOOK })
    const configs = () => stage.ask('HTTP+JSON', 'ListTaskPushNotificationConfigs', { taskId })
    expect(await configs()).toMatchObject({ result: { configs: [{ url: WEBHOOK.url }] } })
    await stage.at(3.5)
    expect(await configs()).toMatchObject({ result: { configs: [] } })
  })
})

test.each([
  [429, '7', 7],
  [503, '7', 7],
  // Never sooner than the schedule, and only where the receiver is overloaded.
  [503, '1', 5],
  [500, '7', 5],
  [503, 'soon', 5],
])(
  'a receiver that answers %d with Retry-After %s is asked again after %d s',
  async (httpStatus, after, waitSeconds) => {
    const busy = () => new Response(null, { status: httpStatus, headers: { 'retry-after': after } })
    const job = jobOf([status(seconds(10), 'completed')])
    const retry = backoffOf(listOf(seconds(5), seconds(5)))
    const { told } = await postsOf({ retry }, (attempt) => (attempt === 0 ? busy() : broken()), job)
    expect(told.map(([at]) => at)).toEqual([10, 10 + waitSeconds, 15 + waitSeconds])
  },
)

test('without a signature the token stays away; the credentials are demanded either way', async () => {
  const { posts } = await postsOf({ signature: 'none' }, thanks)
  const { headers } = (posts[0] as Post).request
  expect([headers.has('x-a2a-notification-token'), headers.get('authorization')]).toEqual([
    false,
    'Bearer the credentials',
  ])
})
