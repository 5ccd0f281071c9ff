/** What a real client's world makes of calls and waits; what mechanisms do with it is in their own tests. */
import { expect, test } from 'vitest'
import { DeadlockError } from '../kernel/virtual-time.ts'
import { type Asked, inClientWorld, type Scene, type SceneOptions, TASK } from '../testing/client-world.ts'
import { pushBy, seconds } from '../testing/scenario.ts'
import type { Pending, ProcessWorld } from './client-world.ts'
import { runMechanism, runProcess } from './over-client.ts'
import { type Process, run } from './process.ts'
import { answered, createAlarm, sleep } from './waiting.ts'

const quick: SceneOptions['agent'] = ({ operation, result }) =>
  result(operation === 'SendMessage' ? { task: TASK } : TASK)
const never = (): Promise<Response> => new Promise(() => {})

const playPush = (agent: SceneOptions['agent']) =>
  inClientWorld({ agent }, ({ world }) => runMechanism(world, pushBy()))

test('who waits for posts may wait to the end of the run; an answer that never comes is a deadlock', async () => {
  await expect(playPush(quick)).rejects.toThrow(
    'the horizon was reached; waiting: the client waits for a webhook post',
  )
  await expect(playPush(never)).rejects.toBeInstanceOf(DeadlockError)
})

test('a call that nobody waits for any more is broken off, and no other', async () => {
  let scene: Scene | undefined
  const agent: SceneOptions['agent'] = async (asked) => {
    if (asked.number === 2) return never()
    if (asked.number === 3) await scene?.at(10)
    return quick(asked)
  }
  const { value, leftovers } = await inClientWorld({ agent }, (its) => {
    scene = its
    const isBrokenOff = ({ signal }: Asked) => signal?.aborted === true
    return runProcess(its.world, function* (world) {
      yield* answered(world.connect())
      yield* answered(world.get('first'))
      const [hanging, slow] = [run(answered(world.get('second'))), run(answered(world.get('third')))]
      yield* sleep(world, seconds(5))
      hanging.stop()
      yield slow
      yield* answered(world.get('fourth'))
      return { atUs: world.nowUs(), of: slow.take().of, brokenOff: its.asked.slice(1).map(isBrokenOff) }
    })
  })
  expect(value).toEqual({ atUs: seconds(10), of: 'task', brokenOff: [true, false, false] })
  expect(leftovers).toEqual({ events: 0, timers: 0, waiting: [] })
})

test('calls overlap, and each brings its own answer', async () => {
  const agent: SceneOptions['agent'] = ({ number, result }) => result({ ...TASK, contextId: `${number}` })
  const { value } = await inClientWorld({ agent }, ({ world }) =>
    runProcess(world, function* (its) {
      yield* answered(its.connect())
      const calls: Pending<unknown>[] = [its.get('a'), its.get('b')]
      while (calls.some(({ ready }) => !ready)) yield calls.filter(({ ready }) => !ready)
      return calls.map((call) => call.take())
    }),
  )
  expect(value).toMatchObject([{ task: { contextId: '1' } }, { task: { contextId: '2' } }])
})

test('a call before the client is ready is a mistake', async () => {
  const { value } = await inClientWorld({ agent: quick }, ({ world }) =>
    runProcess(world, (its) => answered(its.get('too soon'))).catch((error: unknown) => String(error)),
  )
  expect(value).toContain('before the client was ready')
})

test('an alarm set anew rings at its last instant, after whatever else is due then', async () => {
  const said: string[] = []
  const { leftovers } = await inClientWorld({ agent: quick }, ({ world, clock }) =>
    runProcess(world, function* (its) {
      const alarm = createAlarm(its)
      alarm.setTo(seconds(3))
      clock.at(seconds(2), () => {
        alarm.setTo(seconds(7))
        clock.at(seconds(7), () => said.push('what else is due'))
      })
      yield alarm
      said.push(`rings at ${its.nowUs() / seconds(1)} s`)
    }),
  )
  expect(said).toEqual(['what else is due', 'rings at 7 s'])
  expect(leftovers).toEqual({ events: 0, timers: 0, waiting: [] })
})

test('whatever is under way ends with the world: the process, what it has begun beside, and nothing begins any more', async () => {
  const said: string[] = []
  function* resting(world: ProcessWorld, name: string): Process<void> {
    try {
      said.push(`${name} begins`)
      yield* sleep(world, seconds(100))
    } finally {
      said.push(`${name} ends`)
    }
  }
  const { value, leftovers } = await inClientWorld({ agent: quick }, async ({ world, dismiss, at }) => {
    let lateErrand = (): unknown => undefined
    const running = runProcess(world, (its) => {
      its.errand(resting(its, 'errand'))
      lateErrand = () => its.errand(resting(its, 'late errand'))
      return resting(its, 'process')
    }).catch((error: Error) => error.message)
    await at(5)
    dismiss(new Error('enough'))
    lateErrand()
    return running
  })
  expect(value).toBe('enough')
  expect(said).toEqual(['errand begins', 'process begins', 'process ends', 'errand ends'])
  expect(leftovers).toEqual({ events: 0, timers: 0, waiting: [] })
})
