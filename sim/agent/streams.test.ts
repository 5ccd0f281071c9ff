import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { US_PER_SECOND } from '../kernel/units.ts'
import type { Binding, StreamResponse, Task } from '../protocol/a2a.ts'
import { fold } from '../protocol/fold.ts'
import { saysOf } from '../protocol/operations.ts'
import { signatureOf, viewOfTask } from '../protocol/view.ts'
import { wordsOf } from '../protocol/words.ts'
import type { Change, Job, StreamingSettings, Update } from '../scenario/scenario.ts'
import { chunksOf, eventsOf, MESSAGE, onStage, SEED_JOB } from '../testing/agent-stage.ts'
import { chunk, jobOf, seconds, status } from '../testing/scenario.ts'
import { settingsWith } from './settings.ts'

const USUAL_STREAMS = settingsWith().streaming as StreamingSettings

const BINDINGS: Binding[] = ['HTTP+JSON', 'JSONRPC']

test.each(BINDINGS)(
  '%s: the task as created, each update when it is made, and the end with the last',
  async (binding) => {
    const { value, leftovers } = await onStage({ job: SEED_JOB }, async ({ call, clock }) => {
      const response = await call(binding, 'SendStreamingMessage', { message: MESSAGE })
      expect(response.headers.get('content-type')).toBe('text/event-stream')
      const told: [number, string][] = []
      for await (const { chunk, event } of chunksOf(response)) {
        expect(chunk).toMatch(/^data: [^\n]*\n\n$/)
        told.push([clock.nowUs() / US_PER_SECOND, wordsOf(event)])
      }
      return { told, endedUs: clock.nowUs() }
    })
    expect(value).toEqual({
      told: [
        [0, 'task'],
        [0, 'working'],
        [20, 'working'],
        [100, 'artifact venues-shortlist'],
        [100, 'artifact venues-shortlist'],
        [100, 'completed'],
      ],
      endedUs: 100 * US_PER_SECOND,
    })
    expect(leftovers).toEqual({ events: 0, timers: 0, waiting: [] })
  },
)

test('a reader that goes away disturbs neither the task nor the other readers', async () => {
  const { value } = await onStage({ job: SEED_JOB }, async ({ call, send, get, at }) => {
    const { id } = await send()
    const open = () => call('HTTP+JSON', 'SubscribeToTask', { id })
    const [first, second, third] = [await open(), await open(), await open()]
    const others = Promise.all([eventsOf(first), eventsOf(third)])
    await at(10)
    await second.body?.cancel()
    const [before, after] = await others
    expect(before).toEqual(after)
    return { events: before.map(wordsOf), task: await get(id) }
  })
  expect(value.events).toHaveLength(5)
  expect(value.task.status.state).toBe('TASK_STATE_COMPLETED')
})

test('both verbs open a subscription over HTTP+JSON', async () => {
  await onStage({ job: SEED_JOB }, async ({ raw, send }) => {
    const { id } = await send()
    const headers = { 'A2A-Version': '1.0' }
    for (const method of ['GET', 'POST']) {
      const response = await raw(`/rest/tasks/${id}:subscribe`, { method, headers })
      expect(response.headers.get('content-type')).toBe('text/event-stream')
      await response.body?.cancel()
    }
  })
})

/** Asks a question at 5 s, for leave at 10 s, and is done at 20 s, whatever anybody says. */
const PAUSES = jobOf([
  status(seconds(5), 'input-required'),
  status(seconds(7), 'working'),
  status(seconds(10), 'auth-required'),
  status(seconds(20), 'completed'),
])

test.each([
  ['closed', true, ['task', 'input-required']],
  ['kept open', false, ['task', 'input-required', 'working', 'auth-required', 'completed']],
])('a question leaves a stream %s, as the switch says', async (_, closeOnInput, told) => {
  const settings = { streaming: { ...USUAL_STREAMS, closeOnInput } }
  const { leftovers } = await onStage({ job: PAUSES, settings }, async ({ call, send, at }) => {
    const { id } = await send()
    const early = call('HTTP+JSON', 'SubscribeToTask', { id }).then(eventsOf)
    await at(6)
    // The snapshot shows the question; that closes nothing.
    const late = call('HTTP+JSON', 'SubscribeToTask', { id }).then(eventsOf)
    expect((await early).map(wordsOf)).toEqual(told)
    expect((await late).map(wordsOf)).toEqual(['task', 'working', 'auth-required', 'completed'])
  })
  expect(leftovers).toEqual({ events: 0, timers: 0, waiting: [] })
})

