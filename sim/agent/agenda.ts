import type { Cancel, Clock } from '../kernel/clock.ts'
import { createEventQueue } from '../kernel/event-queue.ts'

/**
 * Later than any run lasts. Whoever waits for what may never happen keeps an
 * event there: to the run that is a wait up to its horizon, and no deadlock.
 */
export const NEVER_US = 2 ** 52

/** Something the agent does by itself at a known instant. */
export interface Due {
  dueUs: number
  act: () => void
}

/**
 * What the agent will do by itself. Each entry happens exactly once: by the
 * clock, so that streams and webhooks need no request to come by; or just
 * before a request of the same instant is served, if that comes first. Which of
 * the two it was makes no difference to any state.
 */
export interface Agenda {
  /**
   * Entries in the order of their instants; at one instant, entries added first
   * happen first. The result calls off those that have not happened.
   */
  add(entries: readonly Due[]): Cancel
  /** Does everything due by now. */
  catchUp(): void
}

export function createAgenda(clock: Clock): Agenda {
  const pending = createEventQueue<() => void>()
  let alarm: { dueUs: number; cancel: Cancel } | undefined

  function catchUp(): void {
    const nowUs = clock.nowUs()
    while ((pending.peekTimeUs() ?? Infinity) <= nowUs) pending.pop()?.()
    setAlarm()
  }

  /** One alarm for the earliest entry is enough, however long the agenda. */
  function setAlarm(): void {
    const dueUs = pending.peekTimeUs()
    if (alarm?.dueUs === dueUs) return
    alarm?.cancel()
    alarm =
      dueUs === undefined
        ? undefined
        : {
            dueUs,
            cancel: clock.at(dueUs, () => {
              alarm = undefined
              catchUp()
            }),
          }
  }

  return {
    add(entries) {
      const added = entries.map(({ dueUs, act }) => pending.push(dueUs, act))
      setAlarm()
      return () => {
        for (const entry of added) pending.remove(entry)
        setAlarm()
      }
    },
    catchUp,
  }
}
