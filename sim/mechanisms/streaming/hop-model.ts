/**
 * A stream through hops, computed without a wire: which hop cuts when, what the
 * client does about it by the same decisions as in life, and when it learns
 * what. Latency is fixed, nothing is lost, the agent answers at once.
 */
import type { RandomStream } from '../../kernel/random.ts'
import type { ClientLimits, Hop } from '../../policies/middlebox.ts'
import type { StreamPolicy } from '../../policies/policy.ts'
import {
  agentStream,
  type AgentStreaming,
  countAt,
  type ModelUpdate,
  replays,
  type Said,
} from './agent-stream.ts'
import { type Heard, listenTo, type ModelExchange } from './listening.ts'
import { throughHops } from './passage.ts'
import { createReconnects } from './policy.ts'

/** Instants count from the send, as everywhere in models. */
export interface HopWorld {
  /** Ascending, counted from the instant the agent receives the send; the last is the end of the task if it `ends`. */
  updates: readonly ModelUpdate[]
  ends: boolean
  upUs: number
  downUs: number
  horizonUs: number
  agent: AgentStreaming
  /** From the client. */
  hops: readonly Hop[]
  limits: ClientLimits | undefined
  /** When the client subscribes to a task that another has begun; absent: it makes the send, at 0. */
  followsFromUs?: number
  random(purpose: string): RandomStream
}

export interface HopRun {
  exchanges: readonly ModelExchange[]
  /** What was learned, in order. */
  learned: readonly { atUs: number; updates: readonly number[]; by: 'stream' | 'poll' }[]
  /** When the end was. */
  learnedUs: number | undefined
  gaveUp: { atUs: number; outcome: 'failed' | 'not-learned'; reason: string } | undefined
}

export function streamThroughHops(policy: StreamPolicy, world: HopWorld): HopRun {
  const { agent, upUs, downUs, horizonUs, limits, followsFromUs } = world
  const updates = world.updates.map((update) => ({ ...update, atUs: update.atUs + upUs }))
  const last = world.ends ? updates.length - 1 : undefined
  const knowledge = createKnowledge(updates)
  const reconnects = createReconnects(policy, world.random('reconnect'), followsFromUs ?? 0)
  const lifetimes = world.random('agent stream lifetime')
  const exchanges: ModelExchange[] = []
  let known = followsFromUs !== undefined
  /** Updates that streams have told of, for a client that resumes with a cursor. */
  let cursor: number | undefined

  function open(startUs: number, timeoutUs: number | undefined): Heard {
    const fresh = !known
    const subscription = { atUs: startUs + upUs, cursor: policy.resume === 'cursor' ? cursor : undefined }
    const operation = fresh ? 'SendStreamingMessage' : 'SubscribeToTask'
    const over = last !== undefined && (updates[last] as ModelUpdate).atUs <= subscription.atUs
    if (!fresh && over && !replays(updates, agent, subscription)) return refused(startUs)

    const written = agentStream(updates, last, agent, subscription, lifetimes)
    return listenTo(throughHops(world.hops, subscription.atUs, written), {
      operation,
      startUs,
      downUs,
      horizonUs,
      limits,
      watchdogUs: policy.watchdogUs,
      timeoutUs,
      opened: (atUs) => reconnects.opened(atUs),
      hears(said, atUs) {
        if (said.of === 'heartbeat') return
        known = true
        if (agent.retryHintUs !== undefined) reconnects.hinted(agent.retryHintUs)
        if (said.of === 'update' || fresh || policy.resume !== 'live') knowledge.hears(said, atUs)
        cursor = said.of === 'update' ? said.update + 1 : said.upTo
      },
    })
  }

  /** The agent does not stream a task that is over. It answers at once, so no hop has time to cut. */
  function refused(startUs: number): Heard {
    const failure = { of: 'answer', status: UNSUPPORTED, retryAfterUs: undefined } as const
    const exchange = answered('SubscribeToTask', startUs, UNSUPPORTED)
    const { endUs } = exchange
    return {
      exchange,
      end: endUs === undefined ? undefined : { of: 'refused', failure, why: 'the task is over', atUs: endUs },
    }
  }

  function answered(operation: ModelExchange['operation'], startUs: number, status: number): ModelExchange {
    const atUs = startUs + upUs + downUs
    const request = {
      operation,
      startUs,
      cut: undefined,
      silentSinceUs: undefined,
      events: [],
      heartbeats: [],
    }
    return atUs < horizonUs
      ? { ...request, endUs: atUs, status, outcome: 'complete' }
      : { ...request, endUs: undefined, status: undefined, outcome: 'open' }
  }

  function look(startUs: number): void {
    const exchange = answered('GetTask', startUs, 200)
    exchanges.push(exchange)
    if (exchange.endUs !== undefined)
      knowledge.hears({ of: 'snapshot', upTo: countAt(updates, startUs + upUs) }, exchange.endUs, 'poll')
  }

  function run(): HopRun['gaveUp'] {
    let startUs = followsFromUs ?? 0
    let { timeoutUs } = policy
    while (startUs < horizonUs) {
      const { exchange, end } = open(startUs, timeoutUs)
      exchanges.push(exchange)
      if (end === undefined || (last !== undefined && knowledge.knows(last))) return undefined
      // A stream that nobody cut and that ends before its task: then the agent did.
      if (end.of === 'closed') exchange.cut ??= { by: 'agent', atUs: end.atUs - downUs, why: 'lifetime' }
      const step = reconnects.after(end, { atUs: end.atUs, known })
      switch (step.do) {
        case 'look':
          look(end.atUs)
          return undefined
        case 'stop':
          return { atUs: end.atUs, outcome: step.outcome, reason: step.reason }
        case 'reopen':
          startUs = end.atUs + step.afterUs
          timeoutUs = policy.reconnect?.timeoutUs ?? policy.timeoutUs
      }
    }
    return undefined
  }

  const gaveUp = run()
  const { learned } = knowledge
  const learnedUs = learned.find((one) => last !== undefined && one.updates.includes(last))?.atUs
  return { exchanges, learned, learnedUs, gaveUp }
}

/** The HTTP status of UnsupportedOperation. */
const UNSUPPORTED = 400

/** What the client knows of the updates. */
function createKnowledge(updates: readonly ModelUpdate[]) {
  const unknown = new Set(updates.keys())
  const learned: { atUs: number; updates: number[]; by: 'stream' | 'poll' }[] = []
  return {
    learned,
    knows: (update: number) => !unknown.has(update),
    hears(said: Exclude<Said, { of: 'heartbeat' }>, atUs: number, by: 'stream' | 'poll' = 'stream'): void {
      const tells = (update: number): boolean => {
        if (said.of === 'snapshot') return update < said.upTo
        // A status replaces the ones before it.
        const isStatus = updates[said.update]?.of === 'status' && updates[update]?.of === 'status'
        return update === said.update || (isStatus && update < said.update)
      }
      const news: number[] = []
      for (const update of unknown) {
        if (update > (said.of === 'snapshot' ? said.upTo : said.update)) break
        if (tells(update)) news.push(update)
      }
      for (const update of news) unknown.delete(update)
      if (news.length > 0) learned.push({ atUs, updates: news, by })
    },
  }
}
