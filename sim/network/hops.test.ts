import { describe, expect, test } from 'vitest'
import { fixed } from '../kernel/distribution.ts'
import { AGENT, answering, heartbeats, hop, play, S, seenOf, streaming, type Heard } from './stage.suite.ts'

const nginx = hop({ idleUs: 60 * S })
const job90s: [number, string] = [90, 'done']

describe('idle', () => {
  test('cuts a stream that is silent for 60 s at 60 s, and the host hears of it', async () => {
    const heard: Heard = []
    await play(
      { path: { hops: [nginx] }, agent: (clock) => streaming(clock, [job90s], heard) },
      async (stage) => {
        expect(await seenOf(stage, stage.fetch(AGENT))).toEqual([
          [0, '200'],
          [60, 'end'],
        ])
        expect(stage.exchanges()).toMatchObject([{ outcome: 'complete', cutBy: 'nginx', endUs: 60 * S }])
        // The last chunk of a clean end was written, and nothing before it.
        expect(stage.exchanges()[0]?.octets).toMatchObject({ responseBody: 0, responseHead: 164 + 5 })
      },
    )
    expect(heard).toEqual(['left at 60'])
  })

  test('leaves one with heartbeats every 15 s alone', () =>
    play(
      {
        path: { hops: [nginx] },
        agent: (clock) => streaming(clock, [...heartbeats(15, 90), job90s]),
      },
      async (stage) => {
        expect((await seenOf(stage, stage.fetch(AGENT))).at(-1)).toEqual([90, 'end'])
        expect(stage.exchanges()[0]?.cutBy).toBeUndefined()
      },
    ))

  test('is in time at the very instant, and late one second after', () =>
    play(
      {
        path: { hops: [nginx] },
        agent: (clock) =>
          streaming(clock, [
            [60, 'a'],
            [121, 'b'],
          ]),
      },
      async (stage) => {
        expect(await seenOf(stage, stage.fetch(AGENT))).toEqual([
          [0, '200'],
          [60, 'data: a'],
          [120, 'end'],
        ])
      },
    ))

  test('closes the connection: a stream opened 3 s later needs another', () =>
    play({ path: { hops: [nginx] }, agent: (clock) => streaming(clock, [job90s]) }, async (stage) => {
      await seenOf(stage, stage.fetch(AGENT))
      await stage.at(63)
      await seenOf(stage, stage.fetch(AGENT))
      stage.network.close()
      expect(stage.connections()).toHaveLength(2)
    }))

  test('counts at the host’s end of the way, and is felt a latency later', () =>
    play(
      {
        path: { hops: [nginx], latency: { up: fixed(2 * S), down: fixed(3 * S) } },
        agent: (clock) => streaming(clock, [job90s]),
      },
      async (stage) => {
        expect(await seenOf(stage, stage.fetch(AGENT))).toEqual([
          [5, '200'],
          [65, 'end'],
        ])
      },
    ))
})

describe('other limits', () => {
  test('a lifetime cuts whatever passes', () =>
    play(
      {
        path: { hops: [hop({ name: 'gcp-lb', lifetimeUs: 30 * S })] },
        agent: (clock) => streaming(clock, heartbeats(10, 600)),
      },
      async (stage) => {
        // Octets of the deadline's own instant are in time.
        expect((await seenOf(stage, stage.fetch(AGENT))).slice(-2)).toEqual([
          [30, ': hb'],
          [30, 'end'],
        ])
      },
    ))

  const heroku = hop({ name: 'heroku', firstByteUs: 30 * S, idleUs: 55 * S })

  test('a first byte that does not come is answered 504, whose octets count like any answer’s', async () => {
    const heard: Heard = []
    await play({ path: { hops: [heroku] }, agent: (clock) => answering(clock, 40, heard) }, async (stage) => {
      const response = await stage.fetch(AGENT)
      expect([stage.nowS(), response.status, await response.json()]).toEqual([
        30,
        504,
        { message: 'Gateway Timeout' },
      ])
      const head = 'HTTP/1.1 504 Gateway Timeout\r\n'.length + 37 + 47 + 'content-length: 29\r\n'.length
      expect(stage.exchanges()).toMatchObject([
        {
          outcome: 'complete',
          status: 504,
          cutBy: 'heroku',
          octets: { responseBody: 29, responseHead: head + 'content-type: application/json\r\n\r\n'.length },
        },
      ])
    })
    expect(heard).toEqual(['left at 30'])
  })

  test('and a HEAD request gets no body with it', () =>
    play({ path: { hops: [heroku] }, agent: (clock) => answering(clock, 40) }, async (stage) => {
      const response = await stage.fetch(AGENT, { method: 'HEAD' })
      expect([response.status, await response.text()]).toEqual([504, ''])
      expect(stage.exchanges()).toMatchObject([{ octets: { responseBody: 0 } }])
    }))

  test('a first byte in time is followed by the idle limit', () =>
    play(
      {
        path: { hops: [heroku] },
        agent: (clock) =>
          streaming(clock, [
            [40, 'a'],
            [96, 'b'],
          ]),
      },
      async (stage) => {
        expect((await seenOf(stage, stage.fetch(AGENT))).at(-1)).toEqual([95, 'end'])
      },
    ))

  test('an answer just at the limit is in time', () =>
    play({ path: { hops: [heroku] }, agent: (clock) => answering(clock, 30) }, async (stage) => {
      expect((await stage.fetch(AGENT)).status).toBe(200)
    }))
})

