/** What a reader of streams ends up with, whatever happens to the streams. */
import { describe, expect, test } from 'vitest'
import { US_PER_SECOND } from '../kernel/units.ts'
import type { Binding, StreamResponse, Task } from '../protocol/a2a.ts'
import { fold } from '../protocol/fold.ts'
import { isTerminal } from '../protocol/states.ts'
import { chunksOf, MESSAGE, onStage, type Stage } from '../testing/agent-stage.ts'
import { chunk, jobOf, seconds, status } from '../testing/scenario.ts'

const BINDINGS: Binding[] = ['HTTP+JSON', 'JSONRPC']

const JOB = jobOf([
  status(0, 'working'),
  status(seconds(10), 'working', 'Searching venues.'),
  chunk(seconds(20), 'shortlist'),
  chunk(seconds(30), 'shortlist', { append: true }),
  chunk(seconds(40), 'prices'),
  chunk(seconds(50), 'prices', { lastChunk: true }),
  status(seconds(60), 'working', 'Nearly there.'),
  chunk(seconds(70), 'shortlist', { append: true, lastChunk: true }),
  status(seconds(90), 'completed', 'Here are the venues.'),
])

/** Events of a stream, at most so many; then the reader goes away. */
async function read(response: Response, most = Infinity): Promise<StreamResponse[]> {
  const events: StreamResponse[] = []
  for await (const { event } of chunksOf(response)) {
    events.push(event)
    if (events.length === most) break
  }
  return events
}

const foldAll = (events: readonly StreamResponse[]): Task =>
  events.reduce<Task | undefined>((task, event) => fold(task as Task, event), undefined) as Task

const begin = ({ call }: Stage, binding: Binding) =>
  call(binding, 'SendStreamingMessage', { message: MESSAGE })

describe.each(BINDINGS)('%s', (binding) => {
  test('a stream cut anywhere and opened again ends with the same task as one that never was, octet for octet', async () => {
    const whole = await onStage({ job: JOB }, async (stage) =>
      foldAll(await read(await begin(stage, binding))),
    )
    expect(isTerminal(whole.value.status.state)).toBe(true)
    for (let most = 1; most <= JOB.updates.length; most++) {
      for (const awaySeconds of [0, 0.001, 5, 10]) {
        const { value } = await onStage({ job: JOB }, async (stage) => {
          const before = await read(await begin(stage, binding), most)
          const { id } = foldAll(before)
          await stage.clock.sleep(awaySeconds * US_PER_SECOND)
          const after = await read(await stage.call(binding, 'SubscribeToTask', { id }))
          return { read: foldAll([...before, ...after]), asked: await stage.get(id) }
        })
        const how = `cut after ${most} events, away for ${awaySeconds} s`
        expect(JSON.stringify(value.read), how).toBe(JSON.stringify(whole.value))
        expect(JSON.stringify(value.asked), how).toBe(JSON.stringify(whole.value))
      }
    }
  })

  test('ten streams tell the same in the same order while ten others close', async () => {
    await onStage({ job: JOB }, async (stage) => {
      const { id } = await stage.send()
      const open = () => stage.call(binding, 'SubscribeToTask', { id })
      const kept: Promise<StreamResponse[]>[] = []
      const closed: Promise<StreamResponse[]>[] = []
      for (let pair = 0; pair < 10; pair++) {
        closed.push(read(await open(), 1 + (pair % 8)))
        kept.push(read(await open()))
      }
      const [first, ...others] = await Promise.all(kept)
      expect(first).toHaveLength(9)
      for (const other of others) expect(other).toEqual(first)
      for (const events of await Promise.all(closed)) expect(events).toEqual(first?.slice(0, events.length))
    })
  })
})
