/** Hand-made results about many tasks. */
import type { FleetRow, Scenario } from '../../sim/index.ts'
import { aFleet } from '../../sim/testing/fleet.ts'
import { pollEvery } from '../../sim/testing/scenario.ts'
import type { FleetResult } from '../experiment/experiment.ts'
import { aScenario } from './results.suite.ts'

export function aFleetResult(
  rows: readonly FleetRow[],
  { fleet = aFleet(), ...changes }: Partial<Scenario> = {},
): FleetResult {
  return {
    engine: 'fleet',
    scenario: aScenario({
      name: 'busy-day',
      question: 'What do 7,200 searches an hour cost?',
      fleet,
      mechanisms: rows.map(({ policy: word }) => ({ label: undefined, word, policy: pollEvery(5_000_000) })),
      ...changes,
    }),
    assumptions: ['each task has a client of its own'],
    changes: [],
    policies: [],
    rows,
    variants: [],
    misses: [],
  }
}
