/** What all comparisons do: load their scenarios, and tell what came out. */
import type { LoadedScenario } from '../../sim/index.ts'
import { EXIT, type ExitCode } from '../exit.ts'
import type { Experiment } from '../experiment/experiment.ts'
import {
  formatOption,
  type Given,
  outOption,
  type OutFile,
  type ScenarioOptions,
  wordsOf,
} from '../options.ts'
import { present, type Format } from '../present/index.ts'
import { type Terminal, USUAL_COLUMNS } from '../terminal.ts'
import { load, missText, note, placeOf } from './loading.ts'
import { writeOut } from './output.ts'

/** What the command line changed in the scenarios. What it demands of them changes nothing. */
export const changesOf = (options: ScenarioOptions): string[] => wordsOf({ ...options, thresholds: [] })

/** Loads scenarios, and says on stderr what people should know of them. */
export function loadTelling(
  files: readonly string[],
  options: ScenarioOptions,
  terminal: Terminal,
  quiet: boolean,
): LoadedScenario[] {
  const loaded = files.map((file) => load(file, options))
  for (const { scenario, warnings, expectationsSkipped } of loaded) {
    const skipped = `what the file expects is not checked, because ${changesOf(options).join(' ')} changes it`
    const notes = expectationsSkipped ? [...warnings, skipped] : warnings
    note(
      notes.map((text) => `${scenario.name}: ${text}`),
      terminal,
      quiet,
    )
  }
  return loaded
}

/** How a result is shown. */
export interface Showing {
  format: Format
  outFiles: readonly OutFile[]
  series: boolean
  quiet: boolean
}

export const showingOf = (given: Given): Showing => ({
  format: formatOption(given),
  outFiles: outOption(given),
  series: given['series'] === true,
  quiet: given['quiet'] === true,
})

/** Prints a result, writes it to files, and says what it missed. */
export function tellResult(
  experiment: Experiment,
  { format, outFiles, series, quiet }: Showing,
  terminal: Terminal,
): ExitCode {
  const { columns = USUAL_COLUMNS, colour = false } = terminal
  // First of all what was asked for: a file that cannot be written must not cost the result.
  terminal.stdout.write(present(experiment, format, { columns, colour }, series))
  for (const { file, format: fileFormat } of outFiles) {
    writeOut(file, present(experiment, fileFormat, { columns: USUAL_COLUMNS, colour: false }, series))
    note([`wrote ${file}`], terminal, quiet)
  }
  const missed = experiment.scenarios.flatMap(({ scenario, misses }) =>
    misses.map((miss) => `${placeOf(miss) ?? scenario.name}: ${missText(miss)}`),
  )
  for (const miss of missed) terminal.stderr.write(`missed: ${miss}\n`)
  return missed.length > 0 ? EXIT.missed : EXIT.fine
}
