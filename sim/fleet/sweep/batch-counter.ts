import type { TaskBatch } from '../batch.ts'
import type { TaskEnds } from '../tally/task-ends.ts'

/** Who counts something of its own of the tasks that a sweep has looked up. */
export interface BatchCounter {
  /** The first `count` tasks of a batch: all those that begin before the window is over. */
  add(batch: TaskBatch, ends: TaskEnds, count: number): void
}
