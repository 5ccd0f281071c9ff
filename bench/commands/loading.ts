/** From the words of the command line to checked scenarios. */
import { loadScenario } from '../../sim/index.ts'
import type { LoadedScenario } from '../../sim/index.ts'
import { nameInResults } from '../assets.ts'
import { UsageError } from '../exit.ts'
import type { GivenMiss } from '../experiment/experiment.ts'
import type { ScenarioOptions } from '../options.ts'
import type { Terminal } from '../terminal.ts'

/** The options of who changes nothing. */
export const UNCHANGED: ScenarioOptions = {
  mechanisms: [],
  sets: [],
  binding: undefined,
  seed: undefined,
  replications: undefined,
  thresholds: [],
}

/** @throws ScenarioError with everything that is wrong with the file or with the changes to it */
export function load(
  file: string,
  { mechanisms, sets, binding, seed, replications, thresholds }: ScenarioOptions,
): LoadedScenario {
  return loadScenario(file, {
    mechanisms,
    set: replications === undefined ? sets : [...sets, `replications=${replications}`],
    thresholds,
    ...(binding !== undefined && { binding }),
    ...(seed !== undefined && { seed }),
  })
}

/**
 * A scenario to be replayed, in which one job is played.
 *
 * @throws UsageError for a fleet, beside what `load` throws
 */
export function loadOne(file: string, options: ScenarioOptions): LoadedScenario {
  const loaded = load(file, options)
  if (loaded.scenario.fleet !== undefined)
    throw new UsageError(`a fleet is played by the fleet engine: delivery-bench fleet ${file}`)
  return loaded
}

/** @throws UsageError if there is more than one word; that there is one, the command line has seen to */
export function onlyScenario(command: string, words: readonly string[]): string {
  const [file = '', ...more] = words
  if (more.length > 0) throw new UsageError(`${command} takes one scenario, not also ${more.join(' ')}`)
  return file
}

/** Notes for people on stderr, unless they asked for silence. */
export function note(lines: readonly string[], terminal: Terminal, quiet: boolean): void {
  if (!quiet) for (const line of lines) terminal.stderr.write(`${line}\n`)
}

/** Where a missed value is expected; `undefined` for a threshold. */
export const placeOf = ({ at }: GivenMiss): string | undefined =>
  at === undefined ? undefined : `${nameInResults(at.file)}:${at.line}:${at.column}`

/** A miss in a sentence, with what was given where that is not the scenario itself. */
export const missText = ({ given, message }: GivenMiss): string =>
  given === undefined ? message : `given ${given}: ${message}`
