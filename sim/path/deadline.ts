import type { Cancel } from '../kernel/clock.ts'
import type { PathClock } from './clock.ts'

/**
 * Acts once the clock reads what `dueUs` says by then, which may have moved on
 * meanwhile; never, once it says `undefined`. What else happens at that instant
 * comes first: an octet that passes at the deadline is in time.
 *
 * @param rounds how often the others of the instant are let go first; of two deadlines at one instant the one with more comes last
 */
export function onceDue(
  clock: PathClock,
  dueUs: () => number | undefined,
  act: () => void,
  rounds: number,
): Cancel {
  let cancel: Cancel = () => {}
  let waited = 0

  function look(): void {
    const atUs = dueUs()
    if (atUs === undefined) return
    const nowUs = clock.nowUs()
    if (atUs > nowUs) waited = 0
    else if (waited++ === rounds) {
      act()
      return
    }
    cancel = clock.at(Math.max(atUs, nowUs), look)
  }

  const firstUs = dueUs()
  if (firstUs !== undefined) cancel = clock.at(firstUs, look)
  return () => cancel()
}