test('heartbeats come after so long a silence, and none is left when the stream ends or its reader leaves', async () => {
  const heartbeat = { everyUs: seconds(15), octets: 8, when: 'silent' as const }
  const settings = { streaming: { ...USUAL_STREAMS, heartbeat } }
  const { value, leftovers } = await onStage({ job: SEED_JOB, settings }, async ({ call, send, clock }) => {
    const { id } = await send()
    const left = await call('HTTP+JSON', 'SubscribeToTask', { id })
    await left.body?.cancel()
    const told: [number, string][] = []
    const decoder = new TextDecoder()
    const stream = await call('HTTP+JSON', 'SubscribeToTask', { id })
    for await (const octets of stream.body as ReadableStream<Uint8Array>)
      told.push([clock.nowUs() / US_PER_SECOND, saysOf(decoder.decode(octets))])
    return told
  })
  expect(value).toEqual([
    [0, 'task'],
    [15, 'heartbeat'],
    [20, 'working'],
    ...[35, 50, 65, 80, 95].map((atSeconds) => [atSeconds, 'heartbeat']),
    [100, 'artifact venues-shortlist'],
    [100, 'artifact venues-shortlist'],
    [100, 'completed'],
  ])
  expect(leftovers).toEqual({ events: 0, timers: 0, waiting: [] })
})

/** What is written to the stream of a task begun at once, and when, in seconds. */
async function toldBy(
  streaming: Partial<StreamingSettings>,
  job: Job,
  { headers = {}, openAt = 0 }: { headers?: Record<string, string>; openAt?: number } = {},
) {
  const settings = { streaming: { ...USUAL_STREAMS, ...streaming } }
  const { value, leftovers } = await onStage({ job, settings }, async ({ raw, send, clock, at, agent }) => {
    const { id } = await send()
    await at(openAt)
    const all = { 'A2A-Version': '1.0', ...headers }
    const response = await raw(`/rest/tasks/${id}:subscribe`, { method: 'POST', headers: all })
    const headAt = clock.nowUs() / US_PER_SECOND
    const told: [number, string][] = []
    const chunks: string[] = []
    if (!response.ok) return { headAt, told, chunks, endAt: headAt, status: response.status }
    const decoder = new TextDecoder()
    for await (const octets of response.body as ReadableStream<Uint8Array>) {
      chunks.push(decoder.decode(octets))
      told.push([clock.nowUs() / US_PER_SECOND, saysOf(chunks.at(-1) as string)])
    }
    const endAt = clock.nowUs() / US_PER_SECOND
    await agent.idle()
    return { headAt, told, chunks, endAt, status: response.status }
  })
  expect(leftovers).toEqual({ events: 0, timers: 0, waiting: [] })
  return value
}

describe('heartbeats on a clock of their own', () => {
  const heartbeat = { everyUs: seconds(15), octets: 32, when: 'always' as const }

  test('come whatever happens, of exactly so many octets', async () => {
    const { told, chunks } = await toldBy(
      { heartbeat },
      jobOf([status(seconds(20), 'working'), status(seconds(50), 'completed')]),
    )
    expect(told).toEqual([
      [0, 'task'],
      [15, 'heartbeat'],
      [20, 'working'],
      [30, 'heartbeat'],
      [45, 'heartbeat'],
      [50, 'completed'],
    ])
    expect(chunks[1]).toHaveLength(32)
  })

  test.each([
    [[status(seconds(90), 'completed')]],
    [[status(seconds(80), 'working'), status(seconds(90), 'completed')]],
  ])('a task that ends at the instant of one goes first: five before 90 s (%#)', async (updates) => {
    const { told } = await toldBy({ heartbeat }, jobOf(updates))
    expect(told.filter(([, says]) => says === 'heartbeat')).toHaveLength(5)
    expect(told.at(-1)).toEqual([90, 'completed'])
  })
})

test('after a silence: an update at the instant of a heartbeat takes its place', async () => {
  const heartbeat = { everyUs: seconds(15), octets: 8, when: 'silent' as const }
  const job = jobOf([
    status(seconds(10), 'working'),
    status(seconds(25), 'working'),
    status(seconds(45), 'completed'),
  ])
  const { told } = await toldBy({ heartbeat }, job)
  expect(told.map(([at, says]) => `${at} ${says}`)).toEqual([
    '0 task',
    '10 working',
    '25 working',
    '40 heartbeat',
    '45 completed',
  ])
})

