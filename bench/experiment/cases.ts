/** What is to be played for a scenario: itself with all its mechanisms, and its variants with some. */
import type { FleetRow, LoadedScenario, Row, RowWithEvents } from '../../sim/index.ts'
import type { Cell } from './cells.ts'

type Variant = LoadedScenario['variants'][number]

/** A scenario, or the same with other values. */
export interface Case extends Pick<Variant, 'scenario' | 'expectations' | 'claims'> {
  /** What differs, `faults.0.for=10m`; `undefined` for the scenario itself. */
  given: string | undefined
  /** Which of its mechanisms are played, by number, ascending. */
  mechanisms: readonly number[]
}

export interface PlayedCase<R extends Row | FleetRow = Row | FleetRow> extends Case {
  /** By number of the mechanism; nothing where it was not played. */
  results: readonly (RowWithEvents<R> | undefined)[]
}

/** The scenario itself first. Of a variant only those mechanisms are played that something is expected or claimed of. */
export const casesOf = ({ scenario, claims, variants }: LoadedScenario): [Case, ...Case[]] => [
  {
    given: undefined,
    scenario,
    expectations: scenario.expectations,
    claims,
    mechanisms: [...scenario.mechanisms.keys()],
  },
  ...variants.map(({ given, ...variant }) => ({
    ...variant,
    given: spell(given),
    mechanisms: meant(variant),
  })),
]

const meant = ({ expectations, claims }: Pick<Variant, 'expectations' | 'claims'>): number[] =>
  [...new Set([...expectations, ...claims].map(({ mechanism }) => mechanism))].toSorted((a, b) => a - b)

const spell = (given: Variant['given']): string =>
  Object.entries(given)
    .map(([path, value]) => `${path}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')

export const cellsOf = ({ scenario, mechanisms }: Case): Cell[] =>
  mechanisms.flatMap((mechanism) => {
    const entry = scenario.mechanisms[mechanism]
    return entry === undefined ? [] : [{ scenario, entry }]
  })

/** @param played what came out of the cells of all these cases, in their order */
export function playedCases<R extends Row | FleetRow>(
  cases: readonly Case[],
  played: readonly RowWithEvents<R>[],
): PlayedCase<R>[] {
  let next = 0
  return cases.map((one) => {
    const results = new Map(one.mechanisms.map((mechanism) => [mechanism, played[next++]]))
    return { ...one, results: [...one.scenario.mechanisms.keys()].map((mechanism) => results.get(mechanism)) }
  })
}
