import type { Agent } from '../agent/agent.ts'
import { schedule } from '../faults/acts.ts'
import { timed } from '../faults/conditions.ts'
import type { Clock } from '../kernel/clock.ts'
import { randomStream } from '../kernel/random.ts'
import { inVirtualTime, type Leftovers } from '../kernel/virtual-time.ts'
import { waitFor } from '../kernel/wait.ts'
import { runMechanism } from '../mechanisms/over-client.ts'
import type { ClientWorld } from '../mechanisms/a2a-world.ts'
import { ClientError, type Ending } from '../mechanisms/mechanism.ts'
import { rowOf } from '../metrics/row-of.ts'
import type { Row } from '../metrics/row.ts'
import { createNetwork, type NetworkOptions, type Wire } from '../network/wire.ts'
import type { Policy } from '../policies/policy.ts'
import { operationOf, saysOf } from '../protocol/operations.ts'
import { createJournal, type Journal } from '../records/journal.ts'
import type { RunRecord } from '../records/record.ts'
import { titleOf } from '../scenario/index.ts'
import type { MechanismEntry, Scenario } from '../scenario/scenario.ts'
import { HOOKS_PATH } from './receiver.ts'
import { conditionsWith, pathsOf } from '../faults/roads.ts'
import { createWorld } from './world.ts'

/** What one run left behind. */
export interface Played {
  records: readonly RunRecord[]
  /** When the last exchange had settled, or the horizon. */
  endUs: number
  /** What was still pending at the end; nothing unless the horizon came first. */
  leftovers: Leftovers
}

/** One run: one scenario, one mechanism, one seed. */
export interface Replay extends Played {
  row: Row
}

/**
 * Replays a scenario with one mechanism: the official client against the
 * imitation agent over the metered wire, in virtual time.
 *
 * @throws DeadlockError if everybody waits for somebody else
 * @throws Error if the client read what the agent never said
 */
export async function replay(scenario: Scenario, entry: MechanismEntry): Promise<Replay> {
  const played = await play(scenario, (world) => runMechanism(world, entry.policy), entry.policy)
  const mechanism = entry.label ?? titleOf(entry.policy)
  const row = rowOf({ mechanism, policy: entry.word, records: played.records, endUs: played.endUs })
  return { row, ...played }
}

/** A client in the scenario's world. One that takes no `fetch` reaches the network by interception. */
export type Program = (world: ClientWorld, network: Wire, agent: Agent) => Promise<Ending>

/**
 * Plays a scenario with any client.
 *
 * @param policy what the agent does by choice, where the client's policy says it
 * @throws DeadlockError if everybody waits for somebody else
 * @throws Error if the client observed what the agent never said
 */
export async function play(scenario: Scenario, program: Program, policy?: Policy): Promise<Played> {
  const journal = createJournal()
  const random = (purpose: string) => randomStream(scenario.seed, purpose)
  const end = await inVirtualTime({ horizonUs: scenario.horizonUs }, async (clock, signal) => {
    const faults = timed(scenario.faults, random)
    const network = createNetwork({
      clock,
      journal,
      random,
      path: pathsOf(scenario),
      conditions: conditionsWith(faults, scenario),
      describe: { operation: operationNameOf, event: saysOf },
    })
    // At the horizon exchanges are recorded as they stand, before their clients let go of them.
    signal.addEventListener('abort', () => network.close(), { once: true })
    const { world, agent, idle, fault } = createWorld(scenario, policy, { clock, signal, network, journal })
    const callOffFaults = schedule(clock, faults, {
      agentFirst: () => agent.catchUp(),
      cutStreams: (how) => network.cutStreams(how),
      restart(host, loses) {
        network.disconnect(host)
        if (host === 'agent') agent.restart(loses)
      },
    })
    const running = endingOf(program(world, network, agent))
    const ending = await (mayHang(scenario) ? untilHorizon(clock, running, signal) : running)
    const broken = fault()
    if (broken !== undefined) throw broken
    if (signal.aborted) return
    if (ending.kind !== 'learned') recordGivingUp(ending, clock, journal)
    await over(clock, idle, network, signal)
    callOffFaults()
    network.close()
  })
  return { records: journal.records(), endUs: end.atUs, leftovers: end.leftovers }
}

/** What is lost or cut in silence, or never finds room, may be waited for to the end of the run; anywhere else a wait without end is a deadlock, and ours. */
const mayHang = ({ agent, faults, network }: Scenario): boolean =>
  faults.length > 0 || network.loss > 0 || network.hops.length > 0 || agent.capacity !== undefined

/** What the client comes to, or nothing if the horizon comes first: then nobody looks. */
const untilHorizon = (clock: Clock, running: Promise<Ending>, signal: AbortSignal): Promise<Ending> =>
  waitFor(clock, running, 'the client waits for what may never come', signal).catch((error: unknown) => {
    if (!signal.aborted) throw error
    return running
  })

/**
 * The world goes on without the client: the run is over when the agent has
 * nothing more to do by itself, no post is worked on and nothing is on its way. So all rows of a table
 * have lived through the same job, and posts between two retries are counted.
 */
async function over(
  clock: Clock,
  idle: () => Promise<void>,
  network: Wire,
  signal: AbortSignal,
): Promise<void> {
  try {
    await waitFor(clock, idle(), 'the agent is not done with its task', signal)
    await network.settled()
    // A post that its sender had given up may have come just now.
    await waitFor(clock, idle(), 'the receiver is not done with a late post', signal)
  } catch (error) {
    // The horizon came first.
    if (!signal.aborted) throw error
  }
}

/** Webhook posts are no operation of the agent; their address tells them. */
const operationNameOf: NetworkOptions['describe']['operation'] = (method, pathAndQuery, body) =>
  pathAndQuery.startsWith(HOOKS_PATH) ? 'webhook' : operationOf(method, pathAndQuery, body)

/** What a client could not go on after is how its run failed; any other error is ours, and no result. */
const endingOf = (running: Promise<Ending>): Promise<Ending> =>
  running.catch((error: unknown) => {
    if (error instanceof ClientError) return { kind: 'failed', reason: error.message }
    throw error
  })

const recordGivingUp = (ending: Exclude<Ending, { kind: 'learned' }>, clock: Clock, journal: Journal): void =>
  journal.append({ kind: 'gave-up', atUs: clock.nowUs(), outcome: ending.kind, reason: ending.reason })