describe('ways to cut', () => {
  test('a reset breaks the stream', () =>
    play(
      {
        path: { hops: [hop({ idleUs: 60 * S, cut: 'reset' })] },
        agent: (clock) => streaming(clock, [job90s]),
      },
      async (stage) => {
        expect(await seenOf(stage, stage.fetch(AGENT))).toEqual([
          [0, '200'],
          [60, 'terminated/ECONNRESET'],
        ])
        expect(stage.exchanges()).toMatchObject([{ outcome: 'failed', cutBy: 'nginx' }])
      },
    ))

  test('a clean end is impossible for a body of declared length', () =>
    play(
      {
        path: { hops: [nginx] },
        agent: (clock) => async (request) => {
          const body = (await streaming(clock, [[90, 'x']])(request)).body
          return new Response(body, { headers: { 'content-length': '9' } })
        },
      },
      async (stage) => {
        expect((await seenOf(stage, stage.fetch(AGENT))).at(-1)).toEqual([60, 'terminated/UND_ERR_SOCKET'])
      },
    ))

  test.each([
    ['before', (stage: { network: { close(): void } }) => stage.network.close(), 'open'],
    ['after', () => {}, 'aborted'],
  ])('silence tells nobody; the asker lets go %s the run is over', async (_, first, outcome) => {
    const heard: Heard = []
    const silent = hop({ name: 'azure-lb', idleUs: 60 * S, cut: 'silent' })
    await play(
      { path: { hops: [silent] }, agent: (clock) => streaming(clock, [job90s, [200, 'lost']], heard) },
      async (stage) => {
        const controller = new AbortController()
        const seen = seenOf(stage, stage.fetch(AGENT, { signal: controller.signal }))
        await stage.at(100)
        first(stage)
        controller.abort()
        expect(await seen).toEqual([
          [0, '200'],
          [100, 'AbortError'],
        ])
        await stage.network.settled()
        expect(stage.exchanges()).toMatchObject([
          // What the host wrote at 90 s counts, though it went nowhere.
          { outcome, cutBy: 'azure-lb', arrivals: [], octets: { responseBody: 'data: done\n\n'.length } },
        ])
        expect(heard).toEqual(outcome === 'open' ? ['left at 100'] : [])
        await stage.at(150)
        stage.network.close()
      },
    )
    expect(heard).toEqual([outcome === 'open' ? 'left at 100' : 'left at 150'])
  })

  test('silence before the answer is no 504', () =>
    play(
      {
        path: { hops: [hop({ idleUs: 60 * S, cut: 'silent' })] },
        agent: (clock) => answering(clock, 90),
      },
      async (stage) => {
        const seen = seenOf(stage, stage.fetch(AGENT, { signal: AbortSignal.timeout(300_000) }))
        expect(await seen).toEqual([[300, 'TimeoutError']])
      },
    ))
})

