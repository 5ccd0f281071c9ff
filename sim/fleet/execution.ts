/** Which execution computes a policy in a scenario, and why it gives exactly what the others would. */
import { isFixed } from '../kernel/distribution.ts'
import { spellDuration } from '../kernel/units.ts'
import type { Policy, PollPolicy } from '../policies/policy.ts'
import { singlesOf } from '../policies/singles.ts'
import type { JobPlan } from '../scenario/job-plan.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { type FixedSchedule, fixedSchedule } from './schedule.ts'
import { connectionUse, type ConnectionUse } from './sweep/connections.ts'

/** Polls that can be looked up. */
export interface SweepExecution {
  name: 'sweep'
  why: string
  schedule: FixedSchedule
  upUs: number
  downUs: number
  connections: ConnectionUse
}

export type Execution =
  | SweepExecution
  /** `shared`: all tasks in one world; if not, one after the other. */
  | { name: 'lean'; why: string; shared: boolean }

/** What tasks have in common that one of them can take from another; `undefined` if there is nothing. */
export function sharedIn({ agent, network, receiver, client, fleet }: Scenario): string | undefined {
  if (agent.capacity !== undefined) return 'the agent’s handlers and connections'
  if (agent.quotas.some(({ per }) => per === 'all')) return 'a quota of requests'
  if (network.hops.some(({ connections }) => connections !== undefined)) return 'the places of a hop'
  if (receiver !== 'none') {
    if (receiver.handlers !== undefined || receiver.queue !== undefined) return 'the receiver’s handlers'
    if (receiver.hops.some(({ connections }) => connections !== undefined)) return 'the places of a hop'
  }
  if (fleet?.clients === undefined) return undefined
  if (client.connections !== undefined) return 'the connections of a client'
  return agent.quotas.some(({ per }) => per === 'client') ? 'a quota of requests of each client' : undefined
}

/** What of a fleet cannot be played yet, for people; `undefined` if all can. */
export function notPlayed({ fleet, client, agent }: Scenario, policy: Policy): string | undefined {
  for (const single of singlesOf(policy))
    if (single.kind === 'poll' && (single.scope !== 'task' || single.batch !== undefined))
      return `one timer for the tasks of a ${single.scope} (scope) is not played yet: scope=task is`
  if (fleet?.clients === undefined) return undefined
  if (client.connections !== undefined)
    return 'connections that several tasks of a client share are not played yet: leave fleet.clients out'
  if (agent.quotas.some(({ per }) => per === 'client'))
    return 'a quota that several tasks of a client share is not played yet: leave fleet.clients out'
  return undefined
}

/** @param policies those among whom the tasks of a row are shared; one, but for a mix */
export function executionOf(scenario: Scenario, policies: readonly Policy[]): Execution {
  const shared = sharedIn(scenario)
  if (shared !== undefined)
    return { name: 'lean', shared: true, why: `tasks share ${shared}: all of them in one event list` }
  const [only, ...others] = policies
  const sweep = only?.kind === 'poll' && others.length === 0 ? sweepOf(scenario, only) : undefined
  return (
    sweep ?? {
      name: 'lean',
      shared: false,
      why: 'tasks share nothing: one after the other, by the processes of the replay',
    }
  )
}

function sweepOf(scenario: Scenario, policy: PollPolicy): SweepExecution | undefined {
  const { fleet, network, agent, client } = scenario
  const { up, down } = network.latency
  if (fleet === undefined || !isQuiet(scenario) || policy.conditional || policy.first === 'random')
    return undefined
  if (!isFixed(up) || !isFixed(down)) return undefined
  const roundTripUs = up.us + down.us
  const limitUs = Math.min(
    client.timeoutUs ?? Infinity,
    client.firstByteUs ?? Infinity,
    client.idleUs ?? Infinity,
  )
  if (roundTripUs >= limitUs) return undefined
  const hints = agent.polling.hints
  const [firstJob] = fleet.jobs
  // Kinds may differ in how long they take and how often they tell of it.
  const isLikeFirst = ({ pollHintUs, result }: JobPlan): boolean =>
    pollHintUs === firstJob?.job.pollHintUs && result.length === firstJob?.job.result.length
  if (!fleet.jobs.every(({ job }) => isLikeFirst(job))) return undefined
  const schedule = fixedSchedule(policy, {
    upUs: up.us,
    downUs: down.us,
    asksAt: (ageUs) => ({
      hintUs: firstJob?.job.pollHintUs ?? hints.findLast(({ fromUs }) => fromUs <= ageUs)?.hintUs,
      retryAfterUs: undefined,
    }),
    asksSettleUs: hints.at(-1)?.fromUs ?? 0,
    hasUpdates: fleet.jobs.some(({ job }) => job.evenly > 0),
    horizonUs: Math.min(scenario.horizonUs, 2 ** 52),
  })
  // A hint that goes by Retry-After replaces waits instead of suggesting them.
  if (schedule === undefined || schedule.giveUp !== undefined || schedule.headUs.length === 0)
    return undefined
  if (agent.polling.hintVia === 'retry-after' && (hints.length > 0 || firstJob?.job.pollHintUs !== undefined))
    return undefined
  const connections = connectionUse(schedule, roundTripUs)
  if (connections === undefined) return undefined
  const why =
    schedule.headUs.length === 1
      ? `polls every ${spellDuration(schedule.tail.everyUs)}, known beforehand, and tasks share nothing: each is looked up`
      : 'polls are known beforehand and tasks share nothing: each is looked up in a table'
  return { name: 'sweep', why, schedule, upUs: up.us, downUs: down.us, connections }
}

/** Whether nothing can happen to a poll but its answer. */
function isQuiet({ faults, network, agent, client, fleet }: Scenario): boolean {
  return (
    faults.length === 0 &&
    network.loss === 0 &&
    network.dribble === undefined &&
    network.hops.every(({ connections }) => connections === undefined) &&
    agent.quotas.length === 0 &&
    agent.polling.minIntervalUs === undefined &&
    agent.ttl === undefined &&
    client.connections === undefined &&
    client.card === 'known' &&
    client.clock.rate === 1 &&
    // Jobs tell nothing but evenly and at their end.
    fleet?.jobs.every(({ job }) => job.updates.length === 0) === true
  )
}
