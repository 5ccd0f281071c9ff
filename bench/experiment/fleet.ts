/** Plays fleets part by part, in this thread or shared among several, whole or a shard of them. */
import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import {
  assessThresholds,
  type Fleet,
  type FleetRow,
  type LoadedScenario,
  type RowWithEvents,
} from '../../sim/index.ts'
import type { FleetEngine, FleetPart, FleetTally } from '../../sim/fleet/index.ts'
import { UsageError } from '../exit.ts'
import { casesOf, cellsOf, playedCases } from './cases.ts'
import type { Cell } from './cells.ts'
import type { FleetResult } from './experiment.ts'
import type { CellParts } from './fleet-parts.ts'
import { demandsOn, missesOf, rowsOf } from './run.ts'
import { runInWorkers } from './workers.ts'

/** One part of one cell, the cell by number. */
export interface FleetItem {
  cell: number
  part: FleetPart
}

/** Told of the parts that are done, and of how many there are. */
export type FleetProgress = (done: number, all: number) => void

export interface FleetOptions {
  /** Threads that share the parts; `undefined` for as many as are worth their start. */
  workers: number | undefined
  /** Stops in the middle of the work. */
  signal?: AbortSignal | undefined
  progress?: FleetProgress
  /** What a worker runs; the engine's own parts, unless a test has others. */
  module?: URL
}

/** Every cell of these scenarios: of each its own, then those of its variants. */
export const fleetCells = (loaded: readonly LoadedScenario[]): Cell[] =>
  loaded.flatMap((one) => casesOf(one).flatMap(cellsOf))

/** @throws UsageError for what the engine does not play */
export const itemsOf = (engine: FleetEngine, cells: readonly Cell[]): FleetItem[] =>
  cells.flatMap((one, cell) => partsIn(engine, one).map((part) => ({ cell, part })))

function partsIn({ partsOf }: FleetEngine, { scenario, entry }: Cell): readonly FleetPart[] {
  try {
    return partsOf(scenario, entry)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new UsageError(`${scenario.name}, ${entry.label ?? entry.word}: ${error.message}`)
  }
}

/** Why the engine cannot play a scenario or a variant of it, or cannot tell what is expected of it; `undefined` if it can. */
export async function fleetProblem(one: LoadedScenario): Promise<string | undefined> {
  const asked = casesOf(one).flatMap(({ expectations, claims }) => [...expectations, ...claims])
  if (asked.some(({ of }) => typeof of !== 'string' && of.metric.startsWith('octets.')))
    return 'octets of fleets are not counted yet'
  try {
    itemsOf(await fleetEngine(), fleetCells([one]))
    return undefined
  } catch (error) {
    if (error instanceof UsageError) return error.message
    throw error
  }
}

/** Plays every scenario, and its variants with those mechanisms that something is expected of. */
export async function runFleets(
  loaded: readonly LoadedScenario[],
  changes: readonly string[],
  options: FleetOptions,
): Promise<FleetResult[]> {
  const engine = await fleetEngine()
  const cells = fleetCells(loaded)
  const tallies = await playItems(engine, cells, itemsOf(engine, cells), options)
  return fleetResults(engine, loaded, changes, tallies)
}

/** What came out of each cell, in order. */
export async function playFleetCells(
  cells: readonly Cell[],
  options: FleetOptions,
): Promise<RowWithEvents<FleetRow>[]> {
  const engine = await fleetEngine()
  return rowsOfCells(engine, cells, await playItems(engine, cells, itemsOf(engine, cells), options))
}

const rowsOfCells = (
  engine: FleetEngine,
  cells: readonly Cell[],
  tallies: readonly (FleetTally | undefined)[],
): RowWithEvents<FleetRow>[] =>
  cells.map(({ scenario, entry }, cell) => {
    const tally = tallies[cell]
    if (tally === undefined) throw new RangeError(`nothing was counted for ${entry.word}`)
    return { row: engine.fleetRow(scenario, entry, tally), events: [] }
  })

/** The engine is loaded only by what needs it. */
export const fleetEngine = (): Promise<FleetEngine> => import('../../sim/fleet/index.ts')

/** Up to so many tasks in all, starting threads takes longer than they save. */
const TASKS_FOR_WORKERS = 20_000

/** Lots for each worker: the last ones to end wait for each other no longer than a lot takes. */
const LOTS_PER_WORKER = 4

/**
 * What was counted in the items, by cell; nothing where a cell has none of them.
 * The number of workers changes nothing in the result.
 *
 * @throws an AbortError if the signal fires
 */
