/** Whether anything in a scenario is left to chance. */
import type { Scenario } from './scenario.ts'

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
}: Scenario): boolean =>
  undrawn !== undefined ||
  draws([agent, client, network, receiver, faults, mechanisms.map(({ policy }) => policy)])

function draws(data: unknown): boolean {
  if (typeof data !== 'object' || data === null) return false
  return Object.entries(data).some(([key, value]) => {
    if (key === 'of' || key === 'first') return DRAWS.includes(value) || draws(value)
    if (SHARES.includes(key) && typeof value === 'number') return value > 0 && value < 1
    return draws(value)
  })
}
