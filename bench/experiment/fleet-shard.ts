/** One of several shares of an experiment, played by itself, as a file that other shards are joined with. */
import { createHash } from 'node:crypto'
import type { LoadedScenario } from '../../sim/index.ts'
import type { FleetEngine, FleetTally } from '../../sim/fleet/index.ts'
import { nameInResults, packageVersion } from '../assets.ts'
import { UsageError } from '../exit.ts'
import type { ScenarioOptions } from '../options.ts'
import type { Cell } from './cells.ts'
import { fleetCells, fleetEngine, itemsOf, playItems, type FleetItem, type FleetOptions } from './fleet.ts'

const FORMAT = 'delivery-bench-shard/1'

/** Shard `i` of `n`, from 1. */
export interface Division {
  i: number
  n: number
}

/** What is to be played: the scenarios as the command line names and changes them, and as they were read. */
export interface ShardTask {
  words: readonly string[]
  options: ScenarioOptions
  loaded: readonly LoadedScenario[]
}

interface ShardRow {
  scenario: string
  /** The row's label or policy, for people. */
  row: string
  /** How many of its parts are counted here. */
  parts: number
  /** `null` where this shard has no part of the row. */
  tally: FleetTally | null
}

export interface ShardContent {
  version: string
  /** The scenario files as they were named, and what the command line changed in them. */
  scenarios: readonly string[]
  options: ScenarioOptions
  /** Of every file that was read, by the name it has in results. */
  files: readonly { file: string; sha256: string }[]
  /** Over everything the scenarios came to, what the policy library said included. */
  resolved: string
  /** The seed of each scenario. */
  seeds: readonly number[]
  shard: Division
  rows: readonly ShardRow[]
}

export interface Shard {
  format: typeof FORMAT
  /** sha256 of the content as JSON. */
  checksum: string
  content: ShardContent
}

/** A shard, and the file it was read from. */
export interface NamedShard {
  file: string
  shard: Shard
}

/** Part k of all parts of all rows belongs to shard k modulo n: every row is shared, whatever its parts cost. */
const isIn =
  ({ i, n }: Division) =>
  (_item: FleetItem, k: number): boolean =>
    k % n === i - 1

/** Plays one shard. */
export async function playShard(
  { words, options, loaded }: ShardTask,
  division: Division,
  playing: FleetOptions,
): Promise<Shard> {
  const engine = await fleetEngine()
  const cells = fleetCells(loaded)
  const items = itemsOf(engine, cells).filter(isIn(division))
  const tallies = await playItems(engine, cells, items, playing)
  return sealed({
    version: packageVersion(),
    scenarios: words,
    options,
    ...identityOf(loaded),
    shard: division,
    rows: cells.map(({ scenario, entry }, cell) => ({
      scenario: scenario.name,
      row: entry.label ?? entry.word,
      parts: items.filter((item) => item.cell === cell).length,
      tally: tallies[cell] ?? null,
    })),
  })
}

const identityOf = (
  loaded: readonly LoadedScenario[],
): Pick<ShardContent, 'files' | 'resolved' | 'seeds'> => ({
  files: loaded.flatMap(({ scenario }) =>
    scenario.files.map(({ file, sha256 }) => ({ file: nameInResults(file), sha256 })),
  ),
  resolved: resolvedHash(fleetCells(loaded)),
  seeds: loaded.map(({ scenario }) => scenario.seed),
})

