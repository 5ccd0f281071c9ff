/** Scenario files that exist for one test. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { loadScenario, type LoadedScenario, type Overrides } from './load.ts'
import { ScenarioError } from './problem.ts'

/** A folder of its own for a test file; its path never shows in messages. */
export function createFiles() {
  const folder = mkdtempSync(join(tmpdir(), 'scenario-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  function write(texts: string | Uint8Array | Record<string, string>): void {
    const files =
      typeof texts === 'string' || texts instanceof Uint8Array ? { 'mine.yaml': texts } : { ...texts }
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  }

  return {
    /** Loads `mine.yaml` after writing it, or several files. */
    load(texts: string | Uint8Array | Record<string, string>, overrides?: Overrides): LoadedScenario {
      write(texts)
      return loadScenario(join(folder, 'mine.yaml'), overrides)
    },
    /** What the error says, without the folder; `fine` if there is none. */
    complaint(
      texts: string | Uint8Array | Record<string, string>,
      overrides?: Overrides,
      file = 'mine.yaml',
    ): string {
      write(texts)
      try {
        loadScenario(join(folder, file), overrides)
        return 'fine'
      } catch (error) {
        if (!(error instanceof ScenarioError)) throw error
        return error.message.replaceAll(`${folder}/`, '')
      }
    },
  }
}
