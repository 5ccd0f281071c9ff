import { describe, expect, test } from 'vitest'
import { fixed } from '../kernel/distribution.ts'
import {
  AGENT,
  answering,
  conditionsAt,
  heartbeats,
  play,
  S,
  seenOf,
  streaming,
  type Heard,
  type Stage,
} from './stage.suite.ts'

const between = (fromS: number, toS: number) => ({ of: 'uniform' as const, fromUs: fromS * S, toUs: toS * S })
const none = fixed(0)

/** Answers at once, and notes when. */
const noting =
  (arrived: number[]) =>
  (clock: { nowUs(): number }) =>
  async (request: Request): Promise<Response> => {
    await request.text()
    arrived.push(clock.nowUs() / S)
    return Response.json({})
  }

describe('latency left to chance', () => {
  test('differs from message to message and keeps their order', () => {
    const run = (seed: number) =>
      play(
        {
          seed,
          path: { latency: { up: none, down: between(0, 5) } },
          agent: (clock) => streaming(clock, heartbeats(1, 60)),
        },
        async (stage) => seenOf(stage, stage.fetch(AGENT)),
      )
    return run(1).then(async (seen) => {
      const delays = seen.slice(1, -1).map(([atS], n) => atS - (n + 1))
      expect(Math.min(...delays)).toBeGreaterThanOrEqual(0)
      expect(Math.max(...delays)).toBeLessThanOrEqual(5)
      expect(new Set(delays).size).toBeGreaterThan(20)
      expect(seen.map(([atS]) => atS)).toEqual(seen.map(([atS]) => atS).toSorted((a, b) => a - b))
      expect(await run(1)).toEqual(seen)
      expect(await run(2)).not.toEqual(seen)
    })
  })
})

describe('loss', () => {
  const lossy = (loss: number) => (seed: number) =>
    play({ seed, path: { loss }, agent: (clock) => streaming(clock, heartbeats(1, 20)) }, async (stage) =>
      seenOf(stage, stage.fetch(AGENT, { signal: AbortSignal.timeout(60_000) })),
    )

  test('silences what comes after it as well: the asker sees an unbroken beginning, then nothing', async () => {
    const whole = await lossy(0)(1)
    const heads: number[] = []
    for (let seed = 1; seed <= 20; seed++) {
      const seen = await lossy(0.1)(seed)
      if (seen.at(-1)?.[1] === 'end') expect(seen).toEqual(whole)
      else {
        expect(seen.slice(0, -1)).toEqual(whole.slice(0, seen.length - 1))
        expect(seen.at(-1)).toEqual([60, 'TimeoutError'])
        heads.push(seen.length)
      }
    }
    expect(new Set(heads).size).toBeGreaterThan(4)
  })

  test('of the request leaves the host in ignorance, and the run does not wait for it', async () => {
    const arrived: number[] = []
    await play({ path: { loss: 1 }, agent: noting(arrived) }, async (stage) => {
      const signal = AbortSignal.timeout(5000)
      expect(await seenOf(stage, stage.fetch(AGENT, { method: 'POST', body: 'x', signal }))).toEqual([
        [5, 'TimeoutError'],
      ])
      await stage.network.settled()
      expect(stage.exchanges()).toMatchObject([{ outcome: 'aborted', octets: { requestBody: 1 } }])
    })
    expect(arrived).toEqual([])
  })
})

