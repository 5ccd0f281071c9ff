/** The world of a scenario without texts and promises: one agent, one receiver, and as many clients as come. */
import { schedule } from '../../faults/acts.ts'
import { timed, type TimedFault } from '../../faults/conditions.ts'
import { conditionsWith, pathsOf } from '../../faults/roads.ts'
import { leastUs } from '../../kernel/distribution.ts'
import type { RandomStream } from '../../kernel/random.ts'
import { skewedTime } from '../../kernel/skewed-clock.ts'
import type { ProcessWorld } from '../../mechanisms/client-world.ts'
import { ClientError, type Ending } from '../../mechanisms/mechanism.ts'
import { run, type Process, type Running } from '../../mechanisms/process.ts'
import { type Connections, createConnections } from '../../path/connections.ts'
import type { Path } from '../../path/path.ts'
import { createPlaces } from '../../path/places.ts'
import { createRoute } from '../../path/route.ts'
import type { Policy } from '../../policies/policy.ts'
import type { Channel } from '../../records/record.ts'
import { agentWith } from '../../scenario/choices.ts'
import type { AgentSettings, Scenario } from '../../scenario/scenario.ts'
import { createLeanAgent } from './agent.ts'
import { createLeanClient } from './client.ts'
import type { LeanJournal } from './journal.ts'
import { createLeanKnowledge } from './knowledge.ts'
import type { Customer } from './messages.ts'
import type { LeanJob } from './moments.ts'
import { type Asking, createLeanNetwork } from './network.ts'
import { createLeanReceiver } from './receiver.ts'
import { type LeanSizes, USUAL_SIZES } from './sizes.ts'
import type { LeanClock } from './time.ts'

/** What all worlds of a scenario have in common. */
export interface LeanScenario {
  scenario: Scenario
  settings: AgentSettings
  toAgent: Path
  toReceiver: Path
  /** How long what is read on a channel was on its way at least. */
  wayUs: (by: Channel) => number
  sizes: LeanSizes
}

/** @param policy what the agent does by choice, where the client's policy says it */
export function leanScenario(
  scenario: Scenario,
  policy: Policy | undefined,
  sizes: LeanSizes = USUAL_SIZES,
): LeanScenario {
  const pathOf = pathsOf(scenario)
  const networkUs = leastUs(scenario.network.latency.down)
  const receiverUs = scenario.receiver === 'none' ? 0 : leastUs(scenario.receiver.latency.up)
  return {
    scenario,
    settings: agentWith(scenario.agent, policy),
    toAgent: pathOf('client', 'agent'),
    toReceiver: pathOf('agent', 'receiver'),
    wayUs: (by) => (by === 'push' ? receiverUs : networkUs),
    sizes,
  }
}

/** A client that comes in. */
export interface LeanComer {
  job: LeanJob
  process: (world: ProcessWorld) => Process<Ending>
  /** Chance of the client's own, one stream for each purpose. */
  random: (purpose: string) => RandomStream
  journal: LeanJournal
}

/** A client in the world. */
export interface LeanGuest {
  /** Whether its process has come to an end. What the agent does about its task may go on. */
  hasEnded(): boolean
  /** Its connections to the agent are recorded as they stand, and its tasks are forgotten. To be called when nothing of its is under way any more. */
  leave(): void
}

export interface LeanWorld {
  /** A client begins now. */
  join(comer: LeanComer): LeanGuest
  /** The agent has nothing more to do by itself. */
  agentIsIdle(): boolean
  /** No post is being worked on. */
  receiverIsIdle(): boolean
  /** No exchange is under way. */
  networkIsSettled(): boolean
  /** The run is over: exchanges still open are recorded as they stand, and all connections. */
  close(journal: LeanJournal): void
}

/** @param random one stream for each purpose of ways, faults, agent and receiver */
export function createLeanWorld(
  { scenario, settings, toAgent, toReceiver, wayUs, sizes }: LeanScenario,
  clock: LeanClock,
  random: (purpose: string) => RandomStream,
): LeanWorld {
  const faults = scenario.faults.length === 0 ? NO_FAULTS : timed(scenario.faults, random)
  const conditions = conditionsWith(faults, scenario)
  const network = createLeanNetwork({ clock, conditions, sizes })
  const receiver = createLeanReceiver(scenario.receiver, { clock, random })
  const posting: Asking = {
    party: 'agent',
    host: receiver,
    route: createRoute('agent', 'receiver', toReceiver, { conditions, random }),
    connections: createConnections(),
    places: undefined,
  }
  const agent = createLeanAgent({
    clock,
    settings,
    random,
    sizes,
    post: (request, asker) => network.begin(posting, request, asker),
  })
  const route = createRoute('client', 'agent', toAgent, { conditions, random })
  const ownClock = skewedTime(clock, scenario.client.clock)
  const offers = { streaming: settings.streaming !== false, push: settings.push !== false }
  const most = scenario.client.connections
  /** Those of the first client are the agent's as well, so that a run of one tells all of them in the order they opened. */
  const everybodys = new Set<Connections>([posting.connections])
  let customers = 0

  if (faults.length > 0)
    schedule(clock, faults, {
      agentFirst: () => agent.catchUp(),
      cutStreams: (how) => network.cutStreams(how),
      restart(host, loses) {
        network.disconnect(host, everybodys)
        if (host === 'agent') agent.restart(loses)
      },
    })

  return {
    join({ job, process, random: ownRandom, journal }) {
      const knowledge = createLeanKnowledge(job.moments, journal, wayUs)
      const customer: Customer = {
        number: ++customers,
        journal,
        job,
        happened: (update, atUs) => knowledge.happened(update, atUs),
        hadBy: new Map(),
      }
      const connections = customer.number === 1 ? posting.connections : createConnections()
      everybodys.add(connections)
      const world = createLeanClient({
        clock,
        ownClock,
        network,
        asking: {
          party: 'client',
          host: agent,
          route,
          connections,
          places: most === undefined ? undefined : createPlaces(most),
        },
        customer,
        receiver,
        knowledge,
        journal,
        binding: settings.binding,
        offers,
        fetchesCard: scenario.client.card === 'fetch',
        random: ownRandom,
      })
      const running = run(process(world))
      let hasEnded = false
      function noteEnd(): void {
        hasEnded = true
        const ending = endingOf(running)
        if (ending.kind !== 'learned')
          journal.append({
            kind: 'gave-up',
            atUs: clock.nowUs(),
            outcome: ending.kind,
            reason: ending.reason,
          })
      }
      running.wake = noteEnd
      if (running.ready) noteEnd()
      return {
        hasEnded: () => hasEnded,
        leave() {
          agent.release(customer)
          if (connections === posting.connections || !everybodys.delete(connections)) return
          for (const record of connections.close(clock.nowUs())) journal.append(record)
        },
      }
    },
    agentIsIdle: () => agent.isIdle(),
    receiverIsIdle: () => receiver.isIdle(),
    networkIsSettled: () => network.isSettled(),
    close(journal) {
      network.close()
      for (const connections of everybodys)
        for (const record of connections.close(clock.nowUs())) journal.append(record)
    },
  }
}

const NO_FAULTS: readonly TimedFault[] = []

/** What a client could not go on after is how it failed; any other error is ours, and no result. */
function endingOf(running: Running<Ending>): Ending {
  try {
    return running.take()
  } catch (error) {
    if (error instanceof ClientError) return { kind: 'failed', reason: error.message }
    throw error
  }
}
