import { describe, expect, test } from 'vitest'
import type { ClientLimits } from '../policies/middlebox.ts'
import { AGENT, answering, heartbeats, hop, play, S, seenOf, streaming, type Heard } from './stage.suite.ts'

const limits = (allows: Partial<ClientLimits>): ClientLimits => ({
  name: 'httpx',
  timeoutUs: undefined,
  firstByteUs: undefined,
  idleUs: undefined,
  connections: undefined,
  ...allows,
})

describe('what a client allows one exchange', () => {
  test('in all: a TimeoutError, before the head and in the body', async () => {
    const heard: Heard = []
    const path = { limits: limits({ timeoutUs: 60 * S }) }
    await play({ path, agent: (clock) => answering(clock, 75, heard) }, async (stage) => {
      expect(await seenOf(stage, stage.fetch(AGENT))).toEqual([[60, 'TimeoutError']])
      expect(stage.exchanges()).toMatchObject([{ outcome: 'aborted', cutBy: 'client limits', endUs: 60 * S }])
    })
    expect(heard).toEqual(['left at 60'])
    await play({ path, agent: (clock) => streaming(clock, heartbeats(25, 100)) }, async (stage) => {
      expect((await seenOf(stage, stage.fetch(AGENT))).slice(-2)).toEqual([
        [50, ': hb'],
        [60, 'TimeoutError'],
      ])
    })
  })

  test('until the first octet: fetch failed', () =>
    play(
      { path: { limits: limits({ firstByteUs: 5 * S }) }, agent: (clock) => answering(clock, 6) },
      async (stage) => {
        const seen = await seenOf(stage, stage.fetch(AGENT))
        expect(seen).toEqual([[5, 'fetch failed/UND_ERR_HEADERS_TIMEOUT']])
      },
    ))

  test('in silence: terminated in the body, like a first octet before the head', async () => {
    const path = { limits: limits({ idleUs: 5 * S }) }
    await play(
      {
        path,
        agent: (clock) =>
          streaming(clock, [
            [4, 'a'],
            [9, 'b'],
            [15, 'c'],
          ]),
      },
      async (stage) => {
        expect((await seenOf(stage, stage.fetch(AGENT))).slice(-2)).toEqual([
          [9, 'data: b'],
          [14, 'terminated/UND_ERR_BODY_TIMEOUT'],
        ])
      },
    )
    await play({ path, agent: (clock) => answering(clock, 6) }, async (stage) => {
      expect(await seenOf(stage, stage.fetch(AGENT))).toEqual([[5, 'fetch failed/UND_ERR_HEADERS_TIMEOUT']])
    })
  })

  test('lets go after the hops of the same instant', () =>
    play(
      {
        path: { limits: limits({ timeoutUs: 60 * S }), hops: [hop({ idleUs: 60 * S })] },
        agent: (clock) => answering(clock, 75),
      },
      async (stage) => {
        expect((await seenOf(stage, stage.fetch(AGENT)))[0]).toEqual([60, '504'])
      },
    ))
})

describe('connections to one origin', () => {
  const path = { limits: limits({ connections: 2, timeoutUs: 15 * S }) }

  test('are so many; a further exchange begins when one is free, and its limits with it', () =>
    play({ path, agent: (clock) => answering(clock, 10) }, async (stage) => {
      const seen = await Promise.all([1, 2, 3, 4, 5].map((n) => seenOf(stage, stage.fetch(`${AGENT}/${n}`))))
      expect(seen.map(([first]) => first)).toEqual([10, 10, 20, 20, 30].map((atS) => [atS, '200']))
      expect(stage.exchanges().map(({ number, startUs }) => [number, startUs / S])).toEqual([
        [1, 0],
        [2, 0],
        [3, 10],
        [4, 10],
        [5, 20],
      ])
      stage.network.close()
      expect(stage.connections().map(({ exchanges }) => exchanges)).toEqual([2, 3])
    }))

  test('are given on by who aborts, gives up waiting, fails or is refused', () =>
    play({ path, agent: (clock) => answering(clock, 20) }, async (stage) => {
      const controller = new AbortController()
      const { signal } = controller
      const first = [1, 2].map(() => seenOf(stage, stage.fetch(AGENT, { signal })))
      const waiting = new AbortController()
      const left = seenOf(stage, stage.fetch(AGENT, { signal: waiting.signal }))
      const last = seenOf(stage, stage.fetch(AGENT))
      await stage.at(1)
      waiting.abort()
      expect(await left).toEqual([[1, 'AbortError']])
      await stage.at(2)
      controller.abort()
      await Promise.all(first)
      // It began at 2 s and ran out of time; nobody was before it.
      expect(await last).toEqual([[17, 'TimeoutError']])
      expect(stage.exchanges()).toHaveLength(3)
    }))

  test('are not lost on one who gave up waiting, nor on one who got it and gave up at that instant', () =>
    play(
      { path: { limits: limits({ connections: 1 }) }, agent: (clock) => answering(clock, 20) },
      async (stage) => {
        const controllers = [1, 2, 3].map(() => new AbortController())
        const seen = controllers.map(({ signal }) => seenOf(stage, stage.fetch(AGENT, { signal })))
        seen.push(seenOf(stage, stage.fetch(AGENT)))
        await stage.at(1)
        controllers[1]?.abort()
        await stage.at(2)
        controllers[0]?.abort()
        controllers[2]?.abort()
        expect((await Promise.all(seen)).map(([first]) => first)).toEqual([
          [2, 'AbortError'],
          [1, 'AbortError'],
          [2, 'AbortError'],
          [22, '200'],
        ])
      },
    ))

  test('are not waited for beyond the end of the run', () =>
    play({ path, agent: (clock) => answering(clock, 10) }, async (stage) => {
      const controller = new AbortController()
      for (let n = 0; n < 3; n++) stage.fetch(AGENT, { signal: controller.signal }).catch(() => {})
      await stage.at(1)
      stage.network.close()
      controller.abort()
      await stage.at(30)
      expect(stage.exchanges()).toHaveLength(2)
    }))
})