describe('faults on a link', () => {
  /** Streams a beat a second for 20 s while the link is as told, and gives what came beside the beats at their time. */
  const stream = (
    link: Parameters<typeof conditionsAt>[0],
    path: { upS?: number; downS?: number } = {},
    heard: Heard = [],
  ) =>
    play(
      {
        conditions: conditionsAt(link),
        path: { latency: { up: fixed((path.upS ?? 0) * S), down: fixed((path.downS ?? 0) * S) } },
        agent: (clock) => streaming(clock, heartbeats(1, 8), heard),
      },
      async (stage) => {
        const seen = await seenOf(stage, stage.fetch(AGENT, { signal: AbortSignal.timeout(30_000) }))
        await stage.network.settled()
        return seen.map(([atS, what]) => (what === ': hb' ? atS : `${atS} ${what}`))
      },
    )

  test('nothing: all passes', async () =>
    expect(await stream(() => ({}))).toEqual(['0 200', 1, 2, 3, 4, 5, 6, 7, '7 end']))

  test('a partition swallows what sets out in it, and all that would follow', async () =>
    expect(await stream((atS) => ({ blocked: atS >= 3 && atS < 5 }))).toEqual([
      '0 200',
      1,
      2,
      '30 TimeoutError',
    ]))

  test('what set out before a lost one still arrives', async () =>
    expect(await stream((atS) => ({ loss: atS === 3 ? 1 : 0 }), { downS: 5 })).toEqual([
      '5 200',
      6,
      7,
      '30 TimeoutError',
    ]))

  test('a partition swallows what would arrive in it, however short it is', async () =>
    expect(await stream((atS) => ({ blocked: atS === 3 }), { downS: 2 })).toEqual([
      '2 200',
      '30 TimeoutError',
    ]))

  test('a hold keeps everything back until its end, and nothing is lost', async () => {
    const held = (atS: number) => ({ heldUntilUs: atS >= 2.5 && atS < 5.5 ? 5.5 * S : undefined })
    const seen = ['0 200', 1, 2, 5.5, 5.5, 5.5, 6, 7, '7 end']
    expect(await stream(held)).toEqual(seen)
    // What set out before the hold and would arrive in it is held as well.
    expect(await stream(held, { downS: 1 })).toEqual(['1 200', 2, 5.5, 5.5, 5.5, 6, 7, 8, '8 end'])
  })

  test('a delay adds to the latency', async () =>
    expect(
      (await stream((atS) => ({ delay: atS === 2 ? fixed(3 * S) : undefined }), { downS: 1 })).slice(0, 6),
    ).toEqual(
      // Later ones wait for the delayed one.
      ['1 200', 2, 6, 6, 6, 6],
    ))

  test('a reordered message comes a second late, so that one of another exchange may overtake it', async () => {
    const arrived: string[] = []
    await play(
      {
        conditions: conditionsAt((atS) => ({ reorder: atS === 0 ? 1 : 0 })),
        agent: (clock) => async (request) => {
          arrived.push(`${clock.nowUs() / S} ${await request.text()}`)
          return Response.json({})
        },
      },
      async ({ fetch, at }) => {
        const first = fetch(AGENT, { method: 'POST', body: 'first' })
        await at(0.5)
        await fetch(AGENT, { method: 'POST', body: 'second' })
        await first
      },
    )
    expect(arrived).toEqual(['0.5 second', '1 first'])
  })

  test('a duplicated request reaches its host once more, a latency later, and costs its asker nothing', async () => {
    const once = { path: { latency: { up: fixed(2 * S), down: fixed(S) } } }
    const records = (duplicate: number, arrived: number[]) =>
      play(
        { ...once, conditions: conditionsAt(() => ({ duplicate })), agent: noting(arrived) },
        async (stage: Stage) => {
          expect(await seenOf(stage, stage.fetch(AGENT, { method: 'POST', body: 'x' }))).toMatchObject([
            [3, '200'],
            [3, '{}'],
            [3, 'end'],
          ])
          await stage.network.settled()
          return stage.exchanges()
        },
      )
    const [single, twice]: [number[], number[]] = [[], []]
    expect(await records(1, twice)).toEqual(await records(0, single))
    expect([single, twice]).toEqual([[2], [2, 4]])
  })
})

test('a second delivery that would come after the run does not come', async () => {
  const arrived: number[] = []
  await play(
    {
      path: { latency: { up: fixed(2 * S), down: none } },
      conditions: conditionsAt(() => ({ duplicate: 1 })),
      agent: noting(arrived),
    },
    async (stage) => {
      await seenOf(stage, stage.fetch(AGENT))
      stage.network.close()
    },
  )
  expect(arrived).toEqual([2])
})