export async function playItems(
  engine: FleetEngine,
  cells: readonly Cell[],
  items: readonly FleetItem[],
  { workers: asked, signal, progress = () => {}, module = ownModule() }: FleetOptions,
): Promise<(FleetTally | undefined)[]> {
  const isSmall = tasksOf(cells) <= TASKS_FOR_WORKERS
  const workers = asked ?? (isSmall ? 1 : availableParallelism())
  const lots = lotsOf(items, Math.max(1, Math.floor(items.length / (workers * LOTS_PER_WORKER))))
  let done = 0
  const ended = (lot: number) => progress((done += lots[lot]?.items ?? 0), items.length)
  // What takes long goes to a thread even if it is one alone: this one stays free to be interrupted.
  const played =
    workers === 1 && isSmall
      ? await playHere(cells, lots, ended, signal)
      : await runInWorkers<CellParts, FleetTally>(module, lots, {
          workers,
          shared: cells,
          ended: (_tally, lot) => ended(lot),
          signal,
        })
  const byCell = cells.map((): FleetTally[] => [])
  for (const [lot, { cell }] of lots.entries()) byCell[cell]?.push(played[lot] as FleetTally)
  return byCell.map((tallies) => (tallies.length === 0 ? undefined : engine.mergeTallies(tallies)))
}

/** Built with the ending of this file: the source in development, the compiled file in the package. */
const ownModule = (): URL =>
  new URL(`./fleet-parts${extname(new URL(import.meta.url).pathname)}`, import.meta.url)

async function playHere(
  cells: readonly Cell[],
  lots: readonly CellParts[],
  ended: (lot: number) => void,
  signal: AbortSignal | undefined,
): Promise<FleetTally[]> {
  const { default: playParts } = await import('./fleet-parts.ts')
  const tallies: FleetTally[] = []
  for (const [number, lot] of lots.entries()) {
    signal?.throwIfAborted()
    tallies.push(playParts(lot, cells))
    ended(number)
    await new Promise<void>((resume) => setImmediate(resume))
  }
  return tallies
}

/** Neighbours of one cell in lots of at most so many items; blocks that follow each other are one part, which costs less. */
function lotsOf(items: readonly FleetItem[], most: number): Lot[] {
  const lots: Lot[] = []
  for (const { cell, part } of items) {
    const lot = lots.at(-1)
    if (lot?.cell !== cell || lot.items === most) {
      lots.push({ cell, items: 1, parts: [part] })
      continue
    }
    lot.items++
    const before = lot.parts.at(-1)
    if (before?.replication === part.replication && before.toBlock === part.fromBlock)
      lot.parts[lot.parts.length - 1] = { ...before, toBlock: part.toBlock }
    else lot.parts.push(part)
  }
  return lots
}

/** What one thread plays at a time. */
interface Lot extends CellParts {
  /** How many items it is made of. */
  items: number
  parts: FleetPart[]
}

const tasksOf = (cells: readonly Cell[]): number =>
  cells.reduce(
    (sum, { scenario: { fleet, replications } }) =>
      sum + (fleet === undefined ? 0 : tasksExpected(fleet) * replications),
    0,
  )

/** How many tasks begin, warm-up included; of a rate so many on average. */
export function tasksExpected({ arrivals }: Pick<Fleet, 'arrivals'>): number {
  switch (arrivals.of) {
    case 'even':
    case 'together':
      return arrivals.tasks
    case 'trace':
      return arrivals.trace.atUs.length
    case 'poisson':
    case 'daily':
    case 'on-off': {
      const { size, withinUs } = arrivals
      return size.of === 'tasks' ? size.tasks : (size.perSecond * withinUs) / 1e6
    }
  }
}

/** @param tallies of all parts of each cell of the scenarios, in order */
export function fleetResults(
  engine: FleetEngine,
  loaded: readonly LoadedScenario[],
  changes: readonly string[],
  tallies: readonly (FleetTally | undefined)[],
): FleetResult[] {
  let next = 0
  return loaded.map((one) => {
    const cases = casesOf(one)
    const cells = cases.flatMap(cellsOf)
    const results = rowsOfCells(engine, cells, tallies.slice(next, (next += cells.length)))
    const [own, ...variants] = playedCases(cases, results)
    const rows = own === undefined ? [] : rowsOf(own)
    const { scenario, assumptions, policies } = one
    return {
      engine: 'fleet',
      scenario,
      assumptions,
      changes,
      policies,
      rows,
      variants: variants.map((variant) => ({ given: variant.given ?? '', rows: rowsOf(variant) })),
      misses: [
        ...rows.flatMap((row, i) => assessThresholds(demandsOn(scenario, i), row)),
        ...[own, ...variants].flatMap((played) => (played === undefined ? [] : missesOf(played))),
      ],
    }
  })
}
