/** Joins the shards of one experiment to the result that it would have been undivided. */
import { existsSync, readFileSync } from 'node:fs'
import { packageVersion } from '../assets.ts'
import { type ExitCode, UsageError } from '../exit.ts'
import { fleetEngine, fleetResults } from '../experiment/fleet.ts'
import { joinShards, readShard, refuseOther, type NamedShard } from '../experiment/fleet-shard.ts'
import { type Given, wordsOf } from '../options.ts'
import type { Terminal } from '../terminal.ts'
import { changesOf, loadTelling, showingOf, tellResult } from './result.ts'

export async function merge(words: readonly string[], given: Given, terminal: Terminal): Promise<ExitCode> {
  const showing = showingOf(given)
  const shards = words.map((file): NamedShard => ({ file, shard: readShard(file, textOf(file)) }))
  const [first] = shards
  if (first === undefined)
    throw new UsageError('which shards? Name their files, such as shard-1.json shard-2.json')
  refuseOther(shards, packageVersion())

  // The scenario is read again: shards hold numbers, and a table tells more than those.
  const { scenarios: files, options } = first.shard.content
  for (const file of files)
    if (!existsSync(file))
      throw new UsageError(
        `${first.file} is part of ${file}, which merge reads again, and there is no such file here: run merge where the shards were made`,
      )
  const loaded = loadTelling(files, options, terminal, showing.quiet)
  const engine = await fleetEngine()
  const tallies = joinShards(engine, loaded, shards)
  return tellResult(
    {
      version: packageVersion(),
      command: ['fleet', ...files, ...wordsOf(options)],
      scenarios: fleetResults(engine, loaded, changesOf(options), tallies),
    },
    showing,
    terminal,
  )
}

/** @throws UsageError if it cannot be read */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(`cannot read ${file}: ${(error as Error).message}`)
  }
}
