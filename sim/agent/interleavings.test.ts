/**
 * Subscribing, updating and canceling in any order: the log of one task, and
 * everybody who reads it, must agree on what happened.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { randomStream } from '../kernel/random.ts'
import { inVirtualTime } from '../kernel/virtual-time.ts'
import type { StreamResponse, Task, TaskState } from '../protocol/a2a.ts'
import { fold } from '../protocol/fold.ts'
import { mayMove } from '../protocol/moves.ts'
import { isTerminal, STATE_WORDS, WIRE_STATE } from '../protocol/states.ts'
import type { StreamingSettings } from '../scenario/scenario.ts'
import { chunksOf, eventsOf, MESSAGE, onStage, SEED_JOB } from '../testing/agent-stage.ts'
import { createAgenda } from './agenda.ts'
import { createOpenAnswers } from './open-answers.ts'
import { settingsWith } from './settings.ts'
import { openStream } from './streams.ts'
import { createTaskLog } from './task-log.ts'

const USUAL_STREAMS = settingsWith().streaming as StreamingSettings

type Deed =
  | { do: 'subscribe' }
  | { do: 'close'; reader: number }
  | { do: 'chunk'; artifactId: string; append: boolean }
  | { do: 'move'; state: TaskState }
  | { do: 'cancel' }
  /** Lets readers read what waits for them. */
  | { do: 'wait' }

const deed: fc.Arbitrary<Deed> = fc.oneof(
  { arbitrary: fc.constant<Deed>({ do: 'subscribe' }), weight: 4 },
  { arbitrary: fc.record({ do: fc.constant('close' as const), reader: fc.nat(5) }), weight: 2 },
  {
    arbitrary: fc.record({
      do: fc.constant('chunk' as const),
      artifactId: fc.constantFrom('a', 'b'),
      append: fc.boolean(),
    }),
    weight: 3,
  },
  {
    arbitrary: fc.record({
      do: fc.constant('move' as const),
      state: fc.constantFrom(...STATE_WORDS.map((word) => WIRE_STATE[word])),
    }),
    weight: 4,
  },
  { arbitrary: fc.constant<Deed>({ do: 'cancel' }), weight: 1 },
  { arbitrary: fc.constant<Deed>({ do: 'wait' }), weight: 2 },
)

const IDS = { taskId: 't', contextId: 'c' }

test('a thousand interleavings: no gap, no duplicate, no terminal state overwritten', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { maxLength: 25 }), fc.boolean(), async (deeds, closeOnInput) => {
      await inVirtualTime({ horizonUs: 1_000_000 }, async (clock) => {
        const log = createTaskLog(
          { id: 't', contextId: 'c', status: { state: 'TASK_STATE_SUBMITTED', timestamp: '0' } },
          clock,
        )
        const settings = { ...USUAL_STREAMS, closeOnInput }
        const world = {
          clock,
          agenda: createAgenda(clock),
          openAnswers: createOpenAnswers(),
          lifetimes: randomStream(1, 'none'),
        }
        const readers: { since: number; reader: ReadableStreamDefaultReader<Uint8Array>; closed: boolean }[] =
          []
        let serial = 0
        let end: Task | undefined

        for (const given of deeds) {
          const before = log.snapshot()
          const { state } = before.status
          let event: StreamResponse | undefined
          switch (given.do) {
            case 'subscribe': {
              if (log.isOver()) break
              const opening = { of: 'snapshot', task: log.snapshot() } as const
              const { body: stream } = openStream(
                log,
                opening,
                (said) => JSON.stringify(said),
                settings,
                world,
                { gone: undefined },
              )
              readers.push({ since: log.events().length, reader: stream.getReader(), closed: false })
              break
            }
            case 'close': {
              const one = readers[given.reader]
              if (one === undefined) break
              one.closed = true
              await one.reader.cancel()
              break
            }
            case 'chunk': {
              const artifact = { artifactId: given.artifactId, parts: [{ text: `${++serial}` }] }
              event = { artifactUpdate: { ...IDS, artifact, append: given.append } }
              break
            }
            case 'move':
              event = { statusUpdate: { ...IDS, status: { state: given.state, timestamp: `${++serial}` } } }
              break
            case 'cancel':
              event = {
                statusUpdate: { ...IDS, status: { state: 'TASK_STATE_CANCELED', timestamp: `${++serial}` } },
              }
              break
            case 'wait':
              await clock.sleep(1)
          }
          if (event === undefined) continue
          const allowed =
            'statusUpdate' in event ? mayMove(state, event.statusUpdate.status.state) : !isTerminal(state)
          const found = event
          const write = () => log.append(found, state)
          if (allowed) write()
          else {
            expect(write).toThrow()
            expect(log.snapshot()).toBe(before)
          }
          if (log.isOver()) end ??= log.snapshot()
        }

        if (end !== undefined) expect(log.snapshot()).toBe(end)
        const happened = log.events()
        for (const { since, reader, closed } of readers) {
          if (closed) continue
          const read = await readAll(reader, happened.length - since + 1)
          // The snapshot is the fold of all that was before; then comes all that was after, up to its end.
          const live = happened.slice(since)
          const asked = live.findIndex(
            (event) =>
              'statusUpdate' in event && event.statusUpdate.status.state === 'TASK_STATE_INPUT_REQUIRED',
          )
          const due = closeOnInput && asked !== -1 ? live.slice(0, asked + 1) : live
          expect(read).toEqual([{ task: happened.slice(0, since).reduce(fold, {} as Task) }, ...due])
        }
      })
    }),
    { seed: 1, numRuns: 1000 },
  )
})

