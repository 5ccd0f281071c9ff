import { eventsOf, runOf } from '../../sim/index.ts'
import type { MechanismEntry, Row, RunEvent, Scenario } from '../../sim/index.ts'
import { replay } from '../../sim/replay/index.ts'

/** Some runs of one cell: a scenario with one mechanism, and the replications from one up to, but without, another. */
export interface CellPart {
  scenario: Scenario
  entry: MechanismEntry
  from: number
  to: number
}

export interface PlayedPart {
  /** One for each run. */
  rows: Row[]
  /** Of the cell's first run, if that is among these. */
  events: RunEvent[]
}

/** Plays part of a cell. Also what a worker runs. */
export default async function playRuns({ scenario, entry, from, to }: CellPart): Promise<PlayedPart> {
  const rows: Row[] = []
  let events: RunEvent[] = []
  for (let run = from; run < to; run++) {
    const { row, records } = await replay(runOf(scenario, run), entry)
    rows.push(row)
    if (run === 0) events = eventsOf(records)
  }
  return { rows, events }
}