test('a head that waits for the first update takes the snapshot with it, and heartbeats begin then', async () => {
  const heartbeat = { everyUs: seconds(15), octets: 8, when: 'always' as const }
  const job = jobOf([status(seconds(40), 'working'), status(seconds(60), 'completed')])
  const { headAt, told } = await toldBy({ heartbeat, flush: 'first-update' }, job)
  expect(headAt).toBe(40)
  expect(told).toEqual([
    [40, 'task'],
    [40, 'working'],
    [55, 'heartbeat'],
    [60, 'completed'],
  ])
})

test('the agent closes a stream when its lifetime is over, after the updates of that instant; the task goes on', async () => {
  const lifetime = { of: 'fixed', us: seconds(30) } as const
  const job = jobOf([
    status(seconds(10), 'working'),
    status(seconds(30), 'working'),
    status(seconds(60), 'completed'),
  ])
  const { told, endAt } = await toldBy({ lifetime }, job)
  expect([told.at(-1), endAt]).toEqual([[30, 'working'], 30])
  const late = await toldBy({ lifetime, flush: 'first-update' }, jobOf([status(seconds(60), 'completed')]))
  expect([late.headAt, late.told, late.endAt]).toEqual([30, [[30, 'task']], 30])
  const spread = await toldBy({ lifetime: { of: 'uniform', fromUs: seconds(10), toUs: seconds(20) } }, job)
  expect(spread.endAt).toBeGreaterThan(10)
  expect(spread.endAt).toBeLessThan(20)
})

test('the first event, and no other, says when to come back', async () => {
  const { chunks } = await toldBy({ retryHintUs: seconds(3) }, jobOf([status(seconds(1), 'completed')]))
  expect(chunks.map((chunk) => chunk.split('\n')[0]?.slice(0, 12))).toEqual(['retry: 3000', 'data: {"stat'])
})

describe('a reader that comes back with a cursor', () => {
  const job = jobOf([
    status(seconds(10), 'working'),
    status(seconds(20), 'working', 'Searching.'),
    chunk(seconds(30), 'list'),
    status(seconds(60), 'completed'),
  ])
  const resumed = (lastEventId: string | undefined, openAt: number, replayUs = Infinity) =>
    toldBy({ replayUs }, job, {
      openAt,
      headers: lastEventId === undefined ? {} : { 'last-event-id': lastEventId },
    })
  const idsIn = (chunks: readonly string[]) => chunks.map((text) => /^id: (.*)$/m.exec(text)?.[1])

  test('events have ids where the agent replays, and none where it does not', async () => {
    const { chunks } = await resumed(undefined, 15)
    expect(idsIn(chunks)).toEqual(['2', '3', '4', '5'])
    expect(idsIn((await resumed(undefined, 15, 0)).chunks)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })

  test('gets what came since instead of the snapshot, at once', async () => {
    const { told, chunks } = await resumed('2', 40)
    expect(told).toEqual([
      [40, 'working'],
      [40, 'artifact list'],
      [60, 'completed'],
    ])
    expect(idsIn(chunks)).toEqual(['3', '4', '5'])
    expect((await resumed('4', 40)).told).toEqual([[60, 'completed']])
  })

  test('a new task has nothing to replay, whatever cursor its sender has', async () => {
    const settings = { streaming: { ...USUAL_STREAMS, replayUs: Infinity } }
    await onStage({ job, settings }, async ({ raw, agent }) => {
      const headers = { 'A2A-Version': '1.0', 'Content-Type': 'application/json', 'Last-Event-ID': '1' }
      const body = JSON.stringify({ message: MESSAGE })
      const response = await raw('/rest/message:stream', { method: 'POST', headers, body })
      await agent.idle()
      expect(saysOf((await response.text()).split('\n\n')[0] as string)).toBe('task')
    })
  })

  test('even if that was the end', async () => {
    const { told, endAt } = await resumed('4', 70)
    expect([told, endAt]).toEqual([[[70, 'completed']], 70])
    expect((await resumed('5', 70)).told).toEqual([])
    expect((await resumed(undefined, 70)).status).toBe(400)
  })

  test.each([
    ['is none', 'x'],
    ['is of no event yet', '9'],
    ['is 0', '0'],
    ['is too long', '1'.repeat(40)],
  ])('gets the snapshot if it %s', async (_, cursor) => {
    expect((await resumed(cursor, 40)).told[0]).toEqual([40, 'task'])
  })

  test('and if something it missed is kept no longer', async () => {
    expect((await resumed('2', 40, seconds(20))).told[0]).toEqual([40, 'working'])
    expect((await resumed('2', 40, seconds(19.999999))).told[0]).toEqual([40, 'task'])
    expect((await resumed('3', 40, seconds(19.999999))).told[0]).toEqual([40, 'artifact list'])
    expect((await resumed('2', 40, 0)).told[0]).toEqual([40, 'task'])
  })
})

test('a reader too slow for its buffer gets what waits and an early end; the others get everything', async () => {
  const settings = { streaming: { ...USUAL_STREAMS, buffer: 3 } }
  await onStage({ job: SEED_JOB, settings }, async ({ call, send, get, at }) => {
    const { id } = await send()
    const stalled = await call('HTTP+JSON', 'SubscribeToTask', { id })
    const reading = call('HTTP+JSON', 'SubscribeToTask', { id }).then(eventsOf)
    await at(101)
    expect((await eventsOf(stalled)).map(wordsOf)).toEqual(['task', 'working', 'artifact venues-shortlist'])
    expect((await reading).map(wordsOf)).toEqual([
      'task',
      'working',
      'artifact venues-shortlist',
      'artifact venues-shortlist',
      'completed',
    ])
    expect((await get(id)).status.state).toBe('TASK_STATE_COMPLETED')
  })
})

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record<Change & { of: 'status' }>({
    of: fc.constant('status'),
    state: fc.constantFrom('submitted', 'working'),
    content: fc.option(fc.record({ text: fc.string() }), { nil: undefined }),
  }),
  fc.record<Change & { of: 'artifact' }>({
    of: fc.constant('artifact'),
    artifact: fc.constantFrom('a', 'b'),
    content: fc.option(fc.record({ octets: fc.nat(20) }), { nil: undefined }),
    append: fc.boolean(),
    lastChunk: fc.boolean(),
  }),
)

