/** What `results/golden` and the scenario schema ought to hold, and how that differs from what they do hold. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import { eventsOf, SCHEMA_FILE, scenarioSchemaText } from '../../sim/index.ts'
import { replay, type Replay } from '../../sim/replay/index.ts'
import { assetPath, GOLDEN_FOLDER, packageVersion, shippedScenarios } from '../assets.ts'
import type { Experiment } from '../experiment/experiment.ts'
import { casesOf, cellsOf } from '../experiment/cases.ts'
import { resultOf } from '../experiment/run.ts'
import { present } from '../present/index.ts'
import { asTimeline } from '../present/timeline.ts'
import { USUAL_COLUMNS } from '../terminal.ts'
import { load, UNCHANGED } from './loading.ts'
import { rebuiltReadme } from './readme.ts'

/** Texts by their path in the package. */
export type Texts = ReadonlyMap<string, string>

export interface Difference {
  path: string
  kind: 'new' | 'changed' | 'gone'
}

const STYLE = { columns: USUAL_COLUMNS, colour: false }

const README = 'README.md'

/**
 * Every golden text, made anew: for each shipped scenario its table, JSON and timelines, the schema, the README's
 * tables. Shipped scenarios have one run of each cell; table and drawing come from the same.
 */
export async function goldenTexts(): Promise<Texts> {
  const texts = new Map<string, string>([[SCHEMA_FILE, scenarioSchemaText()]])
  for (const path of shippedScenarios()) {
    const loaded = load(assetPath(path), UNCHANGED)
    const { scenario } = loaded
    // What the fleet engine plays has no drawing.
    if (scenario.fleet !== undefined) continue
    const folder = `${GOLDEN_FOLDER}/${scenario.name}`
    const replays: Replay[] = []
    for (const cell of casesOf(loaded).flatMap(cellsOf)) replays.push(await replay(cell.scenario, cell.entry))
    const played = replays.map(({ row, records }) => ({ row, events: eventsOf(records) }))
    const result = resultOf(loaded, played, [])
    const experiment: Experiment = {
      version: packageVersion(),
      command: ['run', path],
      scenarios: [result],
    }
    texts.set(`${folder}/table.txt`, present(experiment, 'table', STYLE))
    texts.set(`${folder}/table.md`, present(experiment, 'markdown', STYLE))
    texts.set(`${folder}/result.json`, present(experiment, 'json', STYLE))
    for (const one of replays.slice(0, scenario.mechanisms.length))
      texts.set(
        `${folder}/timeline-${one.row.policy.replaceAll(/[^a-z0-9.]+/gi, '-')}.txt`,
        asTimeline({ scenario, ...one }),
      )
  }
  const readme = readFileSync(assetPath(README), 'utf8')
  texts.set(
    README,
    rebuiltReadme(readme, (scenario) => texts.get(`${GOLDEN_FOLDER}/${scenario}/table.md`) ?? ''),
  )
  return texts
}

/** How the files of this package differ from `texts`. Nothing else may lie in the folder of the goldens. */
export function differencesFrom(texts: Texts): Difference[] {
  const found = readdirSync(assetPath(GOLDEN_FOLDER), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => pathInPackage(`${parentPath}/${name}`))
  const gone = found.filter((path) => !texts.has(path)).toSorted()
  return [
    ...[...texts].flatMap(([path, text]): Difference[] => {
      const file = assetPath(path)
      if (!existsSync(file)) return [{ path, kind: 'new' }]
      return readFileSync(file, 'utf8') === text ? [] : [{ path, kind: 'changed' }]
    }),
    ...gone.map((path): Difference => ({ path, kind: 'gone' })),
  ]
}

const pathInPackage = (file: string): string => relative(assetPath('.'), file).replaceAll('\\', '/')

/** Makes the files of this package equal to `texts`, where they differ. */
export function writeTexts(texts: Texts, differences: readonly Difference[]): void {
  for (const { path, kind } of differences) {
    const file = assetPath(path)
    if (kind === 'gone') rmSync(file)
    else {
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, texts.get(path) as string)
    }
  }
}
