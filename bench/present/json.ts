import { METRICS, msOf, nested, numbersOf, statisticsOf, valueAt } from '../../sim/index.ts'
import type { Row, Runs } from '../../sim/index.ts'
import { nameInResults } from '../assets.ts'
import { isFleet, type Experiment, type ScenarioResult } from '../experiment/experiment.ts'
import { fleetInJson } from './fleet-json.ts'
import { latencyMs, missesInJson } from './json-parts.ts'
import { CONNECTION_RULE, COUNTED, updatesOf } from './pedigree.ts'

/** The stable result format `delivery-bench/1`. Keys come in this order, so that equal results are equal bytes. */
export function asJson({ version, command, scenarios }: Experiment, series = false): string {
  const results = scenarios.map((result) => (isFleet(result) ? fleetInJson(result, series) : inJson(result)))
  const result = { format: 'delivery-bench/1', version, command, scenarios: results }
  return `${printed(result)}\n`
}

/** As `JSON.stringify` with two blanks, but a list of numbers takes one line: samples can be many. */
function printed(value: unknown, margin = ''): string {
  if (typeof value !== 'object' || value === null || isNumbers(value)) return JSON.stringify(value)
  const deeper = `${margin}  `
  const isList = Array.isArray(value)
  const inside = isList
    ? value.map((one) => printed(one, deeper))
    : Object.entries(value).flatMap(([key, one]) =>
        one === undefined ? [] : [`${JSON.stringify(key)}: ${printed(one, deeper)}`],
      )
  const [open, close] = isList ? '[]' : '{}'
  return inside.length === 0
    ? `${open}${close}`
    : `${open}\n${inside.map((one) => deeper + one).join(',\n')}\n${margin}${close}`
}

const isNumbers = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every((one) => one === null || typeof one === 'number')

function inJson({
  scenario,
  assumptions,
  changes,
  policies,
  rows,
  variants,
  misses,
}: ScenarioResult): object {
  const [own, ...bases] = scenario.files
  const { agent, horizonUs, job, network } = scenario
  return {
    name: scenario.name,
    file: nameInResults(own.file),
    sha256: own.sha256,
    ...(bases.length > 0 && {
      extends: bases.map(({ file, sha256 }) => ({ file: nameInResults(file), sha256 })),
    }),
    seed: scenario.seed,
    engine: 'replay',
    // What the numbers rest on, so that a file still explains itself when defaults have changed.
    pedigree: {
      binding: agent.binding,
      job: {
        durationMs: job.durationUs === undefined ? null : msOf(job.durationUs),
        updates: updatesOf(job),
      },
      latencyMs: { up: latencyMs(network.latency.up), down: latencyMs(network.latency.down) },
      horizonMs: msOf(horizonUs),
      ...(scenario.replications > 1 && { replications: scenario.replications }),
      changes,
      assumptions,
      ...(policies.length > 0 && { policies }),
      connections: CONNECTION_RULE,
      counted: COUNTED,
    },
    rows: rows.map(rowInJson),
    ...(variants.length > 0 && {
      variants: variants.map(({ given, rows: some }) => ({ given, rows: some.map(rowInJson) })),
    }),
    misses: missesInJson(misses),
  }
}

/** A row with its keys in the order of the format, however it was built. */
function rowInJson({ runs, ...row }: Row): object {
  const { mechanism, policy, outcome, reason } = row
  const numbers = METRICS.flatMap((metric) =>
    numbersOf(metric).map((path): [readonly string[], unknown] => {
      const samples = runs?.samples[path.join('.')]
      return [path, samples === undefined ? valueAt(row, path) : (statisticsOf(samples, metric) ?? null)]
    }),
  )
  return {
    mechanism,
    policy,
    outcome,
    ...(reason !== undefined && { reason }),
    ...nested(new Map(numbers)),
    ...(runs !== undefined && { runs: { ...runs, samples: varying(runs.samples) } }),
  }
}

/** What every run gave alike, its statistics tell already. */
const varying = (samples: Runs['samples']): Runs['samples'] =>
  Object.fromEntries(
    Object.entries(samples).filter(([, values]) => values.some((value) => value !== values[0])),
  )