/** Jobs of many changes at few instants, so that subscriptions often meet one exactly. */
const job: fc.Arbitrary<Job> = fc
  .array(fc.record({ atUs: fc.nat(6).map((n) => n * 500), change }), { maxLength: 12 })
  .map((updates) =>
    jobOf([...asAllowed(updates.toSorted((a, b) => a.atUs - b.atUs)), status(4000, 'completed')]),
  )

/** Nothing goes back to submitted: from the first working on they all are. */
function asAllowed(updates: readonly Update[]): Update[] {
  const begun = updates.findIndex(({ change: one }) => one.of === 'status' && one.state === 'working')
  return updates.map(({ atUs, change: one }, index) => ({
    atUs,
    change: one.of === 'status' && begun !== -1 && index > begun ? { ...one, state: 'working' } : one,
  }))
}

test('a subscription at any instant misses nothing, repeats nothing, and folds to every moment of the task', async () => {
  const instants = fc.array(
    fc.nat(7).map((n) => n * 500),
    { minLength: 1, maxLength: 4 },
  )
  await fc.assert(
    fc.asyncProperty(job, instants, async (given, subscribedUs) => {
      const { value, moments } = await onStage({ job: given }, async ({ clock, send, call }) => {
        const { id } = await send()
        const subscribe = async (atUs: number) => {
          await clock.sleep(atUs)
          return eventsOf(await call('JSONRPC', 'SubscribeToTask', { id }))
        }
        return Promise.all(subscribedUs.map(subscribe))
      })
      for (const [reader, events] of value.entries()) {
        const live = given.updates.filter(({ atUs }) => atUs > (subscribedUs[reader] as number))
        expect(events.length).toBe(1 + live.length)
        const snapshots = scan(events).map((task) => signatureOf(viewOfTask(task)))
        const told = moments.map(({ view }) => signatureOf(view))
        expect(snapshots).toEqual(told.slice(-snapshots.length))
      }
      // No two moments that a status began look alike: whoever reads one knows which it is.
      const statuses = moments
        .filter(({ change: { of } }) => of !== 'artifact')
        .map(({ view }) => signatureOf(view))
      expect(new Set(statuses).size).toBe(statuses.length)
    }),
    { seed: 1, numRuns: 60 },
  )
})

/** The task after each of the events, the first of which is a snapshot. */
function scan(events: readonly StreamResponse[]): Task[] {
  const tasks: Task[] = []
  for (const event of events) tasks.push('task' in event ? event.task : fold(tasks.at(-1) as Task, event))
  return tasks
}
