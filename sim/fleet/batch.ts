import { BATCH } from './blocks.ts'

/** Tasks of one block that follow each other, as columns. Made once and filled again and again. */
export interface TaskBatch {
  block: number
  /** Place of the first of them in the block. */
  index: number
  count: number
  /** When their sends leave; ascending. */
  arrivalUs: Float64Array
  /** Infinity for jobs that never end. */
  lengthUs: Float64Array
  /** Number of each task's kind among the fleet's jobs. */
  kind: Uint8Array
}

export const createBatch = (): TaskBatch => ({
  block: 0,
  index: 0,
  count: 0,
  arrivalUs: new Float64Array(BATCH),
  lengthUs: new Float64Array(BATCH),
  kind: new Uint8Array(BATCH),
})
