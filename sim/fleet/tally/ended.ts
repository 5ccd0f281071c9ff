import { createBatch, type TaskBatch } from '../batch.ts'
import { createTaskEnds, type TaskEnds } from './task-ends.ts'

/** Tasks that ended, of one block, gathered until there are enough to count them together. */
export interface Ended {
  /** What the task was: its arrival, length and kind. */
  tasks: TaskBatch
  ends: TaskEnds
}

export function createEnded(): Ended {
  const tasks = createBatch()
  const ends = createTaskEnds()
  ends.arrivalUs = tasks.arrivalUs
  ends.lengthUs = tasks.lengthUs
  return { tasks, ends }
}
