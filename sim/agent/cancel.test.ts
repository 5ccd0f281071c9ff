import { describe, expect, test } from 'vitest'
import type { Binding, StreamResponse, Task } from '../protocol/a2a.ts'
import { wordsOf } from '../protocol/words.ts'
import { eventsOf, MESSAGE, onStage, resultOf, SEED_JOB } from '../testing/agent-stage.ts'

describe.each<Binding>(['HTTP+JSON', 'JSONRPC'])('%s', (binding) => {
  test('a canceled task changes no more; streams, webhooks and the send that waits see its end', async () => {
    const posted: string[] = []
    const fetch: typeof globalThis.fetch = (_url, init) => {
      posted.push(wordsOf(JSON.parse(init?.body as string) as StreamResponse))
      return Promise.resolve(new Response(null, { status: 204 }))
    }
    const { records, moments, leftovers } = await onStage({ job: SEED_JOB, fetch }, async (stage) => {
      const configuration = { taskPushNotificationConfig: { url: 'https://client.example/hook' } }
      const waiting = stage.ask(binding, 'SendMessage', { message: MESSAGE, configuration })
      await stage.at(10)
      const { tasks } = resultOf<{ tasks: Task[] }>(await stage.ask(binding, 'ListTasks', {}))
      const id = tasks[0]?.id as string
      const open = () => stage.call(binding, 'SubscribeToTask', { id }).then(eventsOf)
      const streams = Promise.all([open(), open()])
      await stage.at(20)
      const canceled = resultOf<Task>(await stage.ask(binding, 'CancelTask', { id }))
      expect(canceled.status).toEqual({
        state: 'TASK_STATE_CANCELED',
        // The status before it was made at the same instant.
        timestamp: '2026-01-01T00:00:20.001Z',
      })
      for (const events of await streams) expect(events.map(wordsOf)).toEqual(['task', 'working', 'canceled'])
      expect(resultOf<{ task: Task }>(await waiting).task).toEqual(canceled)

      await stage.at(200)
      expect(await stage.ask(binding, 'CancelTask', { id })).toEqual({ result: canceled })
      expect(await stage.get(id)).toEqual(canceled)
    })
    expect(posted).toEqual(['working', 'working', 'canceled'])
    expect(moments.map(({ update, terminal }) => [update, terminal])).toEqual([
      [-1, false],
      [0, false],
      [1, false],
      [2, true],
    ])
    expect(records.at(-1)).toMatchObject({ kind: 'happened', atUs: 20_000_000, change: 'canceled' })
    expect(leftovers).toEqual({ events: 0, timers: 0, waiting: [] })
  })

  test('one that is over in another way is not cancelable and stays as it is', async () => {
    await onStage({ job: SEED_JOB }, async (stage) => {
      const { id } = await stage.send()
      await stage.at(100)
      const done = await stage.get(id)
      expect(done.status.state).toBe('TASK_STATE_COMPLETED')
      expect(await stage.ask(binding, 'CancelTask', { id })).toMatchObject({
        error: { reason: 'TASK_NOT_CANCELABLE' },
      })
      expect(await stage.get(id)).toEqual(done)
    })
  })
})

test('canceling one task calls off nothing of another', async () => {
  await onStage({ job: SEED_JOB }, async (stage) => {
    const [first, second] = [await stage.send(), await stage.send()]
    await stage.ask('HTTP+JSON', 'CancelTask', { id: first.id })
    await stage.at(100)
    expect((await stage.get(second.id)).status.state).toBe('TASK_STATE_COMPLETED')
  })
})
