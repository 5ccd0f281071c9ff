/**
 * The imitation agent against the official SDK's own server core: the same
 * client, the same job, the same network, and the same things seen at the same
 * instants. Where the two differ, the test says why.
 */
import { SendMessageRequest } from '@a2a-js/sdk'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { seconds } from '../testing/scenario.ts'
import { isTerminal } from '../protocol/states.ts'
import { MESSAGE } from '../testing/agent-stage.ts'
import { both, HOOK, type Scene, type Seen } from './seen-by-client.suite.ts'

/** What the SDK's server said on the console, word by word. */
let said: string[] = []

beforeEach(() => {
  said = []
  for (const level of ['info', 'warn', 'error', 'log'] as const)
    vi.spyOn(console, level).mockImplementation((...words) => void said.push(`${level}: ${words.join(' ')}`))
})

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

const REQUEST = SendMessageRequest.fromJSON({ message: MESSAGE, configuration: {} })

const pollEvery =
  (intervalSeconds: number) =>
  async ({ client, clock, send, outcome }: Scene): Promise<void> => {
    const id = await send()
    for (;;) {
      await clock.sleep(seconds(intervalSeconds))
      const task = await outcome(client.getTask({ tenant: '', id, historyLength: 0 }))
      if (task === undefined || isTerminal(task.status.state)) return
    }
  }

/** Plays a scene with both agents, which must show the same. */
async function alike(scene: (scene: Scene) => Promise<void>): Promise<Seen[]> {
  const { ours, theirs } = await both(scene)
  expect(ours).toEqual(theirs)
  return ours
}

describe('both agents show the same', () => {
  test.each([7, 30, 45])('to a poll every %i s', async (interval) => {
    const polls = await alike(pollEvery(interval))
    expect(polls).toHaveLength(1 + Math.ceil(100 / interval))
  })

  test('to a send that waits for the end', async () => {
    const seen = await alike(async ({ client, outcome }) => void (await outcome(client.sendMessage(REQUEST))))
    expect(seen).toEqual([[100, 'task completed shortlist:2 prices:1']])
  })

  test('to a stream', async () => {
    expect(await alike(({ client, follow }) => follow(client.sendMessageStream(REQUEST)))).toEqual([
      [0, 'task submitted'],
      [0, 'working'],
      [20, 'working'],
      [60, 'artifact shortlist'],
      [100, 'artifact shortlist appended last'],
      [100, 'artifact prices last'],
      [100, 'completed'],
      [100, 'end'],
    ])
  })

  test('to one who subscribes on the way, and to one who comes too late', async () => {
    const seen = await alike(async ({ client, send, at, follow, outcome }) => {
      const id = await send()
      await at(70)
      await follow(client.resubscribeTask({ tenant: '', id }))
      await at(110)
      await follow(client.resubscribeTask({ tenant: '', id }))
      await outcome(client.getTask({ tenant: '', id, historyLength: 0 }))
    })
    expect(seen.slice(1)).toEqual([
      [70, 'task working shortlist:1'],
      [100, 'artifact shortlist appended last'],
      [100, 'artifact prices last'],
      [100, 'completed'],
      [100, 'end'],
      [110, 'UnsupportedOperationError'],
      [110, 'task completed shortlist:2 prices:1'],
    ])
  })

  test('to one who leaves a stream after two events and comes back', async () => {
    const seen = await alike(async ({ client, send, at, follow, outcome }) => {
      const id = await send()
      await at(10)
      await follow(client.resubscribeTask({ tenant: '', id }), 2)
      await at(65)
      await follow(client.resubscribeTask({ tenant: '', id }))
      await outcome(client.getTask({ tenant: '', id, historyLength: 0 }))
    })
    expect(seen.slice(1, 5)).toEqual([
      [10, 'task working'],
      [20, 'working'],
      [20, 'left'],
      [65, 'task working shortlist:1'],
    ])
  })

  test('to a webhook registered on the way', async () => {
    const seen = await alike(async ({ client, send, at }) => {
      const taskId = await send()
      await at(30)
      await client.createTaskPushNotificationConfig({
        tenant: '',
        id: 'mine',
        taskId,
        url: HOOK,
        token: '',
        authentication: undefined,
      })
      await at(110)
    })
    expect(seen.slice(1)).toEqual([
      [60, 'post: artifact shortlist'],
      [100, 'post: artifact shortlist appended last'],
      [100, 'post: artifact prices last'],
      [100, 'post: completed'],
    ])
    expect(said).toHaveLength(4)
  })

  test('to one who cancels, twice, while another reads; and to one who cancels what is over', async () => {
    const seen = await alike(async ({ client, send, at, follow, outcome }) => {
      const cancel = (id: string) => client.cancelTask({ tenant: '', id, metadata: {} })
      const id = await send()
      await at(10)
      const reading = follow(client.resubscribeTask({ tenant: '', id }))
      await at(70)
      // What happens at one instant is told in one order.
      const canceled = cancel(id)
      await reading
      await outcome(canceled)
      await outcome(cancel(id))
      await outcome(client.getTask({ tenant: '', id, historyLength: 0 }))
      const other = await send()
      await at(200)
      await outcome(cancel(other))
    })
    expect(seen.slice(3)).toEqual([
      [60, 'artifact shortlist'],
      [70, 'canceled'],
      [70, 'end'],
      [70, 'task canceled shortlist:1'],
      [70, 'task canceled shortlist:1'],
      [70, 'task canceled shortlist:1'],
      [70, 'task submitted'],
      [200, 'TaskNotCancelableError'],
    ])
  })

  test('to one who asks for what does not exist', async () => {
    const none = { tenant: '', id: 'none' }
    const seen = await alike(async ({ client, follow, outcome }) => {
      await outcome(client.getTask({ ...none, historyLength: 0 }))
      await outcome(client.cancelTask({ ...none, metadata: {} }))
      await follow(client.resubscribeTask(none))
      await outcome(
        client.sendMessage(SendMessageRequest.fromJSON({ message: { ...MESSAGE, taskId: 'none' } })),
      )
    })
    expect(seen.map(([, what]) => what)).toEqual(Array(4).fill('TaskNotFoundError'))
  })
})

describe('the two differ', () => {
  test('in the posts to a webhook of the send: the SDK posts the reply as well', async () => {
    const { ours, theirs } = await both(async ({ send, at }) => {
      await send(true)
      await at(110)
    })
    expect(ours).toHaveLength(1 + 6)
    expect(theirs).toContainEqual([0, 'post: task submitted'])
    expect(theirs.filter(([, what]) => what !== 'post: task submitted')).toEqual(ours)
  })

  test('in who is first at the instant of a change: ours, the change; the SDK, whoever began to wait first', async () => {
    const { ours, theirs } = await both(pollEvery(25))
    expect(ours.at(-1)).toEqual([100, 'task completed shortlist:2 prices:1'])
    expect(theirs.slice(0, -2)).toEqual(ours.slice(0, -1))
    expect(theirs.slice(-2)).toEqual([
      [100, 'task working shortlist:2'],
      [125, 'task completed shortlist:2 prices:1'],
    ])
  })
})
