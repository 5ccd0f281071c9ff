/** How tasks ended, as columns, one row a task. */
import { BATCH } from '../blocks.ts'

/** What became of a task: a row's `how`. */
export const LEARNED = 0
export const NOT_LEARNED = 1
export const FAILED = 2
/** It went on when the run stopped. */
export const UNFINISHED = 3

export interface TaskEnds {
  arrivalUs: Float64Array
  lengthUs: Float64Array
  /** From the end of the job to when it was learned; of those that learned. */
  lateUs: Float64Array
  /** When it was over for its client: learned, given up, or the run's end. */
  endUs: Float64Array
  /** Polls in all, and those of them that brought news. */
  polls: Float64Array
  news: Float64Array
  how: Uint8Array
}

export const createTaskEnds = (): TaskEnds => ({
  arrivalUs: new Float64Array(BATCH),
  lengthUs: new Float64Array(BATCH),
  lateUs: new Float64Array(BATCH),
  endUs: new Float64Array(BATCH),
  polls: new Float64Array(BATCH),
  news: new Float64Array(BATCH),
  how: new Uint8Array(BATCH),
})
