/** A result about many tasks as text in its parts, for every format that people read. */
import type { Fleet, FleetRow } from '../../sim/index.ts'
import type { FleetResult } from '../experiment/experiment.ts'
import { fleetCell, fleetColumnsFor, notLearned, overloadNote, type FleetTold } from './fleet-columns.ts'
import { fleetPedigree } from './fleet-pedigree.ts'
import { averaged, counted, lateness, listed, withThousands } from './numbers.ts'
import { sourceLine, type ScenarioView } from './view.ts'

export function fleetViewOf(result: FleetResult): ScenarioView {
  const told = fleetToldOf(result)
  const columns = fleetColumnsFor(told)
  const { name, question, description } = result.scenario
  return {
    name,
    question,
    description,
    facts: fleetPedigree(result),
    columns,
    rows: told.map((one) => columns.map((column) => fleetCell(column, one))),
    notes: result.rows.flatMap((row) => [...overloadNote(row), ...reasonsOf(row)]),
    policies: result.policies.map(sourceLine),
    sentence: sentenceOf(result.rows),
  }
}

export const fleetToldOf = ({ rows, scenario }: FleetResult): FleetTold[] =>
  rows.map((row) => ({ row, fleet: scenario.fleet as Fleet }))

const reasonsOf = ({ mechanism, tasks, reasons }: FleetRow): string[] =>
  reasons.map(
    ({ reason, tasks: some }) =>
      `${mechanism}, ${withThousands(some)} of ${counted(tasks, 'task')}: ${reason}`,
  )

const names = (rows: readonly FleetRow[]): string => listed(rows.map(({ mechanism }) => mechanism))

/** Rows that are equal in what made them the least. */
function least(rows: readonly FleetRow[], amount: (row: FleetRow) => number): FleetRow[] {
  const smallest = Math.min(...rows.map(amount))
  return rows.filter((row) => amount(row) === smallest)
}

/** What the table means: who is soonest for all but one task in twenty, who asks least, and who leaves tasks in the dark. */
function sentenceOf(rows: readonly FleetRow[]): string {
  const steady = rows.filter(({ overload, timeToLearnMs }) => overload === null && timeToLearnMs?.p95)
  const p95 = ({ timeToLearnMs }: FleetRow) => timeToLearnMs?.p95?.value ?? Infinity
  const clauses: string[] = []
  const soonest = least(steady, p95)
  if (soonest[0] !== undefined) {
    const late = p95(soonest[0])
    const when = late === 0 ? 'on time' : `at most ${lateness(averaged(late))}`
    clauses.push(`95 % of the tasks were learned soonest, ${when}, by ${names(soonest)}`)
  }
  const frugals = least(rows, ({ requests }) => requests)
  const [frugal] = frugals
  if (frugal !== undefined && rows.length > 1)
    clauses.push(
      `the fewest requests (${withThousands(averaged(frugal.load.mean.value))} per second, ${withThousands(averaged(frugal.load.peak.value))} at the peak) came from ${names(frugals)}`,
    )
  const dark = rows.filter((row) => notLearned(row) > 0)
  if (dark.length > 0) clauses.push(`${listed(dark.map(mechanismWith))} never learned`)
  const unsteady = rows.filter(({ overload }) => overload !== null)
  if (unsteady.length > 0) clauses.push(`there is no steady state with ${names(unsteady)}`)
  const text = clauses.join('; ')
  return text === '' ? 'No task learned of its end.' : `${text[0]?.toUpperCase()}${text.slice(1)}.`
}

const mechanismWith = (row: FleetRow): string =>
  `${withThousands(averaged(notLearned(row)))} of ${counted(averaged(row.tasks), 'task')} with ${row.mechanism}`
