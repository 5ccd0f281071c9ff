/** What processes wait for, and how they wait for one thing only. */
import type { Pending, ProcessWorld } from './client-world.ts'
import type { Process, Waitable } from './process.ts'

/** The answer to a call, which is broken off if whoever waits for it is stopped. @throws CallError if it failed */
export function* answered<T>(call: Pending<T>): Process<T> {
  try {
    yield call
    return call.take()
  } finally {
    call.abandon()
  }
}

/** To an instant of the client's clock. One that has come already still takes a turn of the clock. */
export function* sleep(world: Pick<ProcessWorld, 'timer'>, atUs: number): Process<void> {
  const timer = world.timer(atUs)
  try {
    yield timer
  } finally {
    timer.cancel()
  }
}

/** To an instant of the client's clock, if it has not come. */
export function* sleepUntil(world: Pick<ProcessWorld, 'timer' | 'nowUs'>, atUs: number): Process<void> {
  if (atUs > world.nowUs()) yield* sleep(world, atUs)
}

/** Tells one process what another has done. */
export interface Bell extends Waitable {
  /** It stays rung: whoever waits for it goes on, now or later. */
  ring(): void
  hush(): void
}

export function createBell(): Bell {
  let ready = false
  return {
    get ready() {
      return ready
    },
    wake: undefined,
    ring() {
      ready = true
      this.wake?.()
    },
    hush() {
      ready = false
    },
  }
}

/** A timer that can be set anew while somebody waits for it. */
export interface Alarm extends Waitable {
  /** Whatever else happens at that instant goes first. An instant that is past is now. */
  setTo(atUs: number): void
  off(): void
}

export function createAlarm(world: Pick<ProcessWorld, 'timer' | 'nowUs'>): Alarm {
  const bell = createBell()
  let off = (): void => {}
  return {
    get ready() {
      return bell.ready
    },
    get wake() {
      return bell.wake
    },
    set wake(wake) {
      bell.wake = wake
    },
    setTo(atUs) {
      off()
      const timer = world.timer(Math.max(atUs, world.nowUs()), true)
      timer.wake = () => bell.ring()
      off = () => timer.cancel()
    },
    off: () => off(),
  }
}
