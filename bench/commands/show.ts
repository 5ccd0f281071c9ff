import { EXIT, type ExitCode } from '../exit.ts'
import { type Given, scenarioOptions } from '../options.ts'
import { asResolved } from '../present/resolved.ts'
import type { Terminal } from '../terminal.ts'
import { load, note, onlyScenario } from './loading.ts'

/** Prints a scenario as resolved. */
export async function show(words: readonly string[], given: Given, terminal: Terminal): Promise<ExitCode> {
  const loaded = load(onlyScenario('show', words), scenarioOptions(given))
  note(loaded.warnings, terminal, given['quiet'] === true)
  terminal.stdout.write(asResolved(loaded))
  return EXIT.fine
}
