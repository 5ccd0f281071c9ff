/** Whether anything in a scenario is left to chance. */
import type { Policy } from '../policies/policy.ts'
import type { Fleet } from './fleet.ts'
import { isRandomJob } from './job-plan.ts'
import type { MechanismEntry, Scenario } from './scenario.ts'

/** What draws, by the names data has: distributions, back-off jitters, a first poll at random. */
const DRAWS: readonly unknown[] = [
  'uniform',
  'exponential',
  'lognormal',
  'normal',
  'weibull',
  'pareto',
  'grid',
  'empirical',
  'full',
  'equal',
  'decorrelated',
  'uniform-growth',
  'stretch',
  'random',
]

/** Chances, where they are neither never nor always. */
const SHARES = ['loss', 'duplicate', 'reorder', 'share']

/** True if two runs with different seeds can differ. */
export const isRandom = ({
  agent,
  client,
  network,
  receiver,
  faults,
  mechanisms,
  undrawn,
  fleet,
}: Scenario): boolean =>
  undrawn !== undefined ||
  (fleet !== undefined && isRandomFleet(fleet)) ||
  mechanisms.some(({ mix = [] }) => mix.length > 1) ||
  draws([agent, client, network, receiver, faults, mechanisms.flatMap(policiesOf)])

const policiesOf = ({ policy, mix }: MechanismEntry): Policy[] =>
  mix === undefined ? [policy] : mix.map((part) => part.policy)

/** Whether chance says when tasks come, or which kind of job each is. */
const isRandomFleet = ({ arrivals, jobs }: Fleet): boolean =>
  ['poisson', 'daily', 'on-off'].includes(arrivals.of) ||
  jobs.filter(({ amount }) => amount.of === 'share').length > 1 ||
  jobs.some(({ job }) => isRandomJob(job))

function draws(data: unknown): boolean {
  if (typeof data !== 'object' || data === null) return false
  return Object.entries(data).some(([key, value]) => {
    if (key === 'of' || key === 'first') return DRAWS.includes(value) || draws(value)
    if (SHARES.includes(key) && typeof value === 'number') return value > 0 && value < 1
    return draws(value)
  })
}
