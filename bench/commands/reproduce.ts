import { existsSync } from 'node:fs'
import { assetPath, GOLDEN_FOLDER } from '../assets.ts'
import { EXIT, type ExitCode, UsageError } from '../exit.ts'
import type { Given } from '../options.ts'
import { counted } from '../present/numbers.ts'
import type { Terminal } from '../terminal.ts'
import { differencesFrom, goldenTexts, writeTexts } from './golden.ts'
import { note } from './loading.ts'

/** Rebuilds the goldens, or only compares them; or runs the shipped studies. */
export async function reproduce(
  words: readonly string[],
  given: Given,
  terminal: Terminal,
): Promise<ExitCode> {
  if (given['studies'] === true) {
    if (words.length > 0 || given['check'] === true)
      throw new UsageError('reproduce --studies takes no scenario and no --check: it runs what is shipped')
    return (await import('./studies.ts')).reproduceStudies(given, terminal)
  }
  for (const option of ['format', 'workers'])
    if (given[option] !== undefined) throw new UsageError(`--${option} goes with reproduce --studies`)
  if (words.length > 0) throw new UsageError(`reproduce takes no scenario: it rebuilds ${GOLDEN_FOLDER}`)
  if (!existsSync(assetPath(GOLDEN_FOLDER)))
    throw new UsageError(`${GOLDEN_FOLDER} is part of a checkout of the sources, and this is none`)
  const texts = await goldenTexts()
  const differences = differencesFrom(texts)
  for (const { path, kind } of differences) terminal.stdout.write(`${kind.padEnd(8)}${path}\n`)
  if (given['check'] === true) {
    const judgement =
      differences.length === 0
        ? 'all equal'
        : `${counted(differences.length, 'difference')}: run reproduce, and look at each line that changed`
    note([`${counted(texts.size, 'text')} compared: ${judgement}`], terminal, given['quiet'] === true)
    return differences.length === 0 ? EXIT.fine : EXIT.missed
  }
  writeTexts(texts, differences)
  note(
    [`${counted(texts.size, 'text')} rebuilt, ${differences.length} of them changed`],
    terminal,
    given['quiet'] === true,
  )
  return EXIT.fine
}
