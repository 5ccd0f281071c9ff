/** Where a result about many tasks comes from: printed above every table, so that it can be repeated and judged. */
import { spellDuration, type Fleet, type FleetRow } from '../../sim/index.ts'
import type { FleetResult } from '../experiment/experiment.ts'
import { spellDistribution } from './distribution.ts'
import { counted, listed, withThousands } from './numbers.ts'
import { CONNECTION_RULE, COUNTED, filesOf, latencyOf, type Fact } from './pedigree.ts'

export function fleetPedigree({ scenario, assumptions, changes, rows }: FleetResult): Fact[] {
  const { fleet, sources } = scenario
  return [
    ...(sources.length > 0 ? [{ label: 'source', text: sources.join('; ') }] : []),
    { label: 'file', text: filesOf(scenario) },
    ...(fleet === undefined
      ? []
      : [
          { label: 'fleet', text: arrivalsOf(fleet) },
          { label: 'job', text: `${listed(fleet.jobs.map(jobText))}${latencyOf(scenario)}` },
          { label: 'window', text: windowOf(fleet) },
        ]),
    ...(changes.length > 0 ? [{ label: 'changed', text: changes.join(' ') }] : []),
    { label: 'run', text: runOf(scenario) },
    ...(assumptions.length > 0 ? [{ label: 'assumed', text: assumptions.join('; ') }] : []),
    { label: 'connections', text: CONNECTION_RULE },
    { label: 'counted', text: rows.some(({ octets }) => octets !== null) ? COUNTED : 'requests, not octets' },
    ...executionsOf(rows),
    { label: 'quantiles', text: exactnessOf(rows) },
    { label: 'checksum', text: rows.map(({ mechanism, checksum }) => `${mechanism} ${checksum}`).join(', ') },
  ]
}

/** How tasks come, in words: `200,000 tasks a day at random (Poisson) for 1 d 1 h`. */
export function arrivalsOf({ arrivals, clients }: Fleet): string {
  const shared = clients === undefined ? '' : `, of ${counted(clients, 'client')}`
  switch (arrivals.of) {
    case 'even':
      return `${counted(arrivals.tasks, 'task')}, evenly over ${spellDuration(arrivals.withinUs)}${shared}`
    case 'together':
      return `${counted(arrivals.tasks, 'task')}, all at 0${shared}`
    case 'trace':
      return `${counted(arrivals.trace.atUs.length, 'task')} as recorded in ${arrivals.trace.file}${shared}`
    case 'poisson':
      return `${sizeOf(arrivals)}, at random (Poisson)${shared}`
    case 'daily':
      return `${sizeOf(arrivals)}, at random by the hour of the day${shared}`
    case 'on-off':
      return `${sizeOf(arrivals)}, at random while busy (${spellDistribution(arrivals.busy)}), none while idle (${spellDistribution(arrivals.idle)})${shared}`
  }
}

function sizeOf({
  size,
  withinUs,
}: Extract<Fleet['arrivals'], { of: 'poisson' | 'daily' | 'on-off' }>): string {
  const within = spellDuration(withinUs)
  if (size.of === 'tasks') return `${counted(size.tasks, 'task')} within ${within}`
  const perDay = size.perSecond * 86_400
  return perDay < 10_000_000
    ? `${withThousands(Number(perDay.toPrecision(6)))} tasks a day for ${within}`
    : `${withThousands(Number(size.perSecond.toPrecision(6)))} tasks a second for ${within}`
}

function jobText({ name, amount, job }: Fleet['jobs'][number]): string {
  const { length, evenly, updates } = job
  const lasts =
    length !== undefined
      ? spellDistribution(length)
      : updates.length > 0
        ? counted(updates.length, 'update')
        : 'never ends'
  const told = evenly > 0 ? `${lasts}, told ${counted(evenly, 'time')}` : lasts
  const much =
    amount.of === 'count'
      ? `${withThousands(amount.count)} x `
      : amount.share === 1
        ? ''
        : `${Number((amount.share * 100).toPrecision(4))} % `
  return `${much}${name === undefined ? '' : `${name}: `}${told}`
}

function windowOf({ warmupUs, windowUs, cooldownUs }: Fleet): string {
  const from = warmupUs === 0 ? 'from the start' : `after ${spellDuration(warmupUs)} of warm-up`
  if (windowUs === Infinity) return `${from}, until all is over`
  const then =
    cooldownUs === undefined
      ? 'then on until its tasks are over, at most 1 h'
      : cooldownUs === 0
        ? 'and no longer'
        : `then on for ${spellDuration(cooldownUs)}`
  return `${from} for ${spellDuration(windowUs)}, ${then}`
}

const runOf = ({ seed, replications, agent, fleet }: FleetResult['scenario']): string =>
  [
    replications === 1
      ? `seed ${seed}`
      : `${withThousands(replications)} runs with seeds from ${seed}, of which numbers are means`,
    'engine fleet',
    `binding ${agent.binding}`,
    ...(fleet === undefined ? [] : [`bins of ${spellDuration(fleet.binUs)}`]),
  ].join(', ')

const EXECUTIONS = {
  sweep: 'task by task, without an event list',
  lanes: 'a ring of events for each constant delay',
  wheel: 'all events in order on one wheel',
  lean: "the replay's own processes, without a wire",
} as const satisfies Record<FleetRow['executions'][number]['name'], string>

/** What computed which row, and why it is exact there; rows of which the same is true share a line. */
function executionsOf(rows: readonly FleetRow[]): Fact[] {
  const lines = new Map<string, { label: string; names: string[]; why: string }>()
  for (const { mechanism, executions } of rows)
    for (const { name, why, share, policy } of executions) {
      const who =
        share === 1 ? mechanism : `${Number((share * 100).toPrecision(4))} % of ${mechanism} (${policy})`
      const key = `${name}\n${why}`
      const line = lines.get(key) ?? { label: name, names: [], why }
      line.names.push(who)
      lines.set(key, line)
    }
  return [...lines.values()].map(({ label, names, why }) => ({
    label,
    text: `${listed(names)}: ${EXECUTIONS[label as keyof typeof EXECUTIONS]}; exact, as ${why}`,
  }))
}

function exactnessOf(rows: readonly FleetRow[]): string {
  const rough = rows.filter(({ timeToLearnMs }) => timeToLearnMs?.exact === false)
  const rule = 'of N tasks in order the one of index floor(q N), those that never learned last'
  return rough.length === 0
    ? `exact: ${rule}`
    : `${rule}; at most 1/2048 too high for ${listed(rough.map(({ mechanism }) => mechanism))}`
}
