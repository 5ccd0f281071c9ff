/** What resolving a section needs of the file around it. */
import type { ReadColumn } from './distribution.ts'
import type { Path } from './node.ts'

/** Reports a problem of the value at a path, or of its key. */
export type Say = (path: Path, message: string, key?: boolean) => void

export interface Surroundings {
  say: Say
  /** Reads the column that a distribution at a path names; what is wrong with the file is reported there. */
  columnAt: (path: Path) => ReadColumn
}
