import { type Agent, createAgent } from '../agent/agent.ts'
import { partOf } from '../agent/content.ts'
import { scenarioJob } from '../agent/behaviours/scenario-job.ts'
import type { Clock } from '../kernel/clock.ts'
import { leastUs } from '../kernel/distribution.ts'
import { idSource } from '../kernel/ids.ts'
import { randomStream } from '../kernel/random.ts'
import { skewedClock } from '../kernel/skewed-clock.ts'
import type { ClientWorld } from '../mechanisms/a2a-world.ts'
import type { Observation } from '../mechanisms/mechanism.ts'
import { connectionRefused, isRefusal, TurnedAway } from '../network/failures.ts'
import type { Handler, Network } from '../network/network.ts'
import type { Policy } from '../policies/policy.ts'
import type { Journal } from '../records/journal.ts'
import { agentWith } from '../scenario/choices.ts'
import type { Job, Scenario } from '../scenario/scenario.ts'
import { createKnowledge } from './knowledge.ts'
import { createReceiver, RECEIVER_ORIGIN } from './receiver.ts'
import { requestOf } from './request.ts'

/** Where the imitation agent lives. The length of the name is part of what every request costs. */
export const AGENT_ORIGIN = 'https://agent.example'

/** What a run is played on. */
export interface Stage {
  clock: Clock
  signal: AbortSignal
  network: Network
  journal: Journal
}

export interface World {
  world: ClientWorld
  agent: Agent
  /** Resolves when agent and receiver have nothing more to do. */
  idle: () => Promise<void>
  /**
   * Set once something of ours broke: agent or receiver threw, or client and
   * agent contradict each other. To the client that looks like a dead
   * connection, and the run means nothing then.
   */
  fault: () => unknown
}

/**
 * Puts the agent and the client's webhook address on the network and gives the
 * client's side of it. Every purpose draws from a random stream of its own, so
 * that two mechanisms see the same ids.
 */
export function createWorld(
  scenario: Scenario,
  policy: Policy | undefined,
  { clock, signal, network, journal }: Stage,
): World {
  const random = (purpose: string) => randomStream(scenario.seed, purpose)
  const clientIds = idSource(random('client ids'), clock)
  const waysUs = {
    network: leastUs(scenario.network.latency.down),
    receiver: scenario.receiver === 'none' ? 0 : leastUs(scenario.receiver.latency.up),
  }
  const knowledge = createKnowledge(
    clock,
    journal,
    (by) => (by === 'push' ? waysUs.receiver : waysUs.network),
    answersTo(scenario.job, clientIds),
  )
  let thrown: unknown
  const watched =
    (handle: Handler): Handler =>
    (request) =>
      handle(request).catch((error: unknown) => {
        if (!isRefusal(error) && !(error instanceof TurnedAway)) thrown ??= error
        throw error
      })

  const agent = createAgent({
    clock,
    journal,
    origin: AGENT_ORIGIN,
    behaviour: scenarioJob(scenario.job),
    settings: {
      ...agentWith(scenario.agent, policy),
      errorProfile: scenario.agent.errorProfile,
      // A network that delivers a send twice must not begin a second job.
      recognisesRepeats: true,
    },
    hintsPolls: scenario.job.pollHintUs !== undefined,
    ids: idSource(random('agent ids'), clock),
    random,
    fetch: network.fetchFrom('agent'),
    turnedAway: ({ answer, retryAfterUs }) =>
      answer === 'refuse' || answer === 'wait' ? connectionRefused() : new TurnedAway(answer, retryAfterUs),
    onMoment: knowledge.happened,
  })
  network.host(AGENT_ORIGIN, 'agent', watched(agent.handle))

  let knowsTask = false
  const receiver = createReceiver(scenario.receiver, { clock, random, knowsTask: () => knowsTask })
  network.host(RECEIVER_ORIGIN, 'receiver', watched(receiver.handle))

  const world: ClientWorld = {
    clock: skewedClock(clock, scenario.client.clock),
    signal,
    fetch: network.fetchFrom('client'),
    exchangeOf: (response) => network.exchangeOf(response),
    card: agent.card,
    fetchesCard: scenario.client.card === 'fetch',
    binding: scenario.agent.binding,
    request: requestOf(scenario.job.message, clientIds),
    random,
    observe(change, by, exchange) {
      knowsTask ||= by !== 'push'
      return knowledge.observe(change, by, exchange)
    },
    handOver: (to, reason) => journal.append({ kind: 'hand-over', atUs: clock.nowUs(), to, reason }),
    receive: (accept) => receiver.open((body, post) => accept(body, network.exchangeOf(post))),
  }
  const idle = async () => {
    await agent.idle()
    await receiver.idle()
  }
  return { world, agent, idle, fault: () => knowledge.fault() ?? thrown }
}

/** What the user answers to a question, by the number of the update that asks it. */
function answersTo(job: Job, ids: () => string): (update: number) => Observation['asks'] {
  const answers = new Map<number, Observation['asks']>()
  let updates = job.updates
  let before = 0
  for (const leg of job.afterPauses) {
    before += updates.length
    const pause = updates.at(-1)?.change
    if (pause?.of === 'status' && pause.state === 'input-required') {
      const parts = [partOf(leg.content ?? DEFAULT_ANSWER)]
      answers.set(before - 1, {
        afterUs: leg.resumeAfterUs,
        message: { messageId: ids(), role: 'ROLE_USER', parts },
      })
    }
    // That the task is worked on again is an update of its own.
    before += 1
    updates = leg.updates
  }
  return (update) => answers.get(update)
}

const DEFAULT_ANSWER = { text: 'Yes, please.' }
