import { BATCH, BLOCKS } from '../blocks.ts'
import { createEnded, type Ended } from './ended.ts'
import type { Tally } from './tally.ts'
import { LEARNED, type TaskEnds } from './task-ends.ts'

/** Gathers tasks of many blocks as they end, and counts those of one block many at a time. */
export class Gathering {
  private readonly tally: Tally
  private readonly inWindow: (Ended | undefined)[] = Array.from({ length: BLOCKS })
  private readonly outside = createEnded()

  constructor(tally: Tally) {
    this.tally = tally
  }

  isCounted(arrivalUs: number): boolean {
    const { fromUs, toUs } = this.tally.shape.frame
    return arrivalUs >= fromUs && arrivalUs < toUs
  }

  /** Where the next task is to be told, in row `tasks.count`; then `told` is to be called. */
  of(block: number, isCounted: boolean): Ended {
    const ended = isCounted ? (this.inWindow[block] ??= createEnded()) : this.outside
    ended.tasks.block = block
    return ended
  }

  told(ended: Ended): void {
    if (++ended.tasks.count === BATCH) this.count(ended)
  }

  flush(): void {
    for (const ended of this.inWindow) if (ended !== undefined) this.count(ended)
    this.count(this.outside)
  }

  private count(ended: Ended): void {
    const { tasks, ends } = ended
    const { tally } = this
    if (ended !== this.outside) {
      if (areUsual(ends, tasks.count)) tally.addLearned(tasks.block, ends, 0, tasks.count)
      else tally.addTasks(tasks.block, ends, 0, tasks.count)
    }
    if (tally.shape.wanted.live) tally.live.addColumns(tasks.arrivalUs, ends.endUs, tasks.count)
    tasks.count = 0
  }
}

/** Whether all learned, each with one poll that brought news. */
function areUsual({ how, news }: TaskEnds, count: number): boolean {
  for (let i = 0; i < count; i++) if (how[i] !== LEARNED || news[i] !== 1) return false
  return true
}
