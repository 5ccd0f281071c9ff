/**
 * Test support: one test body, two arms. The same handlers and the same
 * requests, once on the wire in virtual time and once by Node's own `fetch`
 * over real sockets, with the octets of either. Only here does `sim/network`
 * live in real time.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '../kernel/clock.ts'
import { createRealClock } from '../kernel/real-clock.ts'
import { randomStream } from '../kernel/random.ts'
import { inVirtualTime } from '../kernel/virtual-time.ts'
import { createJournal } from '../records/journal.ts'
import type { Party } from '../records/record.ts'
import { DIRECT_PATH } from '../path/path.ts'
import type { Handler } from './network.ts'
import { listen } from './sockets.ts'
import { createNetwork, type Wire } from './wire.ts'

/** Octets of what happened between two marks: requests go up, answers come down, whoever asked. */
export interface Mark {
  label: string
  up: number
  down: number
}

/** What a test body sees. It cannot tell the arms apart but by `kind` and by how long things take. */
export interface Arm {
  kind: 'wire' | 'sockets'
  clock: Clock
  fetchFrom(party: Party): typeof fetch
  /** The network of the virtual arm. */
  network: Wire | undefined
  /** Where the hosts live, by name: the same addresses in both arms. */
  origins: Readonly<Record<string, string>>
  /** Closes a group of exchanges, once nothing is under way. A broken-off exchange needs time to be noticed: sleep first. */
  mark(label: string): Promise<void>
}

/** Hosts by name. Their handlers are made anew for each arm. */
export type Cast = Readonly<Record<string, { party: Party; handler: (arm: Arm) => Handler }>>

export interface TwoArms {
  wire: Mark[]
  sockets: Mark[]
}

/** Plays `play` over sockets, then on the wire. */
export async function playTwice(cast: Cast, play: (arm: Arm) => Promise<void>): Promise<TwoArms> {
  const { marks: sockets, origins } = await playOnSockets(cast, play)
  return { sockets, wire: await playOnWire(cast, origins, play) }
}

const HORIZON_US = 3_600_000_000

async function playOnWire(
  cast: Cast,
  origins: Readonly<Record<string, string>>,
  play: (arm: Arm) => Promise<void>,
): Promise<Mark[]> {
  const marks: Mark[] = []
  const end = await inVirtualTime({ horizonUs: HORIZON_US }, async (clock) => {
    const journal = createJournal()
    const network = createNetwork({
      clock,
      journal,
      path: () => DIRECT_PATH,
      random: (purpose) => randomStream(1, purpose),
      describe: { operation: (method, path) => `${method} ${path}`, event: () => 'event' },
    })
    const counter = sinceLast(() => {
      const sum = { up: 0, down: 0 }
      for (const record of journal.records()) {
        if (record.kind !== 'exchange') continue
        const times = record.repeats?.count ?? 1
        sum.up += times * (record.octets.requestHead + record.octets.requestBody)
        sum.down += times * (record.octets.responseHead + record.octets.responseBody)
      }
      return sum
    })
    const arm: Arm = {
      kind: 'wire',
      clock,
      network,
      origins,
      fetchFrom: (party) => network.fetchFrom(party),
      async mark(label) {
        await network.settled()
        marks.push({ label, ...counter() })
      },
    }
    for (const [name, { party, handler }] of Object.entries(cast))
      network.host(origins[name] as string, party, handler(arm))
    await play(arm)
    network.close()
  })
  if (end.kind !== 'settled') throw new Error(`the virtual arm did not settle: ${end.waiting.join('; ')}`)
  return marks
}

async function playOnSockets(
  cast: Cast,
  play: (arm: Arm) => Promise<void>,
): Promise<{ marks: Mark[]; origins: Readonly<Record<string, string>> }> {
  const marks: Mark[] = []
  const handlers = new Map<string, Handler>()
  const names = Object.keys(cast)
  const listening = await Promise.all(
    names.map((name) =>
      listen((request) => (handlers.get(name) as Handler)(request), { port: 0, host: '127.0.0.1' }),
    ),
  )
  const origins = Object.fromEntries(names.map((name, index) => [name, listening[index]?.origin as string]))
  const sockets = watchSockets(new Set(Object.values(origins).map((origin) => Number(new URL(origin).port))))
  const counter = sinceLast(sockets.octets)
  const time = createRealClock()
  const arm: Arm = {
    kind: 'sockets',
    clock: time.clock,
    network: undefined,
    origins,
    fetchFrom: () => fetch,
    async mark(label) {
      await sockets.quiet(label)
      marks.push({ label, ...counter() })
    },
  }
  try {
    for (const [name, { handler }] of Object.entries(cast)) handlers.set(name, handler(arm))
    await play(arm)
    return { marks, origins }
  } finally {
    sockets.forget()
    time.close()
    for (const server of listening) await server.close()
  }
}

interface Octets {
  up: number
  down: number
}

function sinceLast(total: () => Octets): () => Octets {
  let last: Octets = { up: 0, down: 0 }
  return () => {
    const now = total()
    const since = { up: now.up - last.up, down: now.down - last.down }
    last = now
    return since
  }
}

/** The octet counters of the sockets on either side of some ports of this machine. */
function watchSockets(ports: ReadonlySet<number>) {
  const requesters: Socket[] = []
  const servers: Socket[] = []
  const onRequester = (message: unknown) => {
    const { socket } = message as { socket: Socket }
    socket.once('connect', () => {
      if (ports.has(socket.remotePort ?? 0)) requesters.push(socket)
    })
  }
  const onServer = (message: unknown) => {
    const { socket } = message as { socket: Socket }
    if (ports.has(socket.localPort ?? 0)) servers.push(socket)
  }
  subscribe('net.client.socket', onRequester)
  subscribe('net.server.socket', onServer)

  const sum = (sockets: readonly Socket[], of: 'bytesRead' | 'bytesWritten') =>
    sockets.reduce((total, socket) => total + socket[of], 0)
  const octets = () => ({ up: sum(requesters, 'bytesWritten'), down: sum(requesters, 'bytesRead') })
  const octetsOfServers = () => ({ up: sum(servers, 'bytesRead'), down: sum(servers, 'bytesWritten') })

  return {
    octets,
    /** Waits until both sides have counted the same, and count nothing more. */
    async quiet(label: string): Promise<void> {
      let before = ''
      for (let tries = 0; tries < 400; tries++) {
        const now = JSON.stringify([octets(), octetsOfServers()])
        const agree = JSON.stringify(octets()) === JSON.stringify(octetsOfServers())
        if (agree && now === before) return
        before = now
        await pause(5)
      }
      throw new Error(`${label}: the two ends of the sockets do not agree: ${before}`)
    },
    forget() {
      unsubscribe('net.client.socket', onRequester)
      unsubscribe('net.server.socket', onServer)
    },
  }
}
