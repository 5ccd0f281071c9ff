import { existsSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { UsageError } from '../exit.ts'

/**
 * The file is there as a whole or as it was before: what is written lies beside
 * it under another name until it is complete.
 *
 * @throws UsageError if the file cannot be written
 */
export function writeOut(file: string, text: string): void {
  try {
    if (existsSync(file) && !statSync(file).isFile()) writeFileSync(file, text)
    else writeWhole(existsSync(file) ? realpathSync(file) : file, text)
  } catch (error) {
    throw new UsageError(`cannot write ${file}: ${(error as Error).message}`)
  }
}

function writeWhole(file: string, text: string): void {
  const beside = `${file}.${process.pid}.part`
  try {
    writeFileSync(beside, text)
    renameSync(beside, file)
  } catch (error) {
    rmSync(beside, { force: true })
    throw error
  }
}
