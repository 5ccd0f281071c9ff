/**
 * The clock of an agent that serves the real world: the machine's own time,
 * or a multiple of it. Runs that are measured never see it.
 */
import type { Cancel, Clock } from './clock.ts'
import { createEventQueue } from './event-queue.ts'
import { sleepOn } from './sleep.ts'
import { US_PER_MS } from './units.ts'

/** What a real clock asks of the machine. */
export interface MachineTime {
  /** Milliseconds with decimals since any beginning; never goes back. */
  nowMs(): number
  /** Milliseconds since 1970, as the machine's calendar has them now. */
  calendarMs(): number
  /** Calls `act` later: after a delay up to `DELAY_MS_MAX`, or for 0 as soon as the event loop comes round. */
  after(delayMs: number, act: () => void): Cancel
}

/** The longest delay Node's timers know, 24.8 days; anything longer fires at once. */
export const DELAY_MS_MAX = 2 ** 31 - 1

/** The time of the machine this runs on. */
export const machineTime: MachineTime = {
  nowMs: () => performance.now(),
  calendarMs: () => Date.now(),
  after(delayMs, act) {
    if (delayMs === 0) {
      const immediate = setImmediate(act)
      return () => clearImmediate(immediate)
    }
    const timer = setTimeout(act, Math.ceil(delayMs))
    return () => clearTimeout(timer)
  },
}

export interface RealClock {
  clock: Clock
  /** What is pending never happens, nor does what is scheduled from now on: nothing keeps the process alive. */
  close: () => void
}

/**
 * A clock that reads 0 now and moves `speed` times as fast as the machine's.
 * Every instant is computed from that beginning, so that late timers never add
 * up. Events happen late by what the machine needs, earliest first, each in a
 * turn of the event loop of its own; at one instant, in the order they were
 * scheduled. **An instant that has gone by is no error here**, as nobody can
 * hold real time still between looking and scheduling: it happens at once.
 */
export function createRealClock({
  speed = 1,
  machine = machineTime,
}: { speed?: number; machine?: MachineTime } = {}): RealClock {
  const startMs = machine.nowMs()
  const epochMs = machine.calendarMs()
  const usPerMs = US_PER_MS * speed
  const events = createEventQueue<() => void>()
  let alarm: { atUs: number; cancel: Cancel } | undefined
  let closed = false

  const nowUs = () => Math.floor((machine.nowMs() - startMs) * usPerMs)

  /** One timer, for the earliest event. */
  function setAlarm(): void {
    const atUs = closed ? undefined : events.peekTimeUs()
    if (alarm?.atUs === atUs) return
    alarm?.cancel()
    alarm = undefined
    if (atUs === undefined) return
    const delayMs = startMs + atUs / usPerMs - machine.nowMs()
    alarm = { atUs, cancel: machine.after(Math.min(Math.max(delayMs, 0), DELAY_MS_MAX), ring) }
  }

  function ring(): void {
    alarm = undefined
    // A timer may be a little early, and one for a distant event was cut short.
    const act = (events.peekTimeUs() ?? Infinity) <= nowUs() ? events.pop() : undefined
    setAlarm()
    act?.()
  }

  const at: Clock['at'] = (atUs, act) => {
    if (!Number.isSafeInteger(atUs))
      throw new RangeError(
        `cannot schedule at ${atUs} µs: instants are whole microseconds (now: ${nowUs()} µs)`,
      )
    const entry = events.push(atUs, act)
    setAlarm()
    return () => {
      events.remove(entry)
      setAlarm()
    }
  }

  return {
    clock: {
      nowUs,
      at,
      sleep: sleepOn({ nowUs, at }),
      waiting: () => () => {},
      dateOf: (atUs) => new Date(epochMs + Math.floor(atUs / US_PER_MS)),
    },
    close() {
      closed = true
      setAlarm()
    },
  }
}
