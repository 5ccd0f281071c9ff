/** What polls that are known beforehand brought: which of them were worth asking. */
import { type FixedPolling, toldUs } from '../fixed-polling.ts'
import { firstPollFrom, pollAtUs } from '../schedule.ts'
import type { Tally } from '../tally/tally.ts'
import { LEARNED } from '../tally/task-ends.ts'
import type { BatchCounter } from './batch-counter.ts'

export interface NewsSweep extends BatchCounter {
  /** Polls that left in the window and are not empty: their answer told something new, or had not come when the run stopped. */
  notEmpty(): number
  /** Tasks of the window whose end came before the run's, whether anybody learned of it or not. */
  endsHappened(): number
}

export function createNewsSweep(
  { schedule, rows, horizonUs, upUs, downUs }: FixedPolling,
  { shape }: Tally,
): NewsSweep {
  const { fromUs, toUs } = shape.frame
  let notEmpty = 0
  let endsHappened = 0

  const countPollAt = (us: number): void => {
    if (us >= fromUs && us < toUs) notEmpty += 1
  }

  return {
    add({ arrivalUs, lengthUs, kind }, { polls: made, how, endUs }, count) {
      for (let i = 0; i < count; i++) {
        const arrival = arrivalUs[i] as number
        const length = lengthUs[i] as number
        const before = rows.before[kind[i] as number] as number
        const hasLearned = how[i] === LEARNED
        if (arrival >= fromUs && arrival + upUs + length < horizonUs) endsHappened += 1
        if (hasLearned) countPollAt((endUs[i] as number) - upUs - downUs)
        // The last poll of who learned is that of the end; of who did not, its answer may be on its way.
        const all = made[i] as number
        const others = hasLearned
          ? all - 1
          : Math.min(all, firstPollFrom(schedule, horizonUs - arrival - upUs - downUs))
        if (!hasLearned)
          for (let poll = others; poll < all; poll++) countPollAt(arrival + pollAtUs(schedule, poll))
        let latest = -1
        for (let update = 1; update <= before; update++) {
          const poll = firstPollFrom(schedule, toldUs(length, update, before))
          if (poll >= others) break
          if (poll !== latest) countPollAt(arrival + pollAtUs(schedule, poll))
          latest = poll
        }
      }
    },
    notEmpty: () => notEmpty,
    endsHappened: () => endsHappened,
  }
}
