/** From the words of the command line to checked scenarios. */
import { loadScenario } from '../../sim/index.ts'
import type { LoadedScenario } from '../../sim/index.ts'
import { UsageError } from '../exit.ts'
import type { ScenarioOptions } from '../options.ts'
import type { Terminal } from '../terminal.ts'

/** @throws ScenarioError with everything that is wrong with the file or with the changes to it */
export function load(
  file: string,
  { mechanisms, sets, binding, seed, thresholds }: ScenarioOptions,
): LoadedScenario {
  return loadScenario(file, {
    mechanisms,
    set: sets,
    thresholds,
    ...(binding !== undefined && { binding }),
    ...(seed !== undefined && { seed }),
  })
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
