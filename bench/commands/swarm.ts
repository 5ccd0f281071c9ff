/** Runs drawn from seeds, judged by invariants; or mistakes planted on purpose, to see that the judges find them. */
import { availableParallelism } from 'node:os'
import { didYouMean, writtenScenario } from '../../sim/index.ts'
import { drawScenario, goesWrong, PLANTS, shrink, type Violation } from '../../sim/swarm/index.ts'
import { EXIT, type ExitCode, UsageError } from '../exit.ts'
import { findPlant, runSwarm, type SwarmOptions } from '../experiment/swarm.ts'
import { formatOption, type Given, plantOption, swarmOptions, workersOption } from '../options.ts'
import { counted, withThousands } from '../present/numbers.ts'
import type { Terminal } from '../terminal.ts'
import { note } from './loading.ts'

/** Shrinking is for people to read: of many violations the first few are enough. */
const SHRUNK_MOST = 3

export async function swarm(words: readonly string[], given: Given, terminal: Terminal): Promise<ExitCode> {
  if (words.length > 0) throw new UsageError('swarm takes no scenario: it draws its own')
  const format = formatOption(given)
  if (format !== 'table' && format !== 'json')
    throw new UsageError(`a swarm is printed as table or json, not as ${format}`)
  const quiet = given['quiet'] === true
  const options = { ...swarmOptions(given), workers: workersOption(given) ?? availableParallelism() }
  const plant = plantOption(given)
  if (plant !== undefined) return plants(plant, options, format, terminal, quiet)

  const { seed, runs } = options
  note([`${counted(runs, 'run')}, seeds ${seed} to ${seed + runs - 1}`], terminal, quiet)
  const violations = await runSwarm(options, (done, found) =>
    note([`${ofRuns(done, runs)}, ${violationsText(found)}`], terminal, quiet),
  )
  terminal.stdout.write(format === 'json' ? asJson(options, violations) : await asText(options, violations))
  return violations.length > 0 ? EXIT.missed : EXIT.fine
}

const ofRuns = (done: number, runs: number): string => `${withThousands(done)} of ${counted(runs, 'run')}`

const violationsText = (count: number): string => (count === 0 ? 'no violation' : counted(count, 'violation'))

const replayOf = (seed: number): string => `delivery-bench swarm --runs 1 --seed ${seed}`

function asJson({ seed, runs }: SwarmOptions, violations: readonly Violation[]): string {
  const result = {
    format: 'delivery-bench-swarm/1',
    seed,
    runs,
    violations: violations.map((violation) => ({ ...violation, replay: replayOf(violation.seed) })),
  }
  return `${JSON.stringify(result, undefined, 2)}\n`
}

async function asText({ runs }: SwarmOptions, violations: readonly Violation[]): Promise<string> {
  const told: string[] = []
  for (const [index, violation] of violations.entries()) {
    const { seed, checker, wrong } = violation
    told.push(`seed ${seed}, ${checker}:`, ...wrong.map((sentence) => `  ${sentence}`))
    told.push(`  again: ${replayOf(seed)}`)
    if (index < SHRUNK_MOST) {
      told.push('  the smallest scenario that goes wrong so:')
      const smallest = await shrink(drawScenario(seed), (smaller) => goesWrong(seed, smaller, checker))
      told.push(
        ...writtenScenario(smallest)
          .trimEnd()
          .split('\n')
          .map((line) => `    ${line}`),
      )
    }
  }
  told.push(`${counted(runs, 'run')}, ${violationsText(violations.length)}`)
  return `${told.join('\n')}\n`
}

async function plants(
  name: string,
  options: SwarmOptions,
  format: 'table' | 'json',
  terminal: Terminal,
  quiet: boolean,
): Promise<ExitCode> {
  const names = PLANTS.map((plant) => plant.name)
  if (name !== 'all' && !names.includes(name))
    throw new UsageError(
      `there is no plant ${name}${didYouMean(name, names)}\nplants: all, ${names.join(', ')}`,
    )
  const found: FoundPlant[] = []
  for (const plant of PLANTS.filter((one) => name === 'all' || one.name === name)) {
    const violation = await findPlant(plant.name, options, (done) =>
      note([`${plant.name}: not found in ${ofRuns(done, options.runs)}`], terminal, quiet),
    )
    found.push({ plant: plant.name, forgot: plant.forgot, found: violation })
    // Each takes a while: people see them as they come.
    if (format === 'table') terminal.stdout.write(plantAsText(plant, violation, options))
  }
  if (format === 'json') terminal.stdout.write(plantsAsJson(found, options))
  return found.every((plant) => plant.found !== undefined) ? EXIT.fine : EXIT.missed
}

interface FoundPlant {
  plant: string
  forgot: string
  found: Violation | undefined
}

const plantReplayOf = (seed: number, plant: string): string => `${replayOf(seed)} --plant ${plant}`

function plantAsText(
  { name, forgot }: { name: string; forgot: string },
  violation: Violation | undefined,
  { seed: from, runs }: SwarmOptions,
): string {
  const told = [`${name}: forgot ${forgot}`]
  if (violation === undefined) told.push(`  not found in ${counted(runs, 'run')}`)
  else {
    const { seed, checker, wrong } = violation
    told.push(`  found by ${checker} after ${counted(seed - from + 1, 'run')}: ${wrong[0] ?? ''}`)
    told.push(`  again: ${plantReplayOf(seed, name)}`)
  }
  return `${told.join('\n')}\n`
}

function plantsAsJson(found: readonly FoundPlant[], { seed, runs }: SwarmOptions): string {
  const plants = found.map(({ plant, forgot, found: violation }) => ({
    plant,
    forgot,
    found: violation && { ...violation, replay: plantReplayOf(violation.seed, plant) },
  }))
  return `${JSON.stringify({ format: 'delivery-bench-swarm/1', seed, runs, plants }, undefined, 2)}\n`
}
