/** Plays the cells of an experiment, in this thread or shared among several. */
import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import { rowOfRuns } from '../../sim/index.ts'
import type { MechanismEntry, Row, RowWithEvents, Scenario } from '../../sim/index.ts'
import type { CellPart, PlayedPart } from './play-runs.ts'
import { runInWorkers } from './workers.ts'

/** A scenario with one of its mechanisms, as often as it says. */
export interface Cell {
  scenario: Scenario
  entry: MechanismEntry
}

/** Parts for each worker: the last ones to end wait for each other no longer than a part takes. */
const PARTS_PER_WORKER = 8

/** From so many runs on, starting threads takes less time than they save. */
const RUNS_FOR_WORKERS = 400

/**
 * What came out of each cell, in order. The number of workers changes nothing in the result.
 *
 * @param asked threads that share the runs; 1 is this one; `undefined` for as many as are worth their start
 */
export async function playCells(cells: readonly Cell[], asked: number | undefined): Promise<RowWithEvents[]> {
  const runs = cells.reduce((sum, { scenario }) => sum + scenario.replications, 0)
  const workers = asked ?? (runs < RUNS_FOR_WORKERS ? 1 : availableParallelism())
  const runsMax = workers === 1 ? Infinity : Math.ceil(runs / (workers * PARTS_PER_WORKER))
  const parts = cells.map((cell) => partsOf(cell, runsMax))
  const played = await playParts(parts.flat(), workers)
  let next = 0
  return parts.map(({ length }) => joined(played.slice(next, (next += length))))
}

function partsOf({ scenario, entry }: Cell, runsMax: number): CellPart[] {
  const parts: CellPart[] = []
  for (let from = 0; from < scenario.replications;) {
    const to = Math.min(from + runsMax, scenario.replications)
    parts.push({ scenario, entry, from, to })
    from = to
  }
  return parts
}

async function playParts(parts: readonly CellPart[], workers: number): Promise<PlayedPart[]> {
  if (workers > 1) {
    const ending = extname(new URL(import.meta.url).pathname)
    return runInWorkers(new URL(`./play-runs${ending}`, import.meta.url), parts, { workers })
  }
  const { default: playRuns } = await import('./play-runs.ts')
  const played: PlayedPart[] = []
  for (const part of parts) played.push(await playRuns(part))
  return played
}

function joined(parts: readonly PlayedPart[]): RowWithEvents {
  const [first, ...others] = parts.flatMap(({ rows }) => rows) as [Row, ...Row[]]
  return {
    row: others.length === 0 ? first : rowOfRuns([first, ...others]),
    events: parts.flatMap(({ events }) => events),
  }
}
