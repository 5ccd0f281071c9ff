import { createAgent } from '../agent/agent.ts'
import { scenarioJob } from '../agent/behaviours/scenario-job.ts'
import type { Clock } from '../kernel/clock.ts'
import { idSource } from '../kernel/ids.ts'
import { randomStream } from '../kernel/random.ts'
import type { ClientWorld } from '../mechanisms/mechanism.ts'
import type { Handler, Network } from '../network/network.ts'
import type { Journal } from '../records/journal.ts'
import type { Scenario } from '../scenario/scenario.ts'
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
export function createWorld(scenario: Scenario, { clock, signal, network, journal }: Stage): World {
  const knowledge = createKnowledge(clock, journal, (by) =>
    by === 'push' ? 0 : scenario.network.latencyUs.down,
  )
  let thrown: unknown
  const watched =
    (handle: Handler): Handler =>
    (request) =>
      handle(request).catch((error: unknown) => {
        thrown ??= error
        throw error
      })

  const agent = createAgent({
    clock,
    journal,
    origin: AGENT_ORIGIN,
    behaviour: scenarioJob(scenario.job),
    settings: scenario.agent,
    ids: idSource(randomStream(scenario.seed, 'agent ids'), clock),
    fetch: network.fetchFrom('agent'),
    onMoment: knowledge.happened,
  })
  network.host(AGENT_ORIGIN, 'agent', watched(agent.handle))

  const secrets = randomStream(scenario.seed, 'receiver secrets')
  const world: ClientWorld = {
    clock,
    signal,
    fetch: network.fetchFrom('client'),
    card: agent.card,
    binding: scenario.agent.binding,
    request: requestOf(scenario.job.message, idSource(randomStream(scenario.seed, 'client ids'), clock)),
    observe: knowledge.observe,
    receive(accept) {
      const receiver = createReceiver(secrets, accept)
      network.host(RECEIVER_ORIGIN, 'receiver', watched(receiver.handle))
      return receiver.config
    },
  }
  return { world, fault: () => knowledge.fault() ?? thrown }
}
