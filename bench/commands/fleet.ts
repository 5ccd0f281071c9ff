/** Many tasks: load, connections, lateness and octets of each mechanism; all of it, or one shard. */
import { packageVersion } from '../assets.ts'
import { EXIT, type ExitCode, UsageError } from '../exit.ts'
import { runFleets, type FleetProgress } from '../experiment/fleet.ts'
import { playShard, type Shard, shardText } from '../experiment/fleet-shard.ts'
import {
  binOption,
  formatOption,
  type Given,
  outOption,
  scenarioOptions,
  shardOption,
  wordsOf,
  workersOption,
} from '../options.ts'
import { withThousands } from '../present/numbers.ts'
import type { Terminal } from '../terminal.ts'
import { untilInterrupted } from './interrupt.ts'
import { note } from './loading.ts'
import { writeOut } from './output.ts'
import { changesOf, loadTelling, showingOf, tellResult } from './result.ts'

export async function fleet(words: readonly string[], given: Given, terminal: Terminal): Promise<ExitCode> {
  const division = shardOption(given)
  const showing = showingOf(given)
  const workers = workersOption(given)
  const bin = binOption(given)
  const own = scenarioOptions(given)
  const options = bin === undefined ? own : { ...own, sets: [...own.sets, `fleet.bin=${bin}`] }
  if (division !== undefined) refuseFormats(given)

  return untilInterrupted(async (signal) => {
    const { quiet, outFiles } = showing
    const loaded = loadTelling(words, options, terminal, quiet)
    for (const [i, { scenario }] of loaded.entries())
      if (scenario.fleet === undefined) throw new UsageError(noFleet(words[i] ?? ''))
    const playing = { workers, signal, progress: telling(terminal, quiet) }
    if (division !== undefined) {
      const shard = await playShard({ words, options, loaded }, division, playing)
      return writeShard(shard, outFiles[0]?.file, terminal, quiet)
    }
    const scenarios = await runFleets(loaded, changesOf(options), playing)
    const command = ['fleet', ...words, ...wordsOf(options)]
    return tellResult({ version: packageVersion(), command, scenarios }, showing, terminal)
  }, terminal)
}

const noFleet = (file: string): string =>
  `${file} is about one task, which run replays; for many add a line such as\n  fleet: { tasks: 1000, window: 1h }`

/** Somebody who waits longer than this wants to know for what. */
const PATIENCE_MS = 1_000

/** Says once a second how many parts are done, but never of the last. */
export function telling(terminal: Terminal, quiet: boolean): FleetProgress {
  let toldMs = performance.now()
  return (done, all) => {
    if (performance.now() - toldMs < PATIENCE_MS || done === all) return
    toldMs = performance.now()
    note([`${withThousands(done)} of ${withThousands(all)} parts`], terminal, quiet)
  }
}

/** @throws UsageError for what only a whole result has */
function refuseFormats(given: Given): void {
  for (const option of ['format', 'series'] as const)
    if (given[option] !== undefined)
      throw new UsageError(`--${option} goes with merge: a shard is part of a result, and always JSON`)
  formatOption(given)
  const files = outOption(given)
  if (files.length > 1) throw new UsageError('a shard goes to one file: give --out once')
  for (const { file, format } of files)
    if (format !== 'json') throw new UsageError(`--out ${file}: a shard is JSON: .json`)
}

function writeShard(shard: Shard, file: string | undefined, terminal: Terminal, quiet: boolean): ExitCode {
  if (file === undefined) terminal.stdout.write(shardText(shard))
  else {
    const { i, n } = shard.content.shard
    writeOut(file, shardText(shard))
    note([`wrote shard ${i} of ${n} to ${file}`], terminal, quiet)
  }
  return EXIT.fine
}
