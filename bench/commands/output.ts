import { writeFileSync } from 'node:fs'
import { UsageError } from '../exit.ts'

/** @throws UsageError if the file cannot be written */
export function writeOut(file: string, text: string): void {
  try {
    writeFileSync(file, text)
  } catch (error) {
    throw new UsageError(`cannot write ${file}: ${(error as Error).message}`)
  }
}
