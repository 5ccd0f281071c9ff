import { expect, test } from 'vitest'
import { fixed } from '../kernel/distribution.ts'
import { randomStream } from '../kernel/random.ts'
import { inVirtualTime } from '../kernel/virtual-time.ts'
import type { Fault, FaultEffect } from '../scenario/scenario.ts'
import { schedule } from './acts.ts'
import { conditionsOf, timed } from './conditions.ts'

const random = (purpose: string) => randomStream(1, purpose)

const during = (fromUs: number, toUs: number, effect: FaultEffect): Fault => ({
  effect,
  when: { of: 'once', fromUs, toUs },
})

const conditions = (...faults: Fault[]) => conditionsOf(timed(faults, random))

const DOWN: FaultEffect = { of: 'down', host: 'agent' }

test('a window holds from its first instant up to, but without, its last', () => {
  const faulty = conditions(during(10, 20, DOWN))
  const states = [9, 10, 19, 20].map((atUs) => faulty.host('agent', 'GetTask', atUs).of)
  expect(states).toEqual(['up', 'down', 'down', 'up'])
})

test('what is down for one host is not for another, a name that is gone is no refusal', () => {
  const faulty = conditions(during(0, 10, DOWN), during(0, 10, { of: 'dns', host: 'receiver' }))
  expect(faulty.host('receiver', 'webhook', 5)).toEqual({ of: 'no name' })
  expect(faulty.host('agent', 'GetTask', 5)).toEqual({ of: 'down' })
})

test('an answer in place of the agent is for the operations it names; posts only where they are named', () => {
  const busy = { of: 'answer', status: 503, retryAfterUs: 5, operations: ['poll', 'stream'] } as const
  const faulty = conditions(during(0, 10, busy))
  const told = ['GetTask', 'SendStreamingMessage', 'SendMessage', 'SubscribeToTask'].map(
    (operation) => faulty.host('agent', operation, 1).of,
  )
  expect(told).toEqual(['answers', 'answers', 'up', 'up'])
  const all = conditions(during(0, 10, { ...busy, operations: undefined }))
  expect(all.host('agent', 'ListTasks', 1)).toEqual({ of: 'answers', status: 503, retryAfterUs: 5 })
  expect(all.host('receiver', 'webhook', 1).of).toBe('up')
  const posts = conditions(during(0, 10, { ...busy, operations: ['post'] }))
  expect(posts.host('receiver', 'webhook', 1).of).toBe('answers')
})

test('shares of several faults are independent chances; the other link is not touched', () => {
  const lossy = (share: number): FaultEffect => ({ of: 'loss', share, link: 'receiver' })
  const faulty = conditions(during(0, 10, lossy(0.5)), during(5, 10, lossy(0.5)))
  expect([1, 6, 10].map((atUs) => faulty.link('agent', 'receiver', atUs).loss)).toEqual([0.5, 0.75, 0])
  expect(faulty.link('client', 'agent', 6).loss).toBe(0)
})

test('held messages wait for the end of the longest hold, a partition lets nothing through', () => {
  const hold: FaultEffect = { of: 'hold', link: 'network' }
  const faulty = conditions(
    during(0, 10, hold),
    during(5, 30, hold),
    during(40, 50, { of: 'partition', link: 'network' }),
  )
  expect([1, 6, 12].map((atUs) => faulty.link('agent', 'client', atUs).heldUntilUs)).toEqual([10, 30, 30])
  expect([39, 40, 50].map((atUs) => faulty.link('client', 'agent', atUs).blocked)).toEqual([
    false,
    true,
    false,
  ])
})

test('what comes again begins one draw after the beginning before', () => {
  const [{ windows }] = timed(
    [{ effect: DOWN, when: { of: 'again', every: fixed(60), forUs: 3 } }],
    random,
  ) as [ReturnType<typeof timed>[0]]
  expect(windows.around(59)).toBeUndefined()
  expect(windows.around(62)).toEqual({ fromUs: 60, toUs: 63 })
  expect(windows.around(63)).toBeUndefined()
  expect(windows.next(121)).toEqual({ fromUs: 180, toUs: 183 })
})

test('draws of chance are the same for the same seed, whoever asks first', () => {
  const again: Fault = {
    effect: DOWN,
    when: { of: 'again', every: { of: 'exponential', meanUs: 1000 }, forUs: 400 },
  }
  const early = conditions(again)
  const late = conditions(again)
  late.host('agent', 'GetTask', 50_000)
  const states = (of: typeof early) =>
    Array.from({ length: 500 }, (_, n) => of.host('agent', 'GetTask', n * 100).of)
  expect(states(late)).toEqual(states(early))
  expect(new Set(states(early))).toEqual(new Set(['up', 'down']))
})

test('cuts and restarts happen at their instants, after what the agent does by itself', async () => {
  const happened: string[] = []
  await inVirtualTime({ horizonUs: 1000 }, async (clock, signal) => {
    const note = (what: string) => happened.push(`${clock.nowUs()} ${what}`)
    const faults: Fault[] = [
      during(30, 30, { of: 'cut', how: 'reset' }),
      {
        effect: { of: 'restart', host: 'agent', loses: 'posts' },
        when: { of: 'again', every: fixed(40), forUs: 5 },
      },
      during(10, 20, DOWN),
    ]
    const stop = schedule(clock, timed(faults, random), {
      agentFirst: () => note('agent'),
      cutStreams: (how) => note(how),
      restart: (host, loses) => note(`${host} ${loses}`),
    })
    await clock.sleep(100, signal)
    stop()
  })
  expect(happened).toEqual([
    '30 agent',
    '30 reset',
    '40 agent',
    '40 agent posts',
    '80 agent',
    '80 agent posts',
  ])
})
