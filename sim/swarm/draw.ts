/**
 * Draws a scenario and a policy from a seed, as a file says them: so a run that
 * goes wrong can be printed, shrunk and kept. Times are short, so that much
 * happens at the same instants, and every fault ends, so that what is promised
 * for afterwards can be asked for.
 */
import { chanceOf, type Chance } from './chance.ts'

/** A scenario as the file would hold it. */
export type Document = Record<string, unknown>

/** By then every drawn fault is over; what recurs is not drawn. */
export const HEALED_AFTER_S = 60

/** The run goes on so long after the last fault: longer than any drawn policy waits. */
const HORIZON = '1h'

export function drawScenario(seed: number): Document {
  const job = chanceOf(seed, 'swarm job')
  const world = chanceOf(seed, 'swarm world')
  const policy = chanceOf(seed, 'swarm policy')
  const faults = chanceOf(seed, 'swarm faults')
  return {
    seed,
    horizon: HORIZON,
    job: drawJob(job),
    ...withWorld(world),
    ...ifAny('faults', drawFaults(faults)),
    mechanisms: [drawPolicy(policy)],
  }
}

const ifAny = (key: string, list: readonly unknown[]): Document => (list.length > 0 ? { [key]: list } : {})

const seconds = (chance: Chance, least: number, most: number): string => `${chance.whole(least, most)}s`

// The job

function drawJob(chance: Chance): Document {
  const lengthS = chance.whole(1, 90)
  const instants = chance.some(chance.whole(0, 6), () => chance.whole(0, lengthS)).toSorted((a, b) => a - b)
  let chunks = 0
  const updates = instants.map((atS): Document => {
    const at = `${atS}s`
    if (chance.maybe(0.5))
      return { at, status: 'working', ...(chance.maybe(0.5) && { text: `step at ${at}` }) }
    chunks += 1
    const isNew = chunks === 1 || chance.maybe(0.2)
    return { at, artifact: 'report', text: `chunk ${chunks}`, ...(!isNew && { append: true }) }
  })
  const outcome = chance.pick(['completed', 'completed', 'completed', 'failed', 'canceled'])
  return { updates: [...updates, { at: `${lengthS}s`, status: outcome }] }
}

// The world

function withWorld(chance: Chance): Document {
  return {
    agent: {
      binding: chance.pick(['HTTP+JSON', 'JSONRPC']),
      ...(chance.maybe(0.3) && { streaming: drawStreaming(chance) }),
      ...(chance.maybe(0.3) && { polling: drawPolling(chance) }),
    },
    ...(chance.maybe(0.7) && { network: drawNetwork(chance) }),
    ...(chance.maybe(0.4) && { receiver: drawReceiver(chance) }),
    ...(chance.maybe(0.5) && { client: drawClient(chance) }),
  }
}

const drawStreaming = (chance: Chance): Document => ({
  ...(chance.maybe(0.5) && { heartbeat: seconds(chance, 1, 20) }),
  ...(chance.maybe(0.3) && { replay: chance.pick(['all', '20s']) }),
  ...(chance.maybe(0.3) && { lifetime: seconds(chance, 5, 60) }),
  ...(chance.maybe(0.2) && { retryHint: seconds(chance, 1, 5) }),
  ...(chance.maybe(0.2) && { flush: 'first-update' }),
})

const drawPolling = (chance: Chance): Document => ({
  ...(chance.maybe(0.5) && {
    hint: seconds(chance, 1, 10),
    hintVia: chance.pick(['body', 'header', 'retry-after']),
  }),
  ...(chance.maybe(0.3) && {
    minInterval: seconds(chance, 1, 4),
    tooSoon: chance.pick(['slow-down', '429']),
  }),
  ...(chance.maybe(0.3) && { hold: seconds(chance, 5, 30), etag: true }),
})

const LATENCIES = ['0', '20ms', '50ms', '1ms..300ms', 'exponential:80ms', 'lognormal:p50=40ms,p95=300ms']

function drawNetwork(chance: Chance): Document {
  return {
    latency: chance.pick(LATENCIES),
    ...(chance.maybe(0.1) && { dribble: { octets: chance.whole(100, 1500), every: '10ms' } }),
    ...ifAny(
      'hops',
      chance.maybe(0.4) ? chance.some(chance.whole(1, 2), (index) => drawHop(chance, index)) : [],
    ),
  }
}

function drawHop(chance: Chance, index: number): Document {
  const limit = chance.pick(['idle', 'lifetime', 'firstByte'])
  return {
    name: `hop-${index + 1}`,
    [limit]: seconds(chance, 5, 60),
    ...(chance.maybe(0.4) && { cut: chance.pick(['close', 'reset']) }),
    ...(chance.maybe(0.1) && { buffer: chance.whole(16, 400) }),
  }
}

const drawReceiver = (chance: Chance): Document => ({
  latency: chance.pick(LATENCIES),
  ...(chance.maybe(0.3) && { service: chance.pick(['10ms', '1s', '0ms..2s']) }),
  ...(chance.maybe(0.2) && { duplicate: '20%' }),
  ...(chance.maybe(0.2) && { reorder: '20%' }),
})

