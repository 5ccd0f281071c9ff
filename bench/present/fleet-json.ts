import { FLEET_COUNTS, msOf, type FleetRow, type OverTime } from '../../sim/index.ts'
import { nameInResults } from '../assets.ts'
import type { FleetResult } from '../experiment/experiment.ts'
import { arrivalsOf } from './fleet-pedigree.ts'
import { latencyMs, missesInJson } from './json-parts.ts'
import { CONNECTION_RULE, COUNTED } from './pedigree.ts'

/** @param series whether what is told over time has its bins: there can be very many */
export function fleetInJson(
  { scenario, assumptions, changes, policies, rows, variants, misses }: FleetResult,
  series: boolean,
): object {
  const { files, agent, fleet, network, replications } = scenario
  const [own, ...others] = files.map(({ file, sha256 }) => ({ file: nameInResults(file), sha256 }))
  return {
    name: scenario.name,
    ...own,
    ...(others.length > 0 && { uses: others }),
    seed: scenario.seed,
    engine: 'fleet',
    pedigree: {
      binding: agent.binding,
      ...(fleet !== undefined && {
        arrivals: arrivalsOf(fleet),
        warmupMs: msOf(fleet.warmupUs),
        windowMs: fleet.windowUs === Infinity ? null : msOf(fleet.windowUs),
      }),
      latencyMs: { up: latencyMs(network.latency.up), down: latencyMs(network.latency.down) },
      ...(replications > 1 && { replications }),
      changes,
      assumptions,
      ...(policies.length > 0 && { policies }),
      connections: CONNECTION_RULE,
      counted: COUNTED,
    },
    rows: rows.map((row) => rowInJson(row, series)),
    ...(variants.length > 0 && {
      variants: variants.map(({ given, rows: some }) => ({
        given,
        rows: some.map((row) => rowInJson(row, series)),
      })),
    }),
    misses: missesInJson(misses),
  }
}

/** A row with its keys in the order of the format, however it was built. */
function rowInJson(row: FleetRow, series: boolean): object {
  const overTime = ({ mean, peak, series: bins }: OverTime) => ({
    mean,
    peak,
    ...(series && { series: bins }),
  })
  const numbers = Object.fromEntries(FLEET_COUNTS.map((key) => [key, row[key]]))
  return {
    mechanism: row.mechanism,
    policy: row.policy,
    executions: row.executions,
    replications: row.replications,
    tasks: row.tasks,
    outcomes: row.outcomes,
    ...(row.reasons.length > 0 && { reasons: row.reasons }),
    ...numbers,
    updates: row.updates,
    octets: row.octets,
    load: overTime(row.load),
    requestsInFlight: overTime(row.requestsInFlight),
    connectionsOpen: overTime(row.connectionsOpen),
    connections: row.connections,
    timeToLearnMs: row.timeToLearnMs,
    waitingMs: row.waitingMs,
    overload: row.overload,
    binMs: row.binMs,
    checksum: row.checksum,
  }
}
