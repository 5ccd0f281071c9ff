/** Where a result comes from: printed above every table, so that it can be repeated and judged. */
import { spellDuration } from '../../sim/index.ts'
import type { Scenario } from '../../sim/index.ts'
import { nameInResults } from '../assets.ts'
import type { ScenarioResult } from '../experiment/experiment.ts'
import { spellDistribution } from './distribution.ts'
import { counted, listed, withThousands } from './numbers.ts'

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

/** `scenarios/mine.yaml (sha256 0123456789ab), which extends base.yaml (sha256 …) and reads lengths.csv (sha256 …)`. */
export function filesOf({ files: [own, ...others] }: Scenario): string {
  const isBase = ({ file }: Scenario['files'][number]) => /\.(?:ya?ml|json)$/.test(file)
  const named = ({ file, sha256 }: Scenario['files'][number]) =>
    `${nameInResults(file)} (sha256 ${sha256.slice(0, SHORT_HASH)})`
  const [bases, measured] = [others.filter(isBase), others.filter((file) => !isBase(file))]
  const parts = [
    ...(bases.length === 0 ? [] : [`extends ${listed(bases.map(named))}`]),
    ...(measured.length === 0 ? [] : [`reads ${listed(measured.map(named))}`]),
  ]
  return parts.length === 0 ? named(own) : `${named(own)}, which ${parts.join(' and ')}`
}

function jobOf({ job, undrawn, network: { latency } }: Scenario): string {
  const length = undrawn?.job.length
  const lasts =
    length !== undefined && length.of !== 'fixed'
      ? `${spellDistribution(length)}; in the first run ${lastsOf(job)}`
      : lastsOf(job)
  return `${lasts}, ${counted(updatesOf(job), 'update')}${latencyOf({ network: { latency } })}`
}

/** `; latency 50 ms up, 50 ms down`; nothing where there is none. */
export function latencyOf({
  network: {
    latency: { up, down },
  },
}: {
  network: Pick<Scenario['network'], 'latency'>
}): string {
  if ([up, down].every((way) => way.of === 'fixed' && way.us === 0)) return ''
  return `; latency ${spellDistribution(up)} up, ${spellDistribution(down)} down`
}

const lastsOf = ({ durationUs }: Scenario['job']): string =>
  durationUs === undefined ? 'never ends' : spellDuration(durationUs)

/** Updates of the whole job, those after its pauses included. */
export const updatesOf = ({ updates, afterPauses }: Scenario['job']): number =>
  afterPauses.reduce((sum, leg) => sum + leg.updates.length, updates.length)

export const runOf = ({ seed, agent, horizonUs, replications, undrawn }: Scenario): string =>
  [
    seedsOf(seed, replications),
    'engine replay',
    `binding ${agent.binding}`,
    undrawn !== undefined && undrawn.horizonUs === undefined
      ? 'horizon 1 h after the end of each job'
      : `horizon ${spellDuration(horizonUs)}`,
  ].join(', ')

const seedsOf = (seed: number, replications: number): string =>
  replications === 1
    ? `seed ${seed}`
    : `${withThousands(replications)} runs with seeds from ${seed}, of which numbers are means`
