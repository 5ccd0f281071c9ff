import type { Chance } from '../chance.ts'
import { ifAny, seconds, type Document } from '../document.ts'

export function drawWorld(chance: Chance): Document {
  return {
    agent: {
      binding: chance.pick(['HTTP+JSON', 'JSONRPC']),
      ...(chance.maybe(0.4) && { streaming: drawStreaming(chance) }),
      ...(chance.maybe(0.3) && { polling: drawPolling(chance) }),
      ...(chance.maybe(0.05) && { quota: drawQuota(chance) }),
      ...(chance.maybe(0.05) && { ttl: drawTtl(chance) }),
    },
    ...(chance.maybe(0.7) && { network: drawNetwork(chance) }),
    ...(chance.maybe(0.5) && { receiver: drawReceiver(chance) }),
    ...(chance.maybe(0.5) && { client: drawClient(chance) }),
  }
}

const drawStreaming = (chance: Chance): Document => ({
  ...(chance.maybe(0.5) && { heartbeat: seconds(chance, 1, 20) }),
  ...(chance.maybe(0.3) && { replay: chance.pick(['all', '20s']) }),
  ...(chance.maybe(0.4) && { lifetime: seconds(chance, 5, 60) }),
  ...(chance.maybe(0.2) && { retryHint: seconds(chance, 1, 5) }),
  ...(chance.maybe(0.2) && { flush: 'first-update' }),
  ...(chance.maybe(0.1) && { closeOnInput: false }),
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

const drawQuota = (chance: Chance): Document => ({
  rate: chance.pick(['1/s', '2/s', '10/m']),
  burst: chance.whole(1, 5),
  per: chance.pick(['all', 'client', 'task']),
  ...(chance.maybe(0.5) && { retryAfter: seconds(chance, 1, 5) }),
})

const drawTtl = (chance: Chance): Document => ({
  after: seconds(chance, 10, 120),
  from: chance.pick(['creation', 'completion']),
})

const LATENCIES = ['0', '20ms', '50ms', '1ms..300ms', 'exponential:80ms', 'lognormal:p50=40ms,p95=300ms']

function drawNetwork(chance: Chance): Document {
  return {
    latency: chance.pick(LATENCIES),
    ...(chance.maybe(0.1) && { dribble: { octets: chance.whole(100, 1500), every: '10ms' } }),
    ...(chance.maybe(0.05) && { loss: chance.pick(['1%', '5%']) }),
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
    ...(chance.maybe(0.5) && { cut: chance.pick(['close', 'reset', 'silent']) }),
    ...(chance.maybe(0.1) && { buffer: chance.whole(16, 400) }),
    ...(chance.maybe(0.05) && {
      connections: chance.whole(1, 2),
      full: { answer: chance.pick([503, 429, 'refuse', 'wait']) },
    }),
  }
}

const drawReceiver = (chance: Chance): Document => ({
  latency: chance.pick(LATENCIES),
  ...(chance.maybe(0.4) && { service: chance.pick(['10ms', '1s', '3s', '0ms..2s', '0ms..8s']) }),
  ...(chance.maybe(0.3) && { duplicate: chance.pick(['20%', '50%']) }),
  ...(chance.maybe(0.2) && { reorder: '20%' }),
  ...(chance.maybe(0.1) && { handlers: chance.whole(1, 2), queue: chance.whole(0, 2) }),
  ...(chance.maybe(0.1) && { accepts: 'known' }),
})

const drawClient = (chance: Chance): Document => ({
  ...(chance.maybe(0.6) && { idle: seconds(chance, 20, 60), firstByte: seconds(chance, 20, 60) }),
  ...(chance.maybe(0.3) && { clock: { rate: chance.pick([0.9, 1.1, 1.01]) } }),
  ...(chance.maybe(0.1) && { card: 'fetch' }),
})
