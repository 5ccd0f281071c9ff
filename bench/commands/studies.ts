/** `reproduce --studies`: the shipped cases and studies, what is claimed or expected against what came out. */
import { readdirSync, readFileSync } from 'node:fs'
import { loadScenario, ScenarioError, type LoadedScenario, type Problem } from '../../sim/index.ts'
import { assetPath, nameInResults } from '../assets.ts'
import { EXIT, type ExitCode, UsageError } from '../exit.ts'
import { fleetProblem } from '../experiment/fleet.ts'
import { runStudies, type Study } from '../experiment/studies.ts'
import { formatOption, type Given, workersOption } from '../options.ts'
import { studiesAsJson, studiesAsText, type Deferred, type TestedStudy } from '../present/studies.ts'
import type { Terminal } from '../terminal.ts'
import { missText, note, placeOf } from './loading.ts'

const FOLDERS = ['scenarios/cases', 'scenarios/studies']

/** Studies that are no scenario but a test, with the file of the test. */
const TESTED = 'scenarios/studies/tests.json'

/** Runs every shipped case and study and says what became of each. */
export async function reproduceStudies(given: Given, terminal: Terminal): Promise<ExitCode> {
  const format = formatOption(given)
  if (format !== 'table' && format !== 'json')
    throw new UsageError(`studies are printed as table or json, not as ${format}`)
  const { loaded, deferred } = await loadAll(FOLDERS.flatMap(scenariosIn))
  const { studies: tested } = JSON.parse(readFileSync(assetPath(TESTED), 'utf8')) as {
    studies: TestedStudy[]
  }
  const quiet = given['quiet'] === true
  const studies = await runStudies(loaded, workersOption(given), ({ loaded: { scenario }, verdict }, count) =>
    note([`${count} of ${loaded.length}: ${scenario.name}, ${verdict}`], terminal, quiet),
  )
  const report = { studies, tested, deferred }
  terminal.stdout.write(format === 'json' ? studiesAsJson(report) : studiesAsText(report))
  const missed = studies.filter(({ verdict }) => verdict === 'missed')
  note(missed.flatMap(missesOf), terminal, false)
  return missed.length > 0 ? EXIT.missed : EXIT.fine
}

const scenariosIn = (folder: string): string[] =>
  readdirSync(assetPath(folder))
    .filter((name) => name.endsWith('.yaml'))
    .toSorted()
    .map((name) => `${folder}/${name}`)

/**
 * What a later release will run, or what the fleet engine does not play yet, is set aside, with the reason.
 *
 * @throws ScenarioError if a file is wrong otherwise
 */
async function loadAll(
  paths: readonly string[],
): Promise<{ loaded: LoadedScenario[]; deferred: Deferred[] }> {
  const loaded: LoadedScenario[] = []
  const deferred: Deferred[] = []
  for (const path of paths)
    try {
      const one = loadScenario(assetPath(path))
      const reason = one.scenario.fleet === undefined ? undefined : await fleetProblem(one)
      if (reason === undefined) loaded.push(one)
      else deferred.push({ file: path, reason })
    } catch (error) {
      const later = error instanceof ScenarioError ? error.problems.find(isLater) : undefined
      if (later === undefined) throw error
      deferred.push({ file: path, reason: later.message })
    }
  return { loaded, deferred }
}

/** Whatever else is wrong with such a file may follow from what is not understood yet. */
const isLater = ({ message }: Problem): boolean => message.includes('not of this release')

const missesOf = ({ loaded, misses, values }: Study): string[] => {
  const { name, files } = loaded.scenario
  const inFile = misses.map((miss) => `${placeOf(miss) ?? name}: ${missText(miss)}`)
  const failing = values
    .filter(({ holds }) => !holds)
    .map(
      ({ row, metric, said, wanted, obtained = 'nothing' }) =>
        `${row}: ${metric} is ${obtained}, ${said} ${wanted}`,
    )
  return (inFile.length > 0 ? inFile : failing.map((text) => `${nameInResults(files[0].file)}: ${text}`)).map(
    (text) => `missed: ${text}`,
  )
}
