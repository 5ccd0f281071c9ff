import type { FleetEngine, FleetPart, FleetTally } from '../../sim/fleet/index.ts'
import * as engine from '../../sim/fleet/index.ts'
import type { Cell } from './cells.ts'

/** Some parts of one cell, the cell by number. */
export interface CellParts {
  cell: number
  parts: readonly FleetPart[]
}

/** What plays them, given all cells. */
export const partsPlayer =
  ({ runPart, mergeTallies }: FleetEngine) =>
  ({ cell, parts }: CellParts, cells: readonly Cell[]): FleetTally => {
    const one = cells[cell]
    if (one === undefined) throw new RangeError(`there is no cell ${cell}`)
    return mergeTallies(parts.map((part) => runPart(one.scenario, one.entry, part)))
  }

/** Plays parts of a cell. Also what a worker runs. */
export default partsPlayer(engine)