describe('several hops', () => {
  test('the first to lose patience cuts, and the others hear of it', () =>
    play(
      {
        path: { hops: [hop({ name: 'outer', idleUs: 60 * S }), hop({ name: 'inner', idleUs: 30 * S })] },
        agent: (clock) => streaming(clock, [job90s]),
      },
      async (stage) => {
        expect((await seenOf(stage, stage.fetch(AGENT))).at(-1)).toEqual([30, 'end'])
        expect(stage.exchanges()).toMatchObject([{ cutBy: 'inner' }])
      },
    ))

  test('one that falls silent leaves the outer one without octets, and the inner one with them', async () => {
    const heard: Heard = []
    await play(
      {
        path: {
          hops: [
            hop({ name: 'outer', idleUs: 60 * S }),
            hop({ name: 'mute', lifetimeUs: 20 * S, cut: 'silent' }),
            hop({ name: 'inner', idleUs: 30 * S }),
          ],
        },
        agent: (clock) => streaming(clock, [...heartbeats(10, 100), [140, 'late']], heard),
      },
      async (stage) => {
        expect((await seenOf(stage, stage.fetch(AGENT))).slice(-2)).toEqual([
          [20, ': hb'],
          [80, 'end'],
        ])
        expect(stage.exchanges()).toMatchObject([{ cutBy: 'outer', outcome: 'complete' }])
        await stage.at(200)
      },
    )
    // The last heartbeat passed the inner hop at 90 s.
    expect(heard).toEqual(['left at 120'])
  })

  test('that cut behind one that fell silent are not who cut it', () =>
    play(
      {
        path: {
          hops: [
            hop({ name: 'mute', lifetimeUs: 20 * S, cut: 'silent' }),
            hop({ name: 'inner', idleUs: 30 * S }),
          ],
        },
        agent: (clock) => streaming(clock, [job90s]),
      },
      async (stage) => {
        await seenOf(stage, stage.fetch(AGENT, { signal: AbortSignal.timeout(100_000) }))
        expect(stage.exchanges()).toMatchObject([{ cutBy: 'mute', outcome: 'aborted' }])
      },
    ))

  test('one that keeps small writes back gives all of them on at the end', () =>
    play(
      {
        path: { hops: [hop({ bufferOctets: 1000 })] },
        agent: (clock) =>
          streaming(clock, [
            [0, 'a'],
            [5, 'b'],
            [9, 'c'],
          ]),
      },
      async (stage) => {
        expect(await seenOf(stage, stage.fetch(AGENT))).toEqual([
          [0, '200'],
          [9, 'data: a'],
          [9, 'data: b'],
          [9, 'data: c'],
          [9, 'end'],
        ])
      },
    ))

  test('one that keeps small writes back makes the outer one cut, padded heartbeats save it', async () => {
    const hops = [hop({ name: 'outer', idleUs: 60 * S }), hop({ name: 'buffering', bufferOctets: 1000 })]
    const run = (beat: string) =>
      play(
        {
          path: { hops },
          agent: (clock) =>
            streaming(
              clock,
              [15, 30, 45, 60, 75].map((atS) => [atS, beat] as [number, string]),
            ),
        },
        async (stage) => {
          const seen = await seenOf(stage, stage.fetch(AGENT))
          return seen.map(([atS, what]) => `${atS} ${what.replaceAll(/x+/g, 'x')}`)
        },
      )
    expect(await run(': hb')).toEqual(['0 200', '60 end'])
    expect(await run(`: ${'x'.repeat(500)}`)).toEqual([
      '0 200',
      '30 : x',
      '30 : x',
      '60 : x',
      '60 : x',
      '75 : x',
      '75 end',
    ])
  })
})

describe('no room', () => {
  const full = (answer: 503 | 429 | 'refuse' | 'wait') =>
    hop({ connections: 1, full: { answer, retryAfterUs: 4_200_000 } })
  const second = (answer: 503 | 429 | 'refuse' | 'wait') =>
    play({ path: { hops: [full(answer)] }, agent: (clock) => answering(clock, 10) }, async (stage) => {
      const first = stage.fetch(AGENT)
      await stage.at(1)
      const seen = await seenOf(stage, stage.fetch(AGENT))
      await first
      const third = await seenOf(stage, stage.fetch(AGENT))
      return { seen, third: third[0], exchanges: stage.exchanges(), connections: stage.connections() }
    })

  test.each([503, 429] as const)('is said by %d with Retry-After in whole seconds', async (status) => {
    const { seen, third, exchanges } = await second(status)
    expect(seen[0]).toEqual([1, String(status)])
    expect(third?.[1]).toBe('200')
    expect(exchanges.map(({ number, cutBy }) => [number, cutBy])).toEqual([
      [2, 'nginx'],
      // The third is told by the record of the first, whom it equals.
      [1, undefined],
    ])
    await play(
      {
        path: { hops: [hop({ connections: 0, full: { answer: status, retryAfterUs: 4_200_000 } })] },
        agent: (clock) => answering(clock, 1),
      },
      async ({ fetch }) => {
        expect((await fetch(AGENT)).headers.get('retry-after')).toBe('5')
      },
    )
  })

  test('is felt as a refused connection', async () => {
    const { seen, third, exchanges } = await second('refuse')
    expect(seen).toEqual([[1, 'fetch failed/ECONNREFUSED']])
    expect(third?.[1]).toBe('200')
    expect(exchanges[0]).toMatchObject({ outcome: 'failed', octets: { requestHead: 0 }, cutBy: 'nginx' })
  })

  test('makes wait until there is', async () => {
    const { seen } = await second('wait')
    expect(seen[0]).toEqual([20, '200'])
  })

  test('is given back by one who leaves while waiting', () =>
    play({ path: { hops: [full('wait')] }, agent: (clock) => answering(clock, 10) }, async (stage) => {
      const first = stage.fetch(AGENT)
      await stage.at(1)
      const left = seenOf(stage, stage.fetch(AGENT, { signal: AbortSignal.timeout(1000) }))
      const third = seenOf(stage, stage.fetch(AGENT))
      await first
      expect(await left).toEqual([[2, 'TimeoutError']])
      expect((await third)[0]).toEqual([20, '200'])
    }))
})
