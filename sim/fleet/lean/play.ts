/** One run in the lean world: one scenario, one client, and the records a replay of it would leave, but for octets. */
import { schedule } from '../../faults/acts.ts'
import { timed } from '../../faults/conditions.ts'
import { conditionsWith, pathsOf } from '../../faults/roads.ts'
import { leastUs } from '../../kernel/distribution.ts'
import type { RandomStream } from '../../kernel/random.ts'
import { skewedTime } from '../../kernel/skewed-clock.ts'
import type { ProcessWorld } from '../../mechanisms/client-world.ts'
import { ClientError, type Ending } from '../../mechanisms/mechanism.ts'
import { run, type Process } from '../../mechanisms/process.ts'
import { createConnections } from '../../path/connections.ts'
import { createPlaces } from '../../path/places.ts'
import { createRoutes } from '../../path/route.ts'
import type { Policy } from '../../policies/policy.ts'
import type { RunRecord } from '../../records/record.ts'
import { agentWith } from '../../scenario/choices.ts'
import type { Scenario } from '../../scenario/scenario.ts'
import { createLeanAgent } from './agent.ts'
import { createLeanClient } from './client.ts'
import type { LeanJournal } from './journal.ts'
import { createLeanKnowledge } from './knowledge.ts'
import { leanJobOf } from './moments.ts'
import { createLeanNetwork } from './network.ts'
import { createLeanReceiver } from './receiver.ts'
import { type LeanSizes, USUAL_SIZES } from './sizes.ts'
import { createLeanTime } from './time.ts'

export interface LeanRun {
  scenario: Scenario
  /** What the agent does by choice, where the client's policy says it. */
  policy: Policy | undefined
  process: (world: ProcessWorld) => Process<Ending>
  /** One stream for each purpose: those the replay draws from. */
  random: (purpose: string) => RandomStream
  sizes?: LeanSizes
}

/** @returns when the run was over, or the horizon */
export function playLean(
  { scenario, policy, process, random, sizes = USUAL_SIZES }: LeanRun,
  journal: LeanJournal,
): number {
  const { clock, run: letPass } = createLeanTime(scenario.horizonUs)
  const faults = timed(scenario.faults, random)
  const conditions = conditionsWith(faults, scenario)
  const network = createLeanNetwork({ clock, journal, conditions, sizes })
  const routeOf = createRoutes({ path: pathsOf(scenario), conditions, random })
  const job = leanJobOf(scenario.job)
  const waysUs = {
    network: leastUs(scenario.network.latency.down),
    receiver: scenario.receiver === 'none' ? 0 : leastUs(scenario.receiver.latency.up),
  }
  const knowledge = createLeanKnowledge(job.moments, journal, (by) =>
    by === 'push' ? waysUs.receiver : waysUs.network,
  )
  const settings = agentWith(scenario.agent, policy)
  const receiver = createLeanReceiver(scenario.receiver, {
    clock,
    random,
    knowsTask: () => client.knowsTask(),
  })
  const connections = createConnections()
  const posting = {
    party: 'agent' as const,
    host: receiver,
    route: routeOf('agent', 'receiver'),
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
  const asking = {
    party: 'client' as const,
    host: agent,
    route: routeOf('client', 'agent'),
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
    offers: { streaming: settings.streaming !== false, push: settings.push !== false },
    fetchesCard: scenario.client.card === 'fetch',
    random,
  })
  const callOffFaults = schedule(clock, faults, {
    agentFirst: () => agent.catchUp(),
    cutStreams: (how) => network.cutStreams(how),
    restart(host, loses) {
      network.disconnect(host, [connections])
      if (host === 'agent') agent.restart(loses)
    },
  })

  const running = run(process(client.world))
  let hasEnded = false
  function noteEnd(): void {
    hasEnded = true
    const ending = endingOf(running.take)
    if (ending.kind !== 'learned')
      journal.append({ kind: 'gave-up', atUs: clock.nowUs(), outcome: ending.kind, reason: ending.reason })
  }
  running.wake = noteEnd
  if (running.ready) noteEnd()

  // The world goes on without the client: agent, receiver and network come to rest in turn, and those that may begin anew once more.
  const rests = [agent.isIdle, receiver.isIdle, network.isSettled, agent.isIdle, receiver.isIdle]
  letPass(() => {
    if (!hasEnded) return false
    while (rests[0]?.() === true) rests.shift()
    return rests.length === 0
  })
  callOffFaults()
  network.close()
  for (const record of connections.close(clock.nowUs())) journal.append(record)
  return clock.nowUs()
}

/** What a client could not go on after is how it failed; any other error is ours, and no result. */
function endingOf(take: () => Ending): Ending {
  try {
    return take()
  } catch (error) {
    if (error instanceof ClientError) return { kind: 'failed', reason: error.message }
    throw error
  }
}

/** The records of a run, one for each exchange: nothing is folded. */
export function leanRecords(leanRun: LeanRun): { records: RunRecord[]; endUs: number } {
  const records: RunRecord[] = []
  const endUs = playLean(leanRun, {
    append: (record) => void records.push(record),
    tellNews(exchange, news) {
      const poll = records.findLast((record) => record.kind === 'exchange' && record.number === exchange)
      if (poll?.kind === 'exchange') poll.news = news
    },
  })
  return { records, endUs }
}