describe('dribble', () => {
  const dribble = { octets: 4, everyUs: S }

  test('lets the writes of an answer through piece by piece, the next write after the last piece', () =>
    play(
      {
        path: { dribble },
        agent: (clock) =>
          streaming(clock, [
            [1, 'a'],
            [2, 'bc'],
          ]),
      },
      async (stage) => {
        const seen: [number, string][] = []
        const response = await stage.fetch(AGENT)
        for await (const chunk of response.body ?? [])
          seen.push([stage.nowS(), JSON.stringify(new TextDecoder().decode(chunk as Uint8Array))])
        expect(seen.map((each) => each.join(' '))).toEqual([
          '1 "data"',
          '2 ": a\\n"',
          '3 "\\n"',
          '4 "data"',
          '5 ": bc"',
          '6 "\\n\\n"',
        ])
        // An event arrives with its blank line.
        expect(stage.exchanges()[0]?.arrivals?.map(({ atUs }) => atUs / S)).toEqual([3, 6])
      },
    ))

  test('gives the head with the first piece of a whole answer', () =>
    play({ path: { dribble }, agent: () => async () => new Response('12345678901') }, async (stage) => {
      const seen = await seenOf(stage, stage.fetch(AGENT))
      expect(seen).toEqual([
        [0, '200'],
        [0, '1234'],
        [1, '5678'],
        [2, '901'],
        [2, 'end'],
      ])
    }))

  test('slows the posts of the agent, not the requests of a client', async () => {
    const arrived: number[] = []
    await play({ path: { dribble }, agent: noting(arrived) }, async ({ network, at }) => {
      for (const party of ['client', 'agent'] as const)
        await network.fetchFrom(party)(AGENT, { method: 'POST', body: '123456789' })
      await at(10)
    })
    expect(arrived).toEqual([0, 2])
  })
})

describe('hosts', () => {
  test('down: connections are refused, kept ones as well', () =>
    play(
      {
        conditions: conditionsAt(
          () => ({}),
          (atS) => ({ of: atS >= 1 && atS < 2 ? 'down' : 'up' }),
        ),
        agent: (clock) => answering(clock, 0),
      },
      async (stage) => {
        const first = async () => (await seenOf(stage, stage.fetch(AGENT)))[0]
        expect(await first()).toEqual([0, '200'])
        await stage.at(1)
        expect(await first()).toEqual([1, 'fetch failed/ECONNREFUSED'])
        await stage.at(2)
        expect(await first()).toEqual([2, '200'])
        stage.network.close()
        expect(stage.connections().map(({ openedUs, closedUs }) => [openedUs / S, closedUs / S])).toEqual([
          [0, 1],
          [2, 6],
        ])
      },
    ))

  test('without a name: not found, unless a connection is there', () =>
    play(
      {
        conditions: conditionsAt(
          () => ({}),
          (atS) => ({ of: atS >= 1 && atS < 9 ? 'no name' : 'up' }),
        ),
        agent: (clock) => answering(clock, 0),
      },
      async (stage) => {
        const first = async () => (await seenOf(stage, stage.fetch(AGENT)))[0]
        await first()
        await stage.at(1)
        expect(await first()).toEqual([1, '200'])
        await stage.at(6)
        expect(await first()).toEqual([6, 'fetch failed/ENOTFOUND'])
        expect(stage.exchanges()).toMatchObject([
          { number: 1, repeats: { count: 2 } },
          { number: 3, outcome: 'failed', endUs: 6 * S, octets: { requestHead: 0 } },
        ])
      },
    ))

  test('answered for: a small answer instead, and the host does not know', async () => {
    const arrived: number[] = []
    await play(
      {
        conditions: conditionsAt(
          () => ({}),
          () => ({ of: 'answers', status: 503, retryAfterUs: 30 * S }),
        ),
        agent: noting(arrived),
      },
      async (stage) => {
        const response = await stage.fetch(AGENT)
        expect([response.status, response.headers.get('retry-after')]).toEqual([503, '30'])
        expect(await response.json()).toEqual({ message: 'Service Unavailable' })
        expect(stage.exchanges()).toMatchObject([{ status: 503, octets: { responseBody: 33 } }])
      },
    )
    expect(arrived).toEqual([])
  })
})
