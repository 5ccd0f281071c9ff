/** One run in the lean world: one scenario, one client, and the records a replay of it would leave, but for octets. */
import { schedule } from '../../faults/acts.ts'
import { timed, type TimedFault } from '../../faults/conditions.ts'
import { conditionsWith, pathsOf } from '../../faults/roads.ts'
import { leastUs } from '../../kernel/distribution.ts'
import type { RandomStream } from '../../kernel/random.ts'
import { skewedTime } from '../../kernel/skewed-clock.ts'
import type { ProcessWorld } from '../../mechanisms/client-world.ts'
import { ClientError, type Ending } from '../../mechanisms/mechanism.ts'
import { run, type Process, type Running } from '../../mechanisms/process.ts'
import { createConnections } from '../../path/connections.ts'
import { createPlaces } from '../../path/places.ts'
import { createRoute } from '../../path/route.ts'
import type { Policy } from '../../policies/policy.ts'
import type { Channel, RunRecord } from '../../records/record.ts'
import { agentWith } from '../../scenario/choices.ts'
import type { Scenario } from '../../scenario/scenario.ts'
import { createLeanAgent } from './agent.ts'
import { createLeanClient } from './client.ts'
import type { LeanJournal } from './journal.ts'
import { createLeanKnowledge } from './knowledge.ts'
import { type LeanJob, leanJobOf } from './moments.ts'
import { type Asking, createLeanNetwork } from './network.ts'
import { createLeanReceiver } from './receiver.ts'
import { type LeanSizes, USUAL_SIZES } from './sizes.ts'
import { createLeanTime } from './time.ts'

/** What one run plays. */
export interface LeanRun {
  process: (world: ProcessWorld) => Process<Ending>
  /** One stream for each purpose: those the replay draws from. */
  random: (purpose: string) => RandomStream
  /** Where that is not the scenario's own. */
  job?: LeanJob
}

/** Plays one run. The result is when it was over, or the horizon. */
export type PlayLean = (run: LeanRun, journal: LeanJournal) => number

/**
 * Makes ready what all runs of a scenario have in common.
 *
 * @param policy what the agent does by choice, where the client's policy says it
 */
export function prepareLean(
  scenario: Scenario,
  policy: Policy | undefined,
  sizes: LeanSizes = USUAL_SIZES,
): PlayLean {
  const settings = agentWith(scenario.agent, policy)
  const scenarioJob = leanJobOf(scenario.job)
  const offers = { streaming: settings.streaming !== false, push: settings.push !== false }
  const pathOf = pathsOf(scenario)
  const toAgent = pathOf('client', 'agent')
  const toReceiver = pathOf('agent', 'receiver')
  const networkUs = leastUs(scenario.network.latency.down)
  const receiverUs = scenario.receiver === 'none' ? 0 : leastUs(scenario.receiver.latency.up)
  const wayUs = (by: Channel): number => (by === 'push' ? receiverUs : networkUs)

  return ({ process, random, job = scenarioJob }, journal) => {
    const { clock, run: letPass } = createLeanTime(scenario.horizonUs)
    const faults = scenario.faults.length === 0 ? NO_FAULTS : timed(scenario.faults, random)
    const conditions = conditionsWith(faults, scenario)
    const network = createLeanNetwork({ clock, journal, conditions, sizes })
    const knowledge = createLeanKnowledge(job.moments, journal, wayUs)
    const receiver = createLeanReceiver(scenario.receiver, {
      clock,
      random,
      knowsTask: () => client.knowsTask(),
    })
    const connections = createConnections()
    const posting: Asking = {
      party: 'agent',
      host: receiver,
      route: createRoute('agent', 'receiver', toReceiver, { conditions, random }),
      connections,
      places: undefined,
    }
    const agent = createLeanAgent({
      clock,
      journal,
      settings,
      job,
      random,
      sizes,
      post: (request, asker) => network.begin(posting, request, asker),
      happened: knowledge.happened,
    })
    const most = scenario.client.connections
    const asking: Asking = {
      party: 'client',
      host: agent,
      route: createRoute('client', 'agent', toAgent, { conditions, random }),
      connections,
      places: most === undefined ? undefined : createPlaces(most),
    }
    const client = createLeanClient({
      clock,
      ownClock: skewedTime(clock, scenario.client.clock),
      network,
      asking,
      receiver,
      knowledge,
      journal,
      binding: settings.binding,
      offers,
      fetchesCard: scenario.client.card === 'fetch',
      random,
    })
    if (faults.length > 0)
      schedule(clock, faults, {
        agentFirst: () => agent.catchUp(),
        cutStreams: (how) => network.cutStreams(how),
        restart(host, loses) {
          network.disconnect(host, connections)
          if (host === 'agent') agent.restart(loses)
        },
      })

    const running = run(process(client.world))
    let hasEnded = false
    function noteEnd(): void {
      hasEnded = true
      const ending = endingOf(running)
      if (ending.kind !== 'learned')
        journal.append({ kind: 'gave-up', atUs: clock.nowUs(), outcome: ending.kind, reason: ending.reason })
    }
    running.wake = noteEnd
    if (running.ready) noteEnd()

    // The world goes on without the client: agent, receiver and network come to rest in turn, and those that may begin anew once more.
    let rests = 0
    const isAtRest = (): boolean => {
      switch (rests) {
        case 0:
        case 3:
          return agent.isIdle()
        case 1:
        case 4:
          return receiver.isIdle()
        default:
          return network.isSettled()
      }
    }
    letPass(() => {
      if (!hasEnded) return false
      while (rests < 5 && isAtRest()) rests++
      return rests === 5
    })
    network.close()
    for (const record of connections.close(clock.nowUs())) journal.append(record)
    return clock.nowUs()
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

/** A journal that keeps every record: one for each exchange, nothing is folded. */
export function createLeanJournal(): LeanJournal & { records: RunRecord[] } {
  const records: RunRecord[] = []
  return {
    records,
    append: (record) => void records.push(record),
    tellNews(exchange, news) {
      const poll = records.findLast((record) => record.kind === 'exchange' && record.number === exchange)
      if (poll?.kind === 'exchange') poll.news = news
    },
  }
}
