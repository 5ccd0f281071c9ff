import { describe, expect, test } from 'vitest'
import type { Clock } from '../kernel/clock.ts'
import { fixed } from '../kernel/distribution.ts'
import type { CutHow } from '../policies/middlebox.ts'
import type { Handler } from './network.ts'
import { AGENT, answering, heartbeats, hop, play, S, seenOf, streaming, type Heard } from './stage.suite.ts'

/** Answers `/get` after so many seconds, and streams at any other path. */
const gettingOrStreaming =
  (afterS: number, writes: Parameters<typeof streaming>[1], heard: Heard = []) =>
  (clock: Clock): Handler => {
    const [get, stream] = [answering(clock, afterS, heard), streaming(clock, writes, heard)]
    return (request) => (new URL(request.url).pathname === '/get' ? get : stream)(request)
  }

const latency = { up: fixed(S), down: fixed(2 * S) }

describe('all streams cut', () => {
  test.each<[CutHow, string, string]>([
    ['close', '7 end', 'complete'],
    ['reset', '7 terminated/ECONNRESET', 'failed'],
    ['silent', '60 TimeoutError', 'aborted'],
  ])('by %s', async (how, last, outcome) => {
    const heard: Heard = []
    await play(
      { path: { latency }, agent: (clock) => streaming(clock, heartbeats(3, 20), heard) },
      async (stage) => {
        const seen = seenOf(stage, stage.fetch(AGENT, { signal: AbortSignal.timeout(60_000) }))
        await stage.at(5)
        stage.network.cutStreams(how)
        // What was written at 4 s was under way and arrives.
        expect((await seen).map((each) => each.join(' '))).toEqual(['3 200', '6 : hb', last])
        expect(stage.exchanges()).toMatchObject([{ cutBy: 'fault', outcome }])
        await stage.network.settled()
      },
    )
    expect(heard).toEqual(how === 'silent' ? [] : ['left at 5'])
  })

  test('leaves other exchanges alone, and streams that are over', () =>
    play(
      {
        agent: (clock) => (request) =>
          (new URL(request.url).pathname === '/get' ? answering(clock, 10) : streaming(clock, [[2, 'end']]))(
            request,
          ),
      },
      async (stage) => {
        const seen = [
          seenOf(stage, stage.fetch(`${AGENT}/get`)),
          seenOf(stage, stage.fetch(`${AGENT}/stream`)),
        ]
        await stage.at(5)
        stage.network.cutStreams('reset')
        expect((await Promise.all(seen)).map((each) => each.at(-1))).toEqual([
          [10, 'end'],
          [2, 'end'],
        ])
        expect(stage.exchanges().map(({ cutBy }) => cutBy)).toEqual([undefined, undefined])
      },
    ))

  test('that their asker has just left were not cut', () =>
    play({ path: { latency }, agent: (clock) => streaming(clock, heartbeats(3, 20)) }, async (stage) => {
      const seen = seenOf(stage, stage.fetch(AGENT, { signal: AbortSignal.timeout(5000) }))
      await seen
      // Word of it is on its way to the host.
      stage.network.cutStreams('close')
      await stage.network.settled()
      expect(stage.exchanges()[0]?.cutBy).toBeUndefined()
    }))

  test('by a hop after their asker has left were not cut either', () =>
    play(
      {
        path: { latency, hops: [hop({ lifetimeUs: 4.5 * S })] },
        agent: (clock) => streaming(clock, heartbeats(3, 20)),
      },
      async (stage) => {
        await seenOf(stage, stage.fetch(AGENT, { signal: AbortSignal.timeout(5000) }))
        await stage.network.settled()
        expect(stage.exchanges()).toMatchObject([{ outcome: 'aborted', endUs: 5 * S }])
        expect(stage.exchanges()[0]?.cutBy).toBeUndefined()
      },
    ))

  test('in silence lets the hops before it lose patience', () =>
    play(
      { path: { hops: [hop({ idleUs: 60 * S })] }, agent: (clock) => streaming(clock, heartbeats(15, 200)) },
      async (stage) => {
        const seen = seenOf(stage, stage.fetch(AGENT))
        await stage.at(50)
        stage.network.cutStreams('silent')
        expect((await seen).slice(-2)).toEqual([
          [45, ': hb'],
          [105, 'end'],
        ])
        expect(stage.exchanges()).toMatchObject([{ cutBy: 'nginx' }])
      },
    ))
})

describe('a party that restarts', () => {
  test('resets what is open with it, answered or not or not even there', async () => {
    const heard: Heard = []
    await play(
      { path: { latency }, agent: gettingOrStreaming(30, heartbeats(3, 30), heard) },
      async (stage) => {
        const seen = ['get', 'stream'].map((path) => seenOf(stage, stage.fetch(`${AGENT}/${path}`)))
        await stage.at(7.5)
        seen.push(seenOf(stage, stage.fetch(`${AGENT}/get`)))
        await stage.at(8)
        stage.network.disconnect('agent')
        expect((await Promise.all(seen)).map((each) => each.at(-1))).toEqual([
          [10, 'fetch failed/ECONNRESET'],
          [10, 'terminated/ECONNRESET'],
          [10, 'fetch failed/ECONNRESET'],
        ])
        expect(stage.exchanges().map(({ cutBy, outcome }) => [cutBy, outcome])).toEqual(
          Array.from({ length: 3 }, () => ['restart', 'failed']),
        )
      },
    )
    // The third request never came there.
    expect(heard).toEqual(['left at 8', 'left at 8'])
  })

  test('never gets the request that was on its way', async () => {
    const asked: number[] = []
    await play(
      {
        path: { latency },
        agent: (clock) => async () => {
          asked.push(clock.nowUs() / S)
          return Response.json({})
        },
      },
      async (stage) => {
        const first = seenOf(stage, stage.fetch(AGENT))
        await stage.at(0.5)
        stage.network.disconnect('agent')
        expect(await first).toEqual([[2.5, 'fetch failed/ECONNRESET']])
        expect((await seenOf(stage, stage.fetch(AGENT)))[0]).toEqual([5.5, '200'])
      },
    )
    expect(asked).toEqual([3.5])
  })

  test('has no idle connection any more', () =>
    play({ agent: (clock) => answering(clock, 0) }, async (stage) => {
      await (await stage.fetch(AGENT)).text()
      await stage.at(1)
      stage.network.disconnect('agent')
      await stage.at(2)
      await (await stage.fetch(AGENT)).text()
      stage.network.close()
      expect(stage.connections().map(({ openedUs, closedUs }) => [openedUs / S, closedUs / S])).toEqual([
        [0, 1],
        [2, 6],
      ])
    }))
})

test('a response and its request know the number of their exchange', () => {
  const seenByAgent: (number | undefined)[] = []
  let received: Request | undefined
  return play(
    {
      agent: (clock) => (request) => {
        received = request
        return streaming(clock, [[1, 'x']])(request)
      },
    },
    async ({ network, fetch, exchanges }) => {
      for (let n = 0; n < 2; n++) {
        const response = await fetch(AGENT)
        seenByAgent.push(network.exchangeOf(received as Request))
        const copy = response.clone()
        await Promise.all([response.text(), copy.text()])
        expect([network.exchangeOf(response), network.exchangeOf(copy)]).toEqual([n + 1, n + 1])
      }
      expect(seenByAgent).toEqual([1, 2])
      expect(exchanges().map(({ number }) => number)).toEqual([1, 2])
      expect(network.exchangeOf(new Response())).toBeUndefined()
    },
  )
})
