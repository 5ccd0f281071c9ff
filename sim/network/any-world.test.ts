/** What holds on any path, whatever it delays, loses, cuts, refuses or limits. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Distribution } from '../kernel/distribution.ts'
import type { Hop } from '../policies/middlebox.ts'
import type { ExchangeRecord } from '../records/record.ts'
import type { HostConditions, LinkConditions } from '../path/conditions.ts'
import type { Path } from '../path/path.ts'
import { AGENT, conditionsAt, hop, play, S, type Stage } from './stage.suite.ts'

const seconds = (max: number) => fc.integer({ min: 1, max }).map((s) => s * S)
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
const share = fc.constantFrom(0, 0, 0, 0.05, 0.3)
const latency: fc.Arbitrary<Distribution> = fc.oneof(
  fc.constantFrom(0, 50_000, 2 * S).map((us) => ({ of: 'fixed' as const, us })),
  fc.constant({ of: 'uniform' as const, fromUs: 0, toUs: 3 * S }),
)

const anyHop: fc.Arbitrary<Hop> = fc
  .record({
    name: fc.constantFrom('nginx', 'alb'),
    idleUs: maybe(seconds(40)),
    firstByteUs: maybe(seconds(30)),
    lifetimeUs: maybe(seconds(60)),
    cut: fc.constantFrom('close' as const, 'reset' as const, 'silent' as const),
    connections: maybe(fc.integer({ min: 1, max: 3 })),
    full: fc.record({
      answer: fc.constantFrom(503 as const, 429 as const, 'refuse' as const, 'wait' as const),
      retryAfterUs: maybe(seconds(9)),
    }),
    bufferOctets: maybe(fc.constantFrom(10, 100)),
  })
  .map((does) => hop(does))

const anyPath: fc.Arbitrary<Path> = fc.record({
  latency: fc.record({ up: latency, down: latency }),
  loss: share,
  dribble: maybe(fc.record({ octets: fc.constantFrom(1, 7), everyUs: fc.constantFrom(0, S) })),
  hops: fc.array(anyHop, { maxLength: 3 }),
  limits: maybe(
    fc.record({
      name: fc.constant(undefined),
      timeoutUs: maybe(seconds(90)),
      firstByteUs: maybe(seconds(20)),
      idleUs: maybe(seconds(20)),
      connections: maybe(fc.integer({ min: 1, max: 3 })),
    }),
  ),
})

/** What happens on the links, or to the host, from second to second. */
const spell = <T>(happens: fc.Arbitrary<T>) =>
  maybe(fc.record({ fromS: fc.integer({ min: 0, max: 60 }), forS: fc.integer({ min: 1, max: 30 }), happens }))

const linkTrouble: fc.Arbitrary<Partial<LinkConditions>> = fc.oneof(
  fc.constant({ blocked: true }),
  fc.constant({ delay: { of: 'uniform' as const, fromUs: 0, toUs: 5 * S } }),
  fc.record({ loss: share, duplicate: share, reorder: share }),
)
const hostTrouble: fc.Arbitrary<HostConditions> = fc.constantFrom(
  { of: 'down' },
  { of: 'no name' },
  { of: 'answers', status: 503, retryAfterUs: 5 * S },
)

interface Asked {
  atS: number
  /** What the agent writes, after so many seconds each; one write is a whole answer, and more are a stream. */
  writes: { afterS: number; octets: number }[]
  upload: boolean
  patienceS: number
}

const anyAsked: fc.Arbitrary<Asked> = fc.record({
  atS: fc.integer({ min: 0, max: 60 }),
  writes: fc.array(
    fc.record({ afterS: fc.integer({ min: 0, max: 30 }), octets: fc.integer({ min: 1, max: 40 }) }),
    {
      minLength: 1,
      maxLength: 6,
    },
  ),
  upload: fc.boolean(),
  patienceS: fc.integer({ min: 1, max: 200 }),
})

const anyWorld = fc.record({
  seed: fc.nat(),
  path: anyPath,
  trouble: spell(linkTrouble),
  held: fc.boolean(),
  host: spell(hostTrouble),
  cut: maybe(
    fc.record({
      atS: fc.integer({ min: 1, max: 90 }),
      how: fc.constantFrom('close' as const, 'reset' as const, 'silent' as const),
    }),
  ),
  restartS: maybe(fc.integer({ min: 1, max: 90 })),
  asked: fc.array(anyAsked, { minLength: 1, maxLength: 5 }),
})
type World = typeof anyWorld extends fc.Arbitrary<infer W> ? W : never

/** One exchange as both ends saw it: the text the host wrote, and the one the client got. */
interface Seen {
  written: string
  got: string
}

