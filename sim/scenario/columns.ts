/** Files with measured values: read when a scenario names them, and listed with what it was made from. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { timesOfColumn } from './column.ts'
import type { ColumnRef } from './distribution.ts'
import type { Place } from './place.ts'
import type { SourceFile } from './scenario.ts'

export interface Columns {
  /** A column of a file that is named at a place. */
  read(ref: ColumnRef, from: Place): { valuesUs: readonly number[] } | { problem: string }
  /** The files that were read, in the order they were asked for. */
  files(): readonly SourceFile[]
}

/** Paths are relative to the file they stand in; on the command line to the scenario. */
export function createColumns(scenarioFile: string): Columns {
  const texts = new Map<string, { text: string; sha256: string }>()

  function textOf(file: string): string {
    const known = texts.get(file)
    if (known !== undefined) return known.text
    const bytes = readFileSync(file)
    const text = bytes.toString('utf8')
    texts.set(file, { text, sha256: createHash('sha256').update(bytes).digest('hex') })
    return text
  }

  return {
    read({ file, column }, { source }) {
      const isFile = source.origin === 'file' || source.origin === 'base'
      const path = posix.join(posix.dirname(isFile ? source.name : scenarioFile), file)
      let text: string
      try {
        text = textOf(path)
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException
        return {
          problem: `${code === 'ENOENT' ? 'there is no file' : 'this file cannot be read:'} ${path} (it is looked for beside the scenario)`,
        }
      }
      const result = timesOfColumn(text, column)
      return 'problem' in result ? { problem: `${path}: ${result.problem}` } : result
    },
    files: () => [...texts].map(([file, { sha256 }]) => ({ file, sha256 })),
  }
}