/** Shards of one experiment agree in this, wherever each was played. What files hold is in their own hashes. */
function resolvedHash(cells: readonly Cell[]): string {
  const plain = (key: string, value: unknown): unknown => {
    if (key === 'files' || ArrayBuffer.isView(value)) return undefined
    return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
  }
  return sha256(JSON.stringify(cells, plain))
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

const sealed = (content: ShardContent): Shard => ({
  format: FORMAT,
  checksum: sha256(JSON.stringify(content)),
  content,
})

/** One line: nobody reads it, and it can be long. */
export const shardText = (shard: Shard): string => `${JSON.stringify(shard)}\n`

/** @throws UsageError if the text is no whole shard */
export function readShard(file: string, text: string): Shard {
  let shard: Partial<Shard> | null
  try {
    shard = JSON.parse(text) as Partial<Shard> | null
  } catch {
    throw new UsageError(`${file} is no shard: it is no JSON, or only part of it`)
  }
  const { checksum, content, ...rest } = shard ?? {}
  const format: string | undefined = rest.format
  if (format === undefined || content === undefined || !String(format).startsWith('delivery-bench-shard/'))
    throw new UsageError(
      `${file} is no shard: make one with delivery-bench fleet … --shard 1/2 --out ${file}`,
    )
  if (format !== FORMAT)
    throw new UsageError(`${file} has the format ${format}, and this program reads ${FORMAT}`)
  if (checksum !== sha256(JSON.stringify(content)))
    throw new UsageError(`${file} is damaged: its checksum is not that of its content; play this shard again`)
  return shard as Shard
}

/**
 * Refuses what does not belong together: shards of other versions, scenarios,
 * changes, seeds or divisions, one that is there twice, and one that is missing.
 *
 * @throws UsageError that names the file
 */
export function refuseOther(shards: readonly NamedShard[], version: string): void {
  const [first, ...others] = shards
  if (first === undefined) return
  const { shard: division, ...own } = first.shard.content
  if (own.version !== version)
    throw new UsageError(
      `${first.file} was made by version ${own.version}, and this is ${version}: play it again, or merge with that`,
    )
  for (const { file, shard } of others) {
    const { content } = shard
    const foreign = (what: string, its: string, expected: string): never => {
      throw new UsageError(`${file} does not belong to ${first.file}: ${what} ${its}, not ${expected}`)
    }
    if (content.version !== own.version) foreign('its version is', content.version, own.version)
    if (namesOf(content) !== namesOf(own)) foreign('its scenario is', namesOf(content), namesOf(own))
    const changed = own.files.find((one, i) => one.sha256 !== content.files[i]?.sha256)
    if (changed !== undefined) foreign(`${changed.file} had other text`, 'then', 'the same')
    if (content.seeds.join() !== own.seeds.join())
      foreign('its seed is', content.seeds.join(', '), own.seeds.join(', '))
    if (content.resolved !== own.resolved || wordsIn(content) !== wordsIn(own))
      foreign('its options are', wordsIn(content), wordsIn(own))
    if (content.shard.n !== division.n)
      foreign('it is one of', `${content.shard.n} shards`, `of ${division.n}`)
  }
  const files = new Map<number, string>()
  for (const { file, shard } of shards) {
    const { i, n } = shard.content.shard
    const before = files.get(i)
    if (before !== undefined) throw new UsageError(`${file} and ${before} are both shard ${i} of ${n}`)
    files.set(i, file)
  }
  const missing = Array.from({ length: division.n }, (_, k) => k + 1).filter((i) => !files.has(i))
  if (missing.length > 0)
    throw new UsageError(
      `${missing.length === 1 ? 'shard' : 'shards'} ${missing.join(', ')} of ${division.n} ${missing.length === 1 ? 'is' : 'are'} missing`,
    )
}

const namesOf = ({ scenarios }: Pick<ShardContent, 'scenarios'>): string => scenarios.join(' ')
const wordsIn = ({ options }: Pick<ShardContent, 'options'>): string => JSON.stringify(options)

/**
 * What was counted in all shards, by cell.
 *
 * @throws UsageError if the scenarios are not what they were when the shards were played
 */
export function joinShards(
  engine: FleetEngine,
  loaded: readonly LoadedScenario[],
  shards: readonly NamedShard[],
): FleetTally[] {
  const [first] = shards
  const identity = identityOf(loaded)
  const cells = fleetCells(loaded)
  if (first !== undefined) {
    const { content } = first.shard
    const changed = content.files.find((one, i) => one.sha256 !== identity.files[i]?.sha256)
    if (changed !== undefined)
      throw new UsageError(
        `${changed.file} is not what it was when ${first.file} was made: play the shards again`,
      )
    if (content.resolved !== identity.resolved)
      throw new UsageError(
        `the policy library is not what it was when ${first.file} was made: play the shards again`,
      )
  }
  const items = itemsOf(engine, cells)
  return cells.map((_cell, cell) => {
    const tallies = shards.flatMap(({ file, shard: { content } }) => {
      const row = content.rows[cell]
      const parts = items.filter(isIn(content.shard)).filter((item) => item.cell === cell).length
      if (row?.parts !== parts)
        throw new UsageError(
          `${file} is damaged: ${row?.row ?? 'a row'} has ${row?.parts ?? 0} parts, not ${parts}`,
        )
      return row.tally === null ? [] : [row.tally]
    })
    return engine.mergeTallies(tallies)
  })
}
