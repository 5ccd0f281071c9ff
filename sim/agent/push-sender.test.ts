import { describe, expect, test } from 'vitest'
import type { Clock } from '../kernel/clock.ts'
import { US_PER_SECOND } from '../kernel/units.ts'
import type { StreamResponse } from '../protocol/a2a.ts'
import { wordsOf } from '../protocol/words.ts'
import { onStage, SEED_JOB, type Stage } from '../testing/agent-stage.ts'

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
