/** What A2A 1.0 does not have for polls: hints, tags, answers that are held. */
import { describe, expect, test } from 'vitest'
import type { Binding, Task } from '../protocol/a2a.ts'
import { DELIVERY_EXTENSION, POLL_HINT_KEY } from '../protocol/delivery-extension.ts'
import type { Job, PollingSettings } from '../scenario/scenario.ts'
import { MESSAGE, onStage, type Stage } from '../testing/agent-stage.ts'
import { jobOf, seconds, status } from '../testing/scenario.ts'
import { type AgentSettings, settingsWith } from './settings.ts'

const JOB = jobOf([status(seconds(20), 'working'), status(seconds(60), 'completed')])
const HEADERS = { 'A2A-Version': '1.0', 'Content-Type': 'application/json' }

const playing = (
  polling: Partial<PollingSettings>,
  scene: (stage: Stage) => Promise<void>,
  { job = JOB, settings = {} }: { job?: Job; settings?: Partial<AgentSettings> } = {},
) => onStage({ job, settings: { ...settings, polling: { ...settingsWith().polling, ...polling } } }, scene)

const pollWith = ({ raw }: Stage, id: string, headers: Record<string, string> = {}) =>
  raw(`/rest/tasks/${id}`, { headers: { ...HEADERS, ...headers } })

const jsonRpcPoll = ({ raw }: Stage, id: string, headers: Record<string, string>) => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id } })
  return raw('/a2a/v1', { method: 'POST', headers: { ...HEADERS, ...headers }, body })
}

describe('hints', () => {
  const hints = [
    { fromUs: 0, hintUs: seconds(2) },
    { fromUs: seconds(30), hintUs: seconds(7.5) },
  ]

  async function hintsOf(response: Promise<Response>) {
    const { headers } = await response
    const task = (await (await response).json()) as Task
    return [task.metadata?.[POLL_HINT_KEY], headers.get('x-poll-after-ms'), headers.get('retry-after')]
  }

  test.each<[PollingSettings['hintVia'], unknown[], unknown[]]>([
    ['body', [2000, null, null], [7500, null, null]],
    ['header', [undefined, '2000', null], [undefined, '7500', null]],
    ['retry-after', [undefined, null, '2'], [undefined, null, '8']],
  ])('by %s, by the age of the task, until it is over', async (hintVia, early, late) => {
    await playing({ hints, hintVia }, async (stage) => {
      const { id, metadata } = await stage.send()
      expect(metadata?.[POLL_HINT_KEY]).toBe(early[0])
      for (const [atSeconds, expected] of [
        [29.999999, early],
        [30, late],
        [60, [undefined, null, null]],
      ] as const) {
        await stage.at(atSeconds)
        expect(await hintsOf(pollWith(stage, id))).toEqual(expected)
      }
    })
  })

  test("a job's own hint wins", async () => {
    const job = { ...JOB, pollHintUs: seconds(0.5) }
    for (const given of [hints, []])
      await playing(
        { hints: given },
        async (stage) => {
          const { id } = await stage.send()
          await stage.at(40)
          expect((await stage.get(id)).metadata).toEqual({ [POLL_HINT_KEY]: 500 })
        },
        { job },
      )
  })
})

describe('tags', () => {
  test('a poll that names what the client has is answered 304 without a body, the reply to the send included', async () => {
    await playing({ etag: true }, async (stage) => {
      const params = { message: MESSAGE, configuration: { returnImmediately: true } }
      const sent = await stage.call('HTTP+JSON', 'SendMessage', params)
      const { id } = ((await sent.json()) as { task: Task }).task
      const first = sent.headers.get('etag') as string
      await stage.at(19.999999)
      const same = await pollWith(stage, id, { 'if-none-match': first })
      expect([same.status, same.headers.get('etag'), await same.text()]).toEqual([304, first, ''])
      await stage.at(20)
      const changed = await pollWith(stage, id, { 'if-none-match': first })
      expect([changed.status, ((await changed.json()) as Task).status.state]).toEqual([
        200,
        'TASK_STATE_WORKING',
      ])
      const second = changed.headers.get('etag') as string
      expect(second).not.toBe(first)
      expect((await pollWith(stage, id, { 'if-none-match': `"other", ${second}` })).status).toBe(304)
      const call = await jsonRpcPoll(stage, id, { 'if-none-match': second })
      expect([call.status, call.headers.has('etag')]).toEqual([200, false])
    })
  })

  test('an agent that has none of it heeds none of it', async () => {
    await playing({}, async (stage) => {
      const { id } = await stage.send()
      const response = await pollWith(stage, id, { 'if-none-match': '*', prefer: 'wait=10' })
      expect([response.status, response.headers.has('etag'), stage.clock.nowUs()]).toEqual([200, false, 0])
    })
  })
})

