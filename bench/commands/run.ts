import { assetPath, packageVersion, DEFAULT_SCENARIOS } from '../assets.ts'
import { EXIT, type ExitCode } from '../exit.ts'
import { runScenarios } from '../experiment/run.ts'
import { formatOption, type Given, outOption, scenarioOptions, wordsOf, workersOption } from '../options.ts'
import { present } from '../present/index.ts'
import { type Terminal, USUAL_COLUMNS } from '../terminal.ts'
import { loadOne, missText, note, placeOf } from './loading.ts'
import { writeOut } from './output.ts'

/** Compares the mechanisms of each scenario. */
export async function run(words: readonly string[], given: Given, terminal: Terminal): Promise<ExitCode> {
  const format = formatOption(given)
  const outFiles = outOption(given)
  const workers = workersOption(given)
  const options = scenarioOptions(given)
  const quiet = given['quiet'] === true
  const changes = wordsOf({ ...options, thresholds: [] })

  const files = words.length > 0 ? words : DEFAULT_SCENARIOS.map(assetPath)
  const loaded = files.map((file) => loadOne(file, options))
  for (const { scenario, warnings, expectationsSkipped } of loaded) {
    const skipped = `what the file expects is not checked, because ${changes.join(' ')} changes it`
    const notes = expectationsSkipped ? [...warnings, skipped] : warnings
    note(
      notes.map((text) => `${scenario.name}: ${text}`),
      terminal,
      quiet,
    )
  }

  const scenarios = await runScenarios(loaded, { changes, workers })
  const experiment = {
    version: packageVersion(),
    command: ['run', ...words, ...wordsOf(options)],
    scenarios,
  }
  const { columns = USUAL_COLUMNS, colour = false } = terminal
  // First of all what was asked for: a file that cannot be written must not cost the result.
  terminal.stdout.write(present(experiment, format, { columns, colour }))
  for (const { file, format: fileFormat } of outFiles) {
    writeOut(file, present(experiment, fileFormat, { columns: USUAL_COLUMNS, colour: false }))
    note([`wrote ${file}`], terminal, quiet)
  }

  const missed = scenarios.flatMap(({ scenario, misses }) =>
    misses.map((miss) => `${placeOf(miss) ?? scenario.name}: ${missText(miss)}`),
  )
  for (const miss of missed) terminal.stderr.write(`missed: ${miss}\n`)
  return missed.length > 0 ? EXIT.missed : EXIT.fine
}