async function run(
  world: World,
): Promise<{ seen: Seen[]; records: ExchangeRecord[]; numbers: Map<number, Seen> }> {
  const { trouble, host, path, seed, asked } = world
  const inSpell = (spellOf: { fromS: number; forS: number } | undefined, atS: number) =>
    spellOf !== undefined && atS >= spellOf.fromS && atS < spellOf.fromS + spellOf.forS
  const conditions = conditionsAt(
    (atS) =>
      !inSpell(trouble, atS)
        ? {}
        : world.held
          ? { heldUntilUs: ((trouble?.fromS ?? 0) + (trouble?.forS ?? 0)) * S }
          : (trouble?.happens ?? {}),
    (atS) => (inSpell(host, atS) ? (host?.happens ?? { of: 'up' }) : { of: 'up' }),
  )
  const seen: Seen[] = asked.map(() => ({ written: '', got: '' }))
  const numbers = new Map<number, Seen>()
  let stageOf: Stage | undefined
  const isQuiet = trouble === undefined && host === undefined
  const records = await play(
    {
      seed,
      path,
      ...(!isQuiet && { conditions }),
      agent: (clock) => async (request) => {
        const index = Number(new URL(request.url).searchParams.get('n'))
        const mine = seen[index] as Seen
        const isTwin = numbers.has(stageOf?.network.exchangeOf(request) ?? 0)
        numbers.set(stageOf?.network.exchangeOf(request) ?? 0, mine)
        const { writes } = asked[index] as Asked
        const gone = new AbortController()
        const body = new ReadableStream<Uint8Array>(
          {
            async pull(controller) {
              const next = writes[written++]
              if (next === undefined) {
                controller.close()
                return
              }
              await clock.sleep(next.afterS * S, gone.signal)
              const text = String.fromCharCode(97 + written).repeat(next.octets)
              if (!isTwin) mine.written += text
              controller.enqueue(new TextEncoder().encode(text))
            },
            cancel: () => gone.abort(),
          },
          { highWaterMark: 0 },
        )
        let written = 0
        await request.text().catch(() => {})
        return new Response(body, {
          headers: { 'content-type': writes.length > 1 ? 'text/event-stream' : 'text/plain' },
        })
      },
    },
    async (stage) => {
      stageOf = stage
      const clients = asked.map(async ({ atS, patienceS, upload }, index) => {
        await stage.at(atS)
        const mine = seen[index] as Seen
        const text = new Response('some octets').body
        const init = upload
          ? { method: 'POST', body: text, duplex: 'half' }
          : { method: 'POST', body: 'some octets' }
        const signal = AbortSignal.timeout(patienceS * 1000)
        try {
          const { body } = await stage.fetch(`${AGENT}/?n=${index}`, { ...init, signal } as RequestInit)
          for await (const chunk of body ?? []) mine.got += new TextDecoder().decode(chunk as Uint8Array)
        } catch {}
      })
      if (world.cut !== undefined) {
        const { atS, how } = world.cut
        clients.push(stage.at(atS).then(() => stage.network.cutStreams(how)))
      }
      if (world.restartS !== undefined)
        clients.push(stage.at(world.restartS).then(() => stage.network.disconnect('agent')))
      await Promise.all(clients)
      await stage.network.settled()
      stage.network.close()
      return stage.exchanges()
    },
  )
  return { seen, records, numbers }
}

/**
 * Octets of the small answers that somebody gives in a host's stead. Behind a
 * hop that has fallen silent another may answer too, and its answer goes nowhere.
 */
const IN_FRONT = ['Gateway Timeout', 'Service Unavailable', 'Too Many Requests'].map(
  (message) => JSON.stringify({ message }).length,
)
const isInFront = (octets: number): boolean =>
  octets === 0 || (octets > 0 && IN_FRONT.some((answer) => isInFront(octets - answer)))

test('octets count as they were written, what arrives was written, nothing is left, and it all happens again', async () => {
  await fc.assert(
    fc.asyncProperty(anyWorld, async (world) => {
      const { seen, records, numbers } = await run(world)
      const begun = records.reduce((sum, { repeats }) => sum + (repeats?.count ?? 1), 0)
      // Whoever waited for a connection until its patience was at an end never began.
      if (world.path.limits?.connections === undefined) expect(begun).toBe(world.asked.length)
      expect(new Set(records.map(({ number }) => number)).size).toBe(records.length)
      for (const record of records) {
        expect(record.outcome).not.toBe('open')
        const both = numbers.get(record.number)
        const inFront = record.octets.responseBody - (both?.written.length ?? 0)
        expect(isInFront(inFront)).toBe(true)
        if (both === undefined || record.repeats !== undefined) continue
        if (record.cutBy === undefined && record.outcome === 'complete') expect(both.got).toBe(both.written)
        else if (inFront === 0) expect(both.written.startsWith(both.got)).toBe(true)
      }
      expect(await run(world)).toEqual({ seen, records, numbers })
    }),
    { seed: 1, numRuns: 300 },
  )
})
