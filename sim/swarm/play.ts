import { runMechanism } from '../mechanisms/over-client.ts'
import type { ClientWorld } from '../mechanisms/a2a-world.ts'
import { rowOf } from '../metrics/row-of.ts'
import type { Handler } from '../network/network.ts'
import { play } from '../replay/replay.ts'
import { AGENT_ORIGIN } from '../replay/world.ts'
import type { MechanismEntry, Scenario } from '../scenario/scenario.ts'
import type { SeenAnswer, SwarmRun } from './run.ts'

/** What was declared: a run is judged by it, whatever was played. */
export interface Declared {
  scenario: Scenario
  entry: MechanismEntry
}

/** How a run is broken on purpose, to see whether the checkers notice. What is left out stays as it should be. */
export interface Tampering {
  /** Played instead of what was declared. */
  declared?: (declared: Declared) => Declared
  /** The client's side, spoilt. */
  world?: (world: ClientWorld) => ClientWorld
  /** The agent, spoilt. */
  agent?: (handle: Handler) => Handler
}

/**
 * Replays what was declared and leaves what the checkers judge.
 *
 * @throws whatever a replay throws: each of it is a fault of ours
 */
export async function playSwarmRun(declared: Declared, tampering: Tampering = {}): Promise<SwarmRun> {
  const { scenario, entry } = tampering.declared?.(declared) ?? declared
  const seen: SeenAnswer[] = []
  const played = await play(
    scenario,
    (world, network, agent) => {
      if (tampering.agent !== undefined)
        network.host(
          AGENT_ORIGIN,
          'agent',
          tampering.agent((request) => agent.handle(request)),
        )
      const witnessed = { ...world, fetch: witness(world, seen) }
      return runMechanism(tampering.world?.(witnessed) ?? witnessed, entry.policy)
    },
    entry.policy,
  )
  const row = rowOf({ mechanism: '', policy: entry.word, records: played.records, endUs: played.endUs })
  return { ...declared, ...played, row, seen }
}

/** A `fetch` that notes what whole answers declare of themselves. */
const witness =
  (world: ClientWorld, seen: SeenAnswer[]): typeof fetch =>
  async (input, init) => {
    const response = await world.fetch(input, init)
    const declared = response.headers.get('content-length')
    const exchange = world.exchangeOf(response)
    const sent = init?.body ?? ''
    if (declared !== null && exchange !== undefined && typeof sent === 'string')
      seen.push({
        exchange,
        requestBodyOctets: Buffer.byteLength(sent),
        responseBodyOctets: Number(declared),
      })
    return response
  }
