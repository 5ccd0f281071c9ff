import { replay } from '../../sim/replay/index.ts'
import type { MechanismEntry, Row, Scenario } from '../../sim/index.ts'

export interface RowInput {
  scenario: Scenario
  entry: MechanismEntry
}

/** One cell of an experiment: a scenario with one mechanism. Also what a worker runs. */
export default async function replayRow({ scenario, entry }: RowInput): Promise<Row> {
  return (await replay(scenario, entry)).row
}