describe('held polls', () => {
  /** When a poll begun at `atSeconds` is answered, and with what. */
  async function heldFrom(stage: Stage, atSeconds: number, response: () => Promise<Response>) {
    await stage.at(atSeconds)
    const { status: httpStatus } = await response()
    return [httpStatus, stage.clock.nowUs() / 1e6]
  }

  test.each<[Binding, typeof jsonRpcPoll]>([
    ['HTTP+JSON', pollWith],
    ['JSONRPC', jsonRpcPoll],
  ])('%s: until something changes, or the shorter hold of the two is over', async (_, poll) => {
    const { leftovers } = await playing({ holdUs: seconds(15) }, async (stage) => {
      const { id } = await stage.send()
      const hold = (by: string) => () => poll(stage, id, { prefer: `wait=${by}` })
      expect(await heldFrom(stage, 0, hold('0.25'))).toEqual([200, 0.25])
      expect(await heldFrom(stage, 1, hold('60'))).toEqual([200, 16])
      expect(await heldFrom(stage, 17, hold('60'))).toEqual([200, 20])
      // At the very end of the hold the change still counts: it comes first.
      await stage.at(45)
      expect(await (await poll(stage, id, { prefer: 'wait=15' })).text()).toContain('TASK_STATE_COMPLETED')
      expect(await heldFrom(stage, 61, hold('60'))).toEqual([200, 61])
    })
    expect(leftovers).toEqual({ events: 0, timers: 0, waiting: [] })
  })

  test('what changed since the tag is told at once; with 304 where there is none', async () => {
    await playing({ holdUs: seconds(15), etag: true }, async (stage) => {
      const { id } = await stage.send()
      const tag = (await pollWith(stage, id)).headers.get('etag') as string
      const hold = () => pollWith(stage, id, { prefer: 'wait=15', 'if-none-match': tag })
      expect(await heldFrom(stage, 2, hold)).toEqual([304, 17])
      expect(await heldFrom(stage, 18, hold)).toEqual([200, 20])
      expect(await heldFrom(stage, 25, hold)).toEqual([200, 25])
    })
  })

  test('nothing is held for who went away', async () => {
    const forever = { job: jobOf([]) }
    const away = new AbortController()
    const { leftovers } = await playing(
      { holdUs: seconds(30) },
      async (stage) => {
        const { id } = await stage.send()
        const headers = { ...HEADERS, prefer: 'wait=30' }
        void stage.raw(`/rest/tasks/${id}`, { headers, signal: away.signal })
        await stage.at(1)
        away.abort()
      },
      forever,
    )
    expect(leftovers).toEqual({ events: 0, timers: 0, waiting: [] })
  })
})

test.each<[string, Partial<AgentSettings>, boolean]>([
  ['nothing of it', {}, false],
  ['what needs no words of its own', { ttl: { afterUs: 1, from: 'creation' }, history: 1 }, false],
  ['hints', { polling: { ...settingsWith().polling, hints: [{ fromUs: 0, hintUs: 1 }] } }, true],
  ['slow_down', { polling: { ...settingsWith().polling, minIntervalUs: 1 } }, true],
  ['tags', { polling: { ...settingsWith().polling, etag: true } }, true],
  ['held polls', { polling: { ...settingsWith().polling, holdUs: 1 } }, true],
])('the card says so: %s', async (_, settings, listed) => {
  await onStage({ job: JOB, settings }, ({ agent }) => {
    const uris = agent.card.capabilities.extensions?.map(({ uri }) => uri)
    expect(uris).toEqual(listed ? [DELIVERY_EXTENSION] : undefined)
    return Promise.resolve()
  })
})
