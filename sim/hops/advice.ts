/** What a client or an agent can do about the hops of a scenario, in sentences. */
import { formatDuration, spellDuration, US_PER_SECOND } from '../kernel/units.ts'
import type { StreamPolicy } from '../policies/policy.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { updatesOf } from './hop-world.ts'

/** One limit of somebody on the way. */
interface Limit {
  name: string
  us: number
}

/** Three quarters of a limit, in whole seconds where it has that many: what varies on the way needs some room. */
function safelyUnder(idleUs: number): number {
  const us = Math.floor(idleUs * 0.75)
  return us < US_PER_SECOND ? us : us - (us % US_PER_SECOND)
}

/** Sentences in the order of what to do first; empty if nothing on the way cuts this job's streams. */
export function adviceFor(scenario: Scenario, policy: StreamPolicy): readonly string[] {
  const { client, network, agent, job, horizonUs } = scenario
  const places = [
    { ...client, name: client.name ?? 'the client', lifetimeUs: client.timeoutUs },
    ...network.hops,
  ]
  const limitsBy = (limit: 'idleUs' | 'firstByteUs' | 'lifetimeUs'): Limit[] =>
    places.flatMap((place) => {
      const us = place[limit]
      return us === undefined ? [] : [{ name: place.name, us }]
    })
  const instants = updatesOf(job).map(({ atUs }) => atUs)
  const lastUs = job.durationUs === undefined ? horizonUs : (instants.at(-1) ?? 0)
  const silences = [0, ...instants, lastUs].map((atUs, i, all) => (all[i + 1] ?? atUs) - atUs)
  const longestUs = Math.max(...silences)
  const headWaits = agent.streaming !== false && agent.streaming.flush === 'first-update'
  const firstUs = headWaits ? (instants[0] ?? lastUs) : 0

  const late = [...limitsBy('firstByteUs'), ...limitsBy('idleUs')].filter(({ us }) => us < firstUs)
  const idle = limitsBy('idleUs').filter(({ us }) => us < longestUs)
  const short = limitsBy('lifetimeUs').filter(({ us }) => us < lastUs)
  const silent = network.hops.filter(
    ({ name, cut }) => cut === 'silent' && [...idle, ...short, ...late].some((limit) => limit.name === name),
  )
  const buffering = network.hops.filter(({ bufferOctets }) => bufferOctets !== undefined)
  const advice: string[] = []

  for (const { name, us } of late.slice(0, 1))
    advice.push(
      `${name} waits ${spellDuration(us)} for the first octet, the agent sends it after ${spellDuration(firstUs)}: let it flush the head of its answer at once (streaming: { flush: at-once }).`,
    )
  if (idle.length > 0) {
    const tightest = idle.reduce((a, b) => (b.us < a.us ? b : a))
    const names = joined(idle.map(({ name, us }) => `${name} (${spellDuration(us)})`))
    const safe = formatDuration(safelyUnder(tightest.us))
    advice.push(
      `A heartbeat at least every ${spellDuration(tightest.us)} saves the stream from the idle limit of ${names}; heartbeat=${safe} leaves a margin.`,
    )
    for (const { name, bufferOctets } of buffering)
      advice.push(
        `${name} keeps small writes back until ${bufferOctets} octets are together: heartbeats do not get past it in time, so what is nearer to the client than ${name} still cuts. Let it not buffer.`,
      )
  }
  for (const { name, us } of short)
    advice.push(
      `Nothing saves a stream from the lifetime that ${name} allows (${spellDuration(us)}), heartbeats least of all: the client must reconnect, or learn by something else.`,
    )
  for (const { name } of silent)
    advice.push(
      `${name} cuts without a word: only a watchdog notices (watchdog=45s with heartbeat=15s, say).`,
    )
  if (policy.reconnect === undefined && idle.length + short.length > 0)
    advice.push(
      "This client does not reconnect, as the official one: give it reconnect=3s, or a fallback such as 'stream>poll:30s'.",
    )
  return advice
}

function joined(names: readonly string[]): string {
  const last = names.at(-1) ?? ''
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`
}
