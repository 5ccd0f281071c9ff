/** A scenario as far as the model of a stream through hops knows the world. */
import { type Distribution, meanUs } from '../kernel/distribution.ts'
import { randomStream } from '../kernel/random.ts'
import type { ModelUpdate } from '../mechanisms/streaming/agent-stream.ts'
import type { HopWorld } from '../mechanisms/streaming/hop-model.ts'
import type { StreamPolicy } from '../policies/policy.ts'
import type { Content, Job, Scenario, Update } from '../scenario/scenario.ts'

/** Changes as in a job without pauses: what follows a pause counts from its end, learned of at once. */
export function updatesOf({ updates, afterPauses }: Job): readonly Update[] {
  const all = [...updates]
  for (const leg of afterPauses) {
    const resumedUs = (all.at(-1)?.atUs ?? 0) + leg.resumeAfterUs
    all.push(...leg.updates.map((update) => ({ ...update, atUs: resumedUs + update.atUs })))
  }
  return all
}

/** @throws RangeError if the scenario's agent does not stream */
export function hopWorldOf(scenario: Scenario, policy: StreamPolicy): HopWorld {
  const { job, agent, network, client, seed, horizonUs } = scenario
  if (agent.streaming === false) throw new RangeError("this scenario's agent does not stream")
  const { heartbeat, flush, lifetime, replayUs, retryHintUs } = agent.streaming
  return {
    updates: updatesOf(job).map(modelled),
    ends: job.durationUs !== undefined,
    upUs: usualUs(network.latency.up),
    downUs: usualUs(network.latency.down),
    horizonUs,
    agent: { heartbeat: policy.heartbeat ?? heartbeat, flush, lifetime, replayUs, retryHintUs },
    hops: network.hops,
    limits: client,
    random: (purpose) => randomStream(seed, purpose),
  }
}

/** What of a scenario the model does not know, for people; empty if it knows all that matters to a stream. */
export function leftOut({ job, network, faults, client, agent }: Scenario): readonly string[] {
  const random = ({ of }: Distribution) => of !== 'fixed'
  const things: [boolean, string][] = [
    [random(network.latency.up) || random(network.latency.down), 'latency varies: its mean is used'],
    [network.loss > 0, 'loss'],
    [network.dribble !== undefined, 'answers that come in pieces'],
    [faults.length > 0, 'faults'],
    [agent.quotas.length > 0, 'quotas'],
    [agent.ttl !== undefined, 'the deletion of tasks'],
    [client.clock.rate !== 1, "the client's own clock"],
    [job.afterPauses.length > 0, 'that streams end when the task asks'],
  ]
  return things.filter(([there]) => there).map(([, thing]) => thing)
}

const usualUs = (latency: Distribution): number => Math.round(meanUs(latency))

/** An event of the stream without what it says, roughly: ids, state, timestamp and their names. */
const EVENT_OCTETS = 300

function modelled({ atUs, change }: Update): ModelUpdate {
  return { atUs, of: change.of, octets: EVENT_OCTETS + octetsOf(change.content) }
}

function octetsOf(content: Content | undefined): number {
  if (content === undefined) return 0
  if ('octets' in content) return content.octets
  return JSON.stringify('text' in content ? content.text : content.data).length
}