/** What waits in a stream, up to its end or so many events. */
async function readAll(reader: ReadableStreamDefaultReader<Uint8Array>, count: number): Promise<unknown[]> {
  const events: unknown[] = []
  while (events.length < count) {
    const { done, value } = await reader.read()
    if (done) break
    events.push(JSON.parse(new TextDecoder().decode(value)))
  }
  await reader.cancel()
  return events
}

test('ten streams see the same events in the same order while others close at any instant', async () => {
  const closings = fc.array(fc.nat(100), { minLength: 1, maxLength: 10 })
  await fc.assert(
    fc.asyncProperty(closings, async (closedAt) => {
      await onStage({ job: SEED_JOB }, async ({ call, send, at, clock }) => {
        const { id } = await send()
        const open = () => call('JSONRPC', 'SubscribeToTask', { id })
        const staying = []
        const leaving: Response[] = []
        for (let n = 0; n < 10; n++) {
          staying.push(open().then(eventsOf))
          if (n < closedAt.length) leaving.push(await open())
        }
        const ascending = closedAt.toSorted((a, b) => a - b)
        for (const [n, seconds] of ascending.entries()) {
          if (clock.nowUs() < seconds * 1_000_000) await at(seconds)
          await leaving[n]?.body?.cancel()
        }
        const [first, ...others] = await Promise.all(staying)
        expect(first).toHaveLength(5)
        for (const other of others) expect(other).toEqual(first)
      })
    }),
    { seed: 1, numRuns: 50 },
  )
})

test('a stream cut after two events and opened again ends with the same task, octet for octet', async () => {
  await onStage({ job: SEED_JOB }, async ({ call, get }) => {
    const subscribed = (id: string) => call('HTTP+JSON', 'SubscribeToTask', { id })
    const sent = await call('HTTP+JSON', 'SendStreamingMessage', { message: MESSAGE })
    const cut: Task[] = []
    let whole: Promise<StreamResponse[]> | undefined
    for await (const { event } of chunksOf(sent)) {
      cut.push('task' in event ? event.task : fold(cut.at(-1) as Task, event))
      whole ??= subscribed((cut[0] as Task).id).then(eventsOf)
      if (cut.length === 2) break
    }
    const { id } = cut[0] as Task
    const rest = await subscribed(id).then(eventsOf)
    const foldAll = (events: StreamResponse[]) => JSON.stringify(events.reduce(fold, {} as Task))
    const task = JSON.stringify(await get(id))
    expect(foldAll(rest)).toBe(task)
    expect(foldAll(await (whole as Promise<StreamResponse[]>))).toBe(task)
  })
})
