/**
 * Time as foreign code sees it: `setTimeout`, `Date`, `AbortSignal.timeout` and
 * their kin follow virtual time, in whole milliseconds as on Node. This is the
 * only file that touches globals; `virtual-time.ts` is the only one to use it.
 */
import { syncBuiltinESMExports } from 'node:module'
import timersPromises from 'node:timers/promises'
import { promisify } from 'node:util'
import { install } from '@sinonjs/fake-timers'

/** The longest delay Node's timers know; the sentinel must respect it too. */
const DELAY_MS_MAX = 2 ** 31 - 1

/**
 * Everything whose time must be virtual. Left native on purpose: `nextTick`,
 * `queueMicrotask` and `setImmediate` take no time, and faking them breaks
 * reading the body of a `Response`.
 */
const FAKED = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'] as const

export interface ForeignTimers {
  /** Milliseconds since the run began. */
  nowMs(): number
  /**
   * Fires the earliest timer due at or before `limitMs` and tells whether there
   * was one. If there was none, the clock now reads `limitMs`. An error thrown
   * by the timer's callback passes through.
   */
  fireOneUpTo(limitMs: number): boolean
  /** Makes the clock read `nowMs` and fires nothing on the way. Only for the end of a run: it shifts what is pending. */
  jumpTo(nowMs: number): void
  /** How many timers are pending. */
  pending(): number
  /** Pending timers that somebody could have cleared: all but those of `AbortSignal.timeout`. */
  leftBehind(): number
  /** Gives all globals back. Timers still pending never fire. */
  restore(): void
}

export function installForeignTimers(epochMs: number): ForeignTimers {
  const fake = install({ now: epochMs, toFake: [...FAKED], shouldClearNativeTimers: true })
  const { setTimeout: setExactTimeout, setInterval: setExactInterval } = fake

  // Every faked function, those of `node:timers/promises` included, looks its method up here when it is called.
  fake.setTimeout = (callback, delay, ...args) => setExactTimeout(callback, delayAsOnNode(delay), ...args)
  fake.setInterval = (callback, delay, ...args) => setExactInterval(callback, delayAsOnNode(delay), ...args)
  Object.assign(globalThis.setTimeout, { [promisify.custom]: timersPromises.setTimeout })

  const { scheduler } = timersPromises
  scheduler.wait = (delay, options) => timersPromises.setTimeout(delay, undefined, options)

  const timeoutDescriptor = Object.getOwnPropertyDescriptor(AbortSignal, 'timeout') as PropertyDescriptor
  let timeoutsPending = 0
  AbortSignal.timeout = (delay) => {
    if (!Number.isInteger(delay) || delay < 0 || delay >= 2 ** 32)
      throw new RangeError(`AbortSignal.timeout takes whole milliseconds from 0 to 2^32 - 1, not ${delay}`)
    const controller = new AbortController()
    timeoutsPending += 1
    fake.setTimeout(() => {
      timeoutsPending -= 1
      controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'))
    }, delay)
    return controller.signal
  }

  // Without this, `import { setTimeout } from 'node:timers/promises'` keeps the real one.
  syncBuiltinESMExports()

  const nowMs = (): number => fake.now - epochMs

  return {
    nowMs,
    fireOneUpTo(limitMs) {
      if (fake.countTimers() === 0) {
        if (limitMs > nowMs()) fake.tick(limitMs - nowMs())
        return false
      }
      for (;;) {
        // The sentinel is younger than every other timer, so all that are due at its instant go before it.
        let sentinelFired = false
        const delayMs = Math.min(limitMs - nowMs(), DELAY_MS_MAX)
        const sentinel = setExactTimeout(() => {
          sentinelFired = true
        }, delayMs)
        try {
          fake.next()
        } finally {
          if (!sentinelFired) fake.clearTimeout(sentinel)
        }
        if (!sentinelFired) return true
        if (nowMs() === limitMs) return false
      }
    },
    jumpTo(ms) {
      fake.setSystemTime(epochMs + ms)
    },
    pending: () => fake.countTimers(),
    leftBehind: () => fake.countTimers() - timeoutsPending,
    restore() {
      // uninstall() reads from its own functions how the globals were before.
      fake.setTimeout = setExactTimeout
      fake.setInterval = setExactInterval
      fake.uninstall()
      Reflect.deleteProperty(scheduler, 'wait')
      Object.defineProperty(AbortSignal, 'timeout', timeoutDescriptor)
      syncBuiltinESMExports()
    },
  }
}

/**
 * A delay by Node's rule: whole milliseconds, at least 1, and 1 with a warning
 * if it does not fit in 31 bits. fake-timers alone would let a delay of 0 fire
 * at the same instant or not, depending on the caller, and an interval of 0
 * for ever. As every delay is at least 1 ms, no foreign timer is ever due at
 * the instant that created it.
 */
function delayAsOnNode(delay: unknown): number {
  const ms = Number(delay)
  if (ms > DELAY_MS_MAX) {
    process.emitWarning(`a delay of ${ms} ms is longer than Node's timers can wait; it becomes 1 ms`, {
      type: 'TimeoutOverflowWarning',
    })
    return 1
  }
  return ms >= 1 ? Math.trunc(ms) : 1
}
