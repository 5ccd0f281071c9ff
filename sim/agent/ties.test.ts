/** What happens first at equal instants, whichever queue fires first. */
import { expect, test } from 'vitest'
import { US_PER_SECOND } from '../kernel/units.ts'
import { wordsOf } from '../protocol/words.ts'
import { eventsOf, MESSAGE, onStage, resultOf, SEED_JOB, type Stage } from '../testing/agent-stage.ts'

/** Ways for a request to come at exactly 100 s: before the agent's own alarm of that instant, or after it. */
const ARRIVALS: [string, (stage: Stage, arrive: () => void) => unknown][] = [
  [
    'scheduled before the agent knew of the job',
    ({ clock }, arrive) => clock.at(100 * US_PER_SECOND, arrive),
  ],
  ['by a foreign timer, which fires before own events', (_, arrive) => setTimeout(arrive, 100_000)],
  [
    'scheduled after the alarm',
    ({ clock }, arrive) => clock.at(99 * US_PER_SECOND, () => clock.at(100 * US_PER_SECOND, arrive)),
  ],
]

test('a request at the instant of a change sees it, and nothing else depends on which comes first', async () => {
  const posted: string[] = []
  const fetch: typeof globalThis.fetch = (_url, init) => {
    posted.push(init?.body as string)
    return Promise.resolve(new Response(null, { status: 204 }))
  }
  const ends: unknown[] = []
  for (const [how, schedule] of ARRIVALS) {
    const end = await onStage({ job: SEED_JOB, fetch }, async (stage) => {
      const arrived = new Promise<void>((resolve) => schedule(stage, resolve))
      const { id } = await stage.send({ taskPushNotificationConfig: { url: 'https://client.example/hook' } })
      const live = stage.call('HTTP+JSON', 'SubscribeToTask', { id }).then(eventsOf)
      await arrived
      const seen = await stage.get(id)
      expect(seen.status.state, how).toBe('TASK_STATE_COMPLETED')
      expect(seen.artifacts?.[0]?.parts, how).toHaveLength(2)
      return { seen, live: (await live).map(wordsOf) }
    })
    ends.push({ ...end, posted: posted.splice(0) })
  }
  expect(ends[1]).toEqual(ends[0])
  expect(ends[2]).toEqual(ends[0])
  expect(ends[0]).toMatchObject({ posted: { length: 5 }, leftovers: { events: 0, waiting: [] } })
})

test('the reply to a send shows the task as created, the next request of that instant the changes at 0 s', async () => {
  for (const binding of ['HTTP+JSON', 'JSONRPC'] as const) {
    await onStage({ job: SEED_JOB }, async ({ ask, at, clock, records }) => {
      await at(7)
      const params = { message: MESSAGE, configuration: { returnImmediately: true } }
      const { task } = resultOf<{ task: { id: string } }>(await ask(binding, 'SendMessage', params))
      expect(task).toMatchObject({
        status: { state: 'TASK_STATE_SUBMITTED', timestamp: '2026-01-01T00:00:07.000Z' },
      })
      expect(records()).toEqual([])
      expect(await ask(binding, 'GetTask', { id: task.id })).toMatchObject({
        result: { status: { state: 'TASK_STATE_WORKING' } },
      })
      expect(clock.nowUs()).toBe(7 * US_PER_SECOND)
      expect(records()).toEqual([
        {
          kind: 'happened',
          atUs: 7_000_000,
          update: 0,
          change: 'working',
          topic: 'status',
          replaces: true,
          message: false,
          terminal: false,
        },
      ])
    })
  }
})

test('changes at 0 s come by themselves when no request does', async () => {
  await onStage({ job: SEED_JOB }, async ({ send, clock, records }) => {
    await send()
    await clock.sleep(0)
    expect(records()).toHaveLength(1)
  })
})

test('each moment is told once, in order, as the view of the task at that moment', async () => {
  const { moments, records } = await onStage({ job: SEED_JOB }, async ({ send, get, at }) => {
    const { id } = await send()
    for (const seconds of [0, 20, 100]) {
      await at(seconds)
      await get(id)
    }
  })
  expect(moments.map(({ update, terminal }) => [update, terminal])).toEqual([
    [-1, false],
    [0, false],
    [1, false],
    [2, false],
    [3, false],
    [4, true],
  ])
  expect(records.map((record) => record.kind === 'happened' && [record.change, record.atUs])).toEqual([
    ['working', 0],
    ['working', 20_000_000],
    ['artifact venues-shortlist', 100_000_000],
    ['artifact venues-shortlist', 100_000_000],
    ['completed', 100_000_000],
  ])
})
