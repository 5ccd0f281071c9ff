import type { Cancel, Clock } from '../kernel/clock.ts'

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
  /** Earliest first; equal instants in the order they were added. */
  let pending: Due[] = []
  /** How many of `pending` are done. */
  let done = 0
  let alarm: { dueUs: number; cancel: Cancel } | undefined

  const nextUs = () => pending[done]?.dueUs

  function catchUp(): void {
    const nowUs = clock.nowUs()
    for (let next = pending[done]; next !== undefined && next.dueUs <= nowUs; next = pending[done]) {
      done += 1
      next.act()
    }
    setAlarm()
  }

  /** One alarm for the earliest entry is enough, however long the agenda. */
  function setAlarm(): void {
    const dueUs = nextUs()
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
      // A stable sort keeps the order of equal instants.
      pending = [...pending.slice(done), ...entries].sort((a, b) => a.dueUs - b.dueUs)
      done = 0
      setAlarm()
      return () => {
        const off = new Set(entries)
        pending = pending.slice(done).filter((entry) => !off.has(entry))
        done = 0
        setAlarm()
      }
    },
    catchUp,
  }
}
