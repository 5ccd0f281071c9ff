/** Where a result comes from: printed above every table, so that it can be repeated and judged. */
import { spellDuration } from '../../sim/index.ts'
import type { Scenario } from '../../sim/index.ts'
import { nameInResults } from '../assets.ts'
import type { ScenarioResult } from '../experiment/experiment.ts'
import { counted, listed } from './numbers.ts'

export interface Fact {
  label: string
  text: string
}

/** Octets and connections mean the same in every result of this engine. */
export const COUNTED =
  "HTTP/1.1 octets, heads and bodies, without TCP and TLS; up is what the client's side sends, down what it receives"
export const CONNECTION_RULE =
  "an idle HTTP/1.1 connection closes 4 s after the last answer, as with Node's fetch"

/** Enough of a sha256 to tell files apart by eye; the JSON has all of it. */
const SHORT_HASH = 12

export function pedigreeOf({ scenario, assumptions, changes }: ScenarioResult): Fact[] {
  return [
    ...(scenario.sources.length > 0 ? [{ label: 'source', text: scenario.sources.join('; ') }] : []),
    { label: 'file', text: filesOf(scenario) },
    { label: 'job', text: jobOf(scenario) },
    ...(changes.length > 0 ? [{ label: 'changed', text: changes.join(' ') }] : []),
    { label: 'run', text: runOf(scenario) },
    ...(assumptions.length > 0 ? [{ label: 'assumed', text: assumptions.join('; ') }] : []),
    { label: 'connections', text: CONNECTION_RULE },
    { label: 'counted', text: COUNTED },
  ]
}

/** `scenarios/mine.yaml (sha256 0123456789ab), which extends base.yaml (sha256 …)`. */
export function filesOf({ files: [own, ...bases] }: Scenario): string {
  const named = ({ file, sha256 }: Scenario['files'][number]) =>
    `${nameInResults(file)} (sha256 ${sha256.slice(0, SHORT_HASH)})`
  return bases.length === 0 ? named(own) : `${named(own)}, which extends ${listed(bases.map(named))}`
}

function jobOf({ job, network: { latencyUs } }: Scenario): string {
  const length = `${spellDuration(job.durationUs)}, ${counted(job.updates.length, 'update')}`
  if (latencyUs.up === 0 && latencyUs.down === 0) return length
  return `${length}; latency ${spellDuration(latencyUs.up)} up, ${spellDuration(latencyUs.down)} down`
}

export const runOf = ({ seed, agent, horizonUs }: Scenario): string =>
  `seed ${seed}, engine replay, binding ${agent.binding}, horizon ${spellDuration(horizonUs)}`
