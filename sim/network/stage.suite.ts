/** Test support: a client and one agent on a network in virtual time, with any path and conditions. */
import { expect } from 'vitest'
import type { Clock } from '../kernel/clock.ts'
import { randomStream } from '../kernel/random.ts'
import { inVirtualTime } from '../kernel/virtual-time.ts'
import type { Hop } from '../policies/middlebox.ts'
import { createJournal } from '../records/journal.ts'
import type { ConnectionRecord, ExchangeRecord } from '../records/record.ts'
import type { Conditions, HostConditions, LinkConditions } from '../path/conditions.ts'
import { DIRECT_PATH, type Path } from '../path/path.ts'
import type { Handler } from './network.ts'
import { createNetwork, type Wire } from './wire.ts'

export const S = 1_000_000
export const AGENT = 'https://agent.example'
const encoder = new TextEncoder()

export interface Stage {
  clock: Clock
  network: Wire
  /** As the client. */
  fetch: typeof globalThis.fetch
  exchanges: () => ExchangeRecord[]
  connections: () => ConnectionRecord[]
  /** Resolves at this second of the run. */
  at: (atS: number) => Promise<void>
  nowS: () => number
}

export interface Setting {
  path?: Partial<Path>
  conditions?: Conditions
  seed?: number
  agent: (clock: Clock) => Handler
}

/** Plays until the horizon of a day at most; when the body is done the run is closed and nothing may be left. */
export async function play<T>(setting: Setting, body: (stage: Stage) => Promise<T>): Promise<T> {
  const end = await inVirtualTime({ horizonUs: 86_400 * S }, async (clock) => {
    const journal = createJournal()
    const network = createNetwork({
      clock,
      journal,
      path: () => ({ ...DIRECT_PATH, ...setting.path }),
      conditions: setting.conditions,
      random: (purpose) => randomStream(setting.seed ?? 1, purpose),
      describe: {
        operation: (method, pathAndQuery) => `${method} ${pathAndQuery}`,
        event: (event) => event.trim(),
      },
    })
    network.host(AGENT, 'agent', setting.agent(clock))
    const of = <K extends 'exchange' | 'connection'>(kind: K) =>
      journal.records().filter((record) => record.kind === kind)
    const value = await body({
      clock,
      network,
      fetch: network.fetchFrom('client'),
      exchanges: () => of('exchange') as ExchangeRecord[],
      connections: () => of('connection') as ConnectionRecord[],
      at: (atS) => clock.sleep(atS * S - clock.nowUs()),
      nowS: () => clock.nowUs() / S,
    })
    network.close()
    return value
  })
  if (end.kind !== 'settled') throw new Error(`did not settle: ${end.waiting.join('; ')}`)
  expect(end.leftovers).toEqual({ events: 0, timers: 0, waiting: [] })
  return end.value
}

/** A hop that does only what is said. */
export const hop = (does: Partial<Hop>): Hop => ({
  name: 'nginx',
  idleUs: undefined,
  firstByteUs: undefined,
  lifetimeUs: undefined,
  cut: 'close',
  connections: undefined,
  full: { answer: 503, retryAfterUs: undefined },
  bufferOctets: undefined,
  ...does,
})

const QUIET: LinkConditions = {
  loss: 0,
  duplicate: 0,
  reorder: 0,
  delay: undefined,
  blocked: false,
  heldUntilUs: undefined,
}

/** Conditions of all links and all hosts by the second. */
export const conditionsAt = (
  link: (atS: number) => Partial<LinkConditions>,
  host: (atS: number) => HostConditions = () => ({ of: 'up' }),
): Conditions => ({
  link: (_from, _to, atUs) => ({ ...QUIET, ...link(atUs / S) }),
  host: (_party, _operation, atUs) => host(atUs / S),
})

/** What a streaming agent was seen to do and to hear. */
export type Heard = string[]

/**
 * An agent that streams: writes these octets at these seconds from the request
 * on, at 0 together with the head, and ends after the last. A `: ` text is a comment, others are events.
 */
export function streaming(
  clock: Clock,
  writes: readonly [afterS: number, text: string][],
  heard: Heard = [],
): Handler {
  return async (request) => {
    const beganUs = clock.nowUs()
    const gone = new AbortController()
    request.signal.addEventListener('abort', () => heard.push(`left at ${clock.nowUs() / S}`))
    const body = new ReadableStream({
      async start(controller) {
        for (const [afterS, text] of writes) {
          if (afterS > 0) await clock.sleep(beganUs + afterS * S - clock.nowUs(), gone.signal)
          controller.enqueue(encoder.encode(text.startsWith(':') ? `${text}\n\n` : `data: ${text}\n\n`))
        }
        controller.close()
      },
      cancel: () => gone.abort(),
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }
}

/** An agent that answers after so many seconds. */
export const answering =
  (clock: Clock, afterS: number, heard: Heard = []): Handler =>
  async (request) => {
    request.signal.addEventListener('abort', () => heard.push(`left at ${clock.nowUs() / S}`))
    await clock.sleep(afterS * S, request.signal)
    return Response.json({ state: 'done' })
  }

/** Comments every so many seconds, for so long. */
export const heartbeats = (everyS: number, untilS: number): [number, string][] =>
  Array.from({ length: Math.ceil(untilS / everyS) - 1 }, (_, n) => [(n + 1) * everyS, ': hb'])

/** Everything a reader saw, each with its second: the texts of chunks, then `end` or the failure's code. */
export async function seenOf(stage: Stage, response: Promise<Response>): Promise<[number, string][]> {
  const seen: [number, string][] = []
  const note = (what: string) => seen.push([stage.nowS(), what])
  try {
    const { status, body } = await response
    note(String(status))
    for await (const chunk of body ?? []) note(new TextDecoder().decode(chunk as Uint8Array).trim())
    note('end')
  } catch (error) {
    note(failureOf(error))
  }
  return seen
}

/** As real clients tell failures apart: `terminated/ECONNRESET`. */
export function failureOf(error: unknown): string {
  const { name, message, cause } = error as Error & { cause?: { code?: string } }
  return name === 'TypeError' ? `${message}/${cause?.code}` : name
}