const drawClient = (chance: Chance): Document => ({
  ...(chance.maybe(0.6) && { idle: seconds(chance, 20, 60), firstByte: seconds(chance, 20, 60) }),
  ...(chance.maybe(0.3) && { clock: { rate: chance.pick([0.9, 1.1, 1.01]) } }),
})

// The faults

function drawFaults(chance: Chance): Document[] {
  return chance.maybe(0.7) ? chance.some(chance.whole(1, 3), () => drawFault(chance)) : []
}

function drawFault(chance: Chance): Document {
  const fromS = chance.whole(1, HEALED_AFTER_S - 1)
  const window = { from: `${fromS}s`, to: `${chance.whole(fromS + 1, HEALED_AFTER_S)}s` }
  const link = chance.pick(['network', 'receiver'])
  const host = chance.pick(['agent', 'receiver'])
  return chance.pick<() => Document>([
    () => ({ ...window, down: host }),
    () => ({ ...window, dns: host }),
    () => ({ ...window, partition: link }),
    () => ({ ...window, hold: link }),
    () => ({ ...window, loss: '30%', link }),
    () => ({ ...window, duplicate: '30%', link }),
    () => ({ ...window, delay: chance.pick(['1s', '0ms..3s']), link }),
    () => ({ ...window, answer: chance.pick([503, 429]), retryAfter: seconds(chance, 1, 5) }),
    () => ({ at: `${fromS}s`, cut: 'streams', as: chance.pick(['close', 'reset', 'silent']) }),
    () => ({
      at: `${fromS}s`,
      restart: 'agent',
      loses: chance.pick(['streams', 'streams', 'posts', 'tasks']),
    }),
    () => ({ ...window, restart: host }),
  ])()
}

// The policy

function drawPolicy(chance: Chance): string {
  return chance.pick<() => string>([
    () => drawPoll(chance),
    () => drawStream(chance),
    () => drawStream(chance),
    () => drawPush(chance),
    () => drawPush(chance),
    () => `blocking:${seconds(chance, 5, 60)}>${drawPoll(chance)}`,
    () => `${drawStream(chance)}>${drawPoll(chance)}`,
    () => `${drawPush(chance)}+${drawPoll(chance)}`,
    () => `${drawStream(chance)}+${drawPush(chance)}`,
    () => 'blocking',
  ])()
}

const wordOf = (kind: string, argumentsOf: readonly (string | false)[]): string => {
  const given = argumentsOf.filter((argument) => argument !== false)
  return given.length === 0 ? kind : `${kind}:${given.join(',')}`
}

const JITTERS = ['full', 'equal', 'decorrelated', '±25%', '+25%']

function drawPoll(chance: Chance): string {
  const grows = chance.maybe(0.3)
  return wordOf('poll', [
    grows ? `initial=${chance.pick(['500ms', '1s', '2s'])}` : seconds(chance, 1, 15),
    grows && `multiplier=${chance.pick([1.5, 2])}`,
    grows && `max=${seconds(chance, 5, 20)}`,
    chance.maybe(0.3) && `first=${chance.pick(['after', '3s', 'hint', 'random'])}`,
    chance.maybe(0.2) && 'waitFrom=request',
    chance.maybe(0.25) && grows && `jitter=${chance.pick(JITTERS)}`,
    chance.maybe(0.3) && `hint=${chance.pick(['interval', 'floor'])}`,
    chance.maybe(0.3) && `timeout=${seconds(chance, 5, 20)}`,
    chance.maybe(0.15) && 'slowDown=+1s',
    chance.maybe(0.1) && `attempts=${chance.whole(2, 30)}`,
    chance.maybe(0.1) && `budget=${seconds(chance, 10, 60)}`,
    chance.maybe(0.1) && `hold=${seconds(chance, 2, 20)}`,
  ])
}

function drawStream(chance: Chance): string {
  const reconnect = chance.maybe(0.8)
  return wordOf('stream', [
    chance.maybe(0.3) && `heartbeat=${seconds(chance, 1, 20)}`,
    chance.maybe(0.4) && `watchdog=${seconds(chance, 10, 40)}`,
    reconnect && `reconnect=${chance.pick(['1s', '3s', '500ms', '2s', '1s/2s/4s/8s/16s'])}`,
    reconnect && chance.maybe(0.3) && `reconnect.jitter=${chance.pick(['full', 'equal', '±25%'])}`,
    reconnect && chance.maybe(0.2) && `resume=${chance.pick(['cursor', 'live'])}`,
    chance.maybe(0.1) && 'cleanClose=finish',
    chance.maybe(0.3) && `timeout=${seconds(chance, 5, 20)}`,
  ])
}

const drawPush = (chance: Chance): string =>
  wordOf('push', [
    chance.maybe(0.6) && `retry=${chance.pick(['none', '2s', '5s', '1s/5s/30s/60s', '10s*9'])}`,
    chance.maybe(0.3) && `timeout=${seconds(chance, 2, 10)}`,
    chance.maybe(0.2) && `events=${chance.pick(['status', 'pauses-and-final', 'final'])}`,
    chance.maybe(0.2) && `get=${chance.pick(['final', 'each'])}`,
    chance.maybe(0.2) && 'register=after-reply',
    chance.maybe(0.1) && 'ordered=false',
  ])
