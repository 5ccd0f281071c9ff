import { assetPath, DEFAULT_SCENARIOS, packageVersion } from '../assets.ts'
import type { ExitCode } from '../exit.ts'
import type { FleetResult, ScenarioResult } from '../experiment/experiment.ts'
import { runScenarios } from '../experiment/run.ts'
import { type Given, scenarioOptions, wordsOf, workersOption } from '../options.ts'
import type { Terminal } from '../terminal.ts'
import { untilInterrupted } from './interrupt.ts'
import { changesOf, loadTelling, showingOf, tellResult } from './result.ts'

/** Compares the mechanisms of each scenario: one task is replayed, a fleet goes to the fleet engine. */
export async function run(words: readonly string[], given: Given, terminal: Terminal): Promise<ExitCode> {
  const showing = showingOf(given)
  const workers = workersOption(given)
  const options = scenarioOptions(given)
  const files = words.length > 0 ? words : DEFAULT_SCENARIOS.map(assetPath)
  const loaded = loadTelling(files, options, terminal, showing.quiet)
  const changes = changesOf(options)
  const experimentOf = (scenarios: readonly (ScenarioResult | FleetResult)[]) => ({
    version: packageVersion(),
    command: ['run', ...words, ...wordsOf(options)],
    scenarios,
  })

  const tasks = loaded.filter(({ scenario }) => scenario.fleet === undefined)
  const replays = await runScenarios(tasks, { changes, workers })
  if (tasks.length === loaded.length) return tellResult(experimentOf(replays), showing, terminal)

  const { telling } = await import('./fleet.ts')
  const { runFleets } = await import('../experiment/fleet.ts')
  return untilInterrupted(async (signal) => {
    const others = loaded.filter((one) => !tasks.includes(one))
    const progress = telling(terminal, showing.quiet)
    const fleets = await runFleets(others, changes, { workers, signal, progress })
    const results = loaded.map((one) => (tasks.includes(one) ? replays.shift() : fleets.shift()))
    return tellResult(experimentOf(results.filter((result) => result !== undefined)), showing, terminal)
  }, terminal)
}
