/** Files with measured values and recorded arrivals: read when a scenario names them, and listed with what it was made from. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { timesOfColumn } from './column.ts'
import type { ColumnRef } from './distribution.ts'
import type { Trace } from './fleet.ts'
import type { Place } from './place.ts'
import type { SourceFile } from './scenario.ts'
import { readTrace, type TraceKey, type TraceSpec } from './trace/trace.ts'

export interface Columns {
  /** A column of a file that is named at a place. */
  read(ref: ColumnRef, from: Place): { valuesUs: readonly number[] } | { problem: string }
  /** The tasks of a file that is named at a place. */
  readTrace(file: string, spec: TraceSpec, from: Place): { trace: Trace } | { problem: string; key: TraceKey }
  /** The files that were read, in the order they were asked for. */
  files(): readonly SourceFile[]
}

interface MeasuredFile {
  bytes: Uint8Array
  sha256: string
  /** What was read of it, by what was asked for: variants of a scenario ask for the same again. */
  traces: Map<string, ReturnType<typeof readTrace>>
}

/** Paths are relative to the file they stand in; on the command line to the scenario. */
export function createColumns(scenarioFile: string): Columns {
  const opened = new Map<string, MeasuredFile>()

  function open(
    file: string,
    { source }: Place,
  ): { path: string; found: MeasuredFile } | { problem: string } {
    const isFile = source.origin === 'file' || source.origin === 'base'
    const folder = posix.dirname(isFile ? source.name : scenarioFile)
    const path = posix.isAbsolute(file) ? posix.normalize(file) : posix.join(folder, file)
    const known = opened.get(path)
    if (known !== undefined) return { path, found: known }
    try {
      const bytes = readFileSync(path)
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      const found = { bytes, sha256, traces: new Map() }
      opened.set(path, found)
      return { path, found }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      const what = code === 'ENOENT' ? 'there is no file' : 'this file cannot be read:'
      return { problem: `${what} ${path} (it is looked for beside the scenario)` }
    }
  }

  return {
    read({ file, column }, from) {
      const result = open(file, from)
      if ('problem' in result) return result
      const times = timesOfColumn(result.found.bytes, column)
      return 'problem' in times ? { problem: `${result.path}: ${times.problem}` } : times
    },
    readTrace(file, spec, from) {
      const result = open(file, from)
      if ('problem' in result) return { ...result, key: 'file' }
      const { traces, bytes } = result.found
      const asked = JSON.stringify(spec)
      const known = traces.get(asked) ?? readTrace(result.path, bytes, spec)
      traces.set(asked, known)
      return known
    },
    files: () => [...opened].map(([file, { sha256 }]) => ({ file, sha256 })),
  }
}
