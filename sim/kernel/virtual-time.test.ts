import { performance as nodePerformance } from 'node:perf_hooks'
import nodeTimers, { setTimeout as timersSetTimeout } from 'node:timers'
import timersPromises, { setInterval as eachInterval, setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Clock } from './clock.ts'
import { DeadlockError, inVirtualTime, StepLimitError } from './virtual-time.ts'
import type { VirtualTimeOptions } from './virtual-time.ts'

const EPOCH_MS = Date.UTC(2026, 0, 1)
const HOUR_US = 3_600_000_000
const DAY_US = 24 * HOUR_US

/** The value of a run that is expected to settle, with nothing left behind. */
async function valueOf<T>(
  main: (clock: Clock, signal: AbortSignal) => Promise<T>,
  options: Partial<VirtualTimeOptions> = {},
): Promise<T> {
  const end = await inVirtualTime({ horizonUs: HOUR_US, ...options }, main)
  if (end.kind !== 'settled') throw new Error(`the run reached its horizon; ${end.waiting.join()} waited`)
  expect(end.leftovers).toEqual({ events: 0, timers: 0, waiting: [] })
  return end.value
}

const never = (): Promise<never> => new Promise(() => {})

/** As many steps as a request of a real client takes, and more. */
async function manyMicrotasks(): Promise<void> {
  for (let i = 0; i < 50; i++) await Promise.resolve()
}

const sleepMs = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

describe('own time', () => {
  test('a wait is not cut to milliseconds', async () => {
    const woke = await valueOf(async (clock) => {
      await clock.sleep(1_500)
      return {
        nowUs: clock.nowUs(),
        dateMs: Date.now() - EPOCH_MS,
        perfMs: [performance.now(), nodePerformance.now()],
      }
    })
    expect(woke).toEqual({ nowUs: 1_500, dateMs: 1, perfMs: [1, 1] })
  })

  test('a day passes at once, and the end says when it was', async () => {
    const end = await inVirtualTime({ horizonUs: 2 * DAY_US }, (clock) => clock.sleep(DAY_US))
    expect(end).toMatchObject({ kind: 'settled', atUs: DAY_US })
  })

  test('events at one instant happen in the order they were scheduled, those added meanwhile last', async () => {
    const happened: string[] = []
    await valueOf(async (clock) => {
      clock.at(20, () => happened.push('later'))
      clock.at(10, () => {
        happened.push('first')
        clock.at(10, () => happened.push('added at the instant'))
      })
      clock.at(10, () => happened.push('second'))
      await clock.sleep(30)
    })
    expect(happened).toEqual(['first', 'second', 'added at the instant', 'later'])
  })

  test('promises come to rest before the next event, even one at the same instant', async () => {
    const happened: string[] = []
    await valueOf(async (clock) => {
      const slow = async (): Promise<void> => {
        await clock.sleep(10)
        await manyMicrotasks()
        happened.push('the first waiter is done')
      }
      const first = slow()
      clock.at(10, () => happened.push('the second event'))
      await first
      await clock.sleep(1)
    })
    expect(happened).toEqual(['the first waiter is done', 'the second event'])
  })

  test('a cancelled event does not happen, and does not keep a run alive', async () => {
    const run = inVirtualTime({ horizonUs: HOUR_US }, async (clock) => {
      const cancel = clock.at(1_000, () => {
        throw new Error('happened all the same')
      })
      cancel()
      cancel()
      await never()
    })
    await expect(run).rejects.toThrow(DeadlockError)
  })

  test('a sleep ends with the reason of its signal, and leaves no event and no listener', async () => {
    const reason = new Error('enough')
    const { signal, removed, rejected, atUs } = await valueOf(async (clock) => {
      const controller = new AbortController()
      const removed = vi.spyOn(controller.signal, 'removeEventListener')
      await clock.sleep(5, controller.signal)
      clock.at(20, () => controller.abort(reason))
      const rejected = await clock.sleep(1_000, controller.signal).catch((error: unknown) => error)
      return { signal: controller.signal, removed, rejected, atUs: clock.nowUs() }
    })
    expect(rejected).toBe(reason)
    expect(atUs).toBe(20)
    expect(removed).toHaveBeenCalledTimes(1)
    await valueOf((clock) => expect(clock.sleep(1, signal)).rejects.toBe(reason))
  })

  test.each([
    [4_999, 'cannot schedule at 4999 µs: the clock already reads 5000 µs'],
    [5_000.5, 'cannot schedule at 5000.5 µs: instants are whole microseconds (now: 5000 µs)'],
    [Number.NaN, 'cannot schedule at NaN µs: instants are whole microseconds (now: 5000 µs)'],
  ])('refuses to schedule at %d µs when it is 5000 µs', async (atUs, message) => {
    await valueOf(async (clock) => {
      await clock.sleep(5_000)
      expect(() => clock.at(atUs, () => {})).toThrow(new RangeError(message))
      await expect(clock.sleep(atUs - 5_000)).rejects.toThrow(new RangeError(message))
    })
  })

  test('gives the date of an instant', async () => {
    const date = await valueOf(async (clock) => clock.dateOf(90_001_999), { epochMs: Date.UTC(2030, 5, 1) })
    expect(date.toISOString()).toBe('2030-06-01T00:01:30.001Z')
    expect(Object.getPrototypeOf(date)).toBe(Date.prototype)
  })
})

describe('own time and foreign timers in one order', () => {
  test.each(['foreign first', 'own first'])(
    'at the same instant the foreign timer goes first: made %s',
    async (made) => {
      const happened: string[] = []
      const log = (what: string) => () => happened.push(`${what} at ${Date.now() - EPOCH_MS}`)
      await valueOf(async (clock) => {
        await clock.sleep(3_000)
        if (made === 'own first') clock.at(10_000, log('own'))
        setTimeout(log('foreign'), 7)
        if (made === 'foreign first') clock.at(10_000, log('own'))
        await clock.sleep(20_000)
      })
      expect(happened).toEqual(['foreign at 10', 'own at 10'])
    },
  )

  test('at the same instant all foreign timers go first, each side in the order it was made', async () => {
    const happened: string[] = []
    const log = (what: string) => () => void happened.push(what)
    await valueOf(async (clock) => {
      clock.at(10_000, log('own a'))
      setTimeout(log('foreign a'), 10)
      clock.at(10_000, log('own b'))
      await clock.sleep(4_000)
      setTimeout(log('foreign b'), 6)
      await clock.sleep(6_000)
    })
    expect(happened).toEqual(['foreign a', 'foreign b', 'own a', 'own b'])
  })

  test('own events between two milliseconds happen between the foreign timers there', async () => {
    const seen: string[] = []
    await valueOf(async (clock) => {
      const log = (what: string) => () =>
        seen.push(`${what} ${clock.nowUs()} µs, ${Date.now() - EPOCH_MS} ms`)
      setTimeout(log('foreign'), 2)
      setTimeout(log('foreign'), 1)
      clock.at(999, log('own'))
      clock.at(1_001, log('own'))
      clock.at(1_999, log('own'))
      clock.at(2_000, log('own'))
      await clock.sleep(2_500)
      // By the clock it reads, 2 ms, a foreign timer counts to 3 ms.
      setTimeout(log('foreign'), 1)
      await clock.sleep(1_000)
    })
    expect(seen).toEqual([
      'own 999 µs, 0 ms',
      'foreign 1000 µs, 1 ms',
      'own 1001 µs, 1 ms',
      'own 1999 µs, 1 ms',
      'foreign 2000 µs, 2 ms',
      'own 2000 µs, 2 ms',
      'foreign 3000 µs, 3 ms',
    ])
  })

  test('an interval keeps its beat while own events happen between', async () => {
    const beats: number[] = []
    await valueOf(async (clock) => {
      const interval = setInterval(() => beats.push(clock.nowUs()), 10)
      for (let i = 0; i < 14; i++) await clock.sleep(2_500)
      clearInterval(interval)
      await clock.sleep(100_000)
    })
    expect(beats).toEqual([10_000, 20_000, 30_000])
  })

  test('promises come to rest between two foreign timers of one instant', async () => {
    const happened = await valueOf(async () => {
      const log: string[] = []
      const slow = async (): Promise<void> => {
        await sleepMs(10)
        await manyMicrotasks()
        log.push('first done')
      }
      const first = slow()
      const second = sleepMs(10).then(() => log.push('second'))
      await Promise.all([first, second])
      return log
    })
    expect(happened).toEqual(['first done', 'second'])
  })

  test('a foreign timer can wait 24 days while own events happen further away', async () => {
    const seen = await valueOf(
      async (clock) => {
        const late: number[] = []
        setTimeout(() => late.push(clock.nowUs()), 2 ** 31 - 1)
        await clock.sleep(100 * DAY_US)
        // The way to the next own event is longer than any foreign timer can be.
        setTimeout(() => late.push(clock.nowUs()), 2 ** 31 - 1)
        await clock.sleep(100 * DAY_US)
        return [...late, clock.nowUs()]
      },
      { horizonUs: 300 * DAY_US },
    )
    const longestUs = (2 ** 31 - 1) * 1_000
    expect(seen).toEqual([longestUs, 100 * DAY_US + longestUs, 200 * DAY_US])
  })
})

describe('foreign time', () => {
  test.each([
    { delay: 0, ms: 1 },
    { delay: -5, ms: 1 },
    { delay: Number.NaN, ms: 1 },
    { delay: undefined, ms: 1 },
    { delay: 1.9, ms: 1 },
    { delay: 2.9, ms: 2 },
    { delay: '12', ms: 12 },
  ])('a delay of $delay is $ms ms, as on Node, wherever it is asked for', async ({ delay, ms }) => {
    const elapsed = await valueOf(async (clock) => {
      const readings: number[] = []
      const before = clock.nowUs()
      const since = (): number => (clock.nowUs() - before) / 1_000
      await new Promise((resolve) => setTimeout(resolve, delay as number))
      readings.push(since())
      // Once more from within a timer's callback, and as an interval.
      await new Promise((resolve) => setTimeout(() => setTimeout(resolve, delay as number), 10))
      readings.push(since())
      await new Promise<void>((resolve) => {
        const interval = setInterval(() => {
          clearInterval(interval)
          resolve()
        }, delay as number)
      })
      readings.push(since())
      return readings
    })
    expect(elapsed).toEqual([ms, 10 + 2 * ms, 10 + 3 * ms])
  })

  test('a delay of more than 24.8 days becomes 1 ms with a warning, as on Node', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    const elapsed = await valueOf(async (clock) => {
      await sleepMs(2 ** 31)
      return clock.nowUs()
    })
    expect(elapsed).toBe(1_000)
    expect(warn).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('2147483648 ms'), {
      type: 'TimeoutOverflowWarning',
    })
    warn.mockRestore()
  })

  test('node:timers and node:timers/promises follow, imported as an ES module', async () => {
    const readings = await valueOf(async (clock) => {
      const at: number[] = []
      await new Promise((resolve) => timersSetTimeout(resolve, 1_000))
      at.push(clock.nowUs())
      expect(await wait(1_000, 'value')).toBe('value')
      at.push(clock.nowUs())
      // 0 is 1 ms here too.
      await promisify(setTimeout)(0)
      await wait(999)
      at.push(clock.nowUs())
      await timersPromises.scheduler.wait(1_000)
      at.push(clock.nowUs())
      for await (const beat of eachInterval(500, 'beat')) {
        at.push(clock.nowUs())
        if (at.length === 6) break
        expect(beat).toBe('beat')
      }
      return at
    })
    expect(readings).toEqual([1_000_000, 2_000_000, 3_000_000, 4_000_000, 4_500_000, 5_000_000])
  })

  test('a wait of node:timers/promises ends with its signal', async () => {
    const atUs = await valueOf(async (clock) => {
      const controller = new AbortController()
      clock.at(300_000, () => controller.abort(new Error('enough')))
      await expect(wait(1_000, undefined, { signal: controller.signal })).rejects.toThrow('enough')
      return clock.nowUs()
    })
    expect(atUs).toBe(300_000)
  })

  test.each(['alone', 'through AbortSignal.any'])('AbortSignal.timeout follows, %s', async (how) => {
    const seen = await valueOf(async (clock) => {
      const timeout = AbortSignal.timeout(5_000)
      const signal = how === 'alone' ? timeout : AbortSignal.any([new AbortController().signal, timeout])
      await clock.sleep(4_999_999)
      const before = signal.aborted
      await clock.sleep(1)
      return { before, after: signal.aborted, reason: signal.reason as DOMException }
    })
    expect(seen).toMatchObject({ before: false, after: true })
    expect(seen.reason).toBeInstanceOf(DOMException)
    expect(seen.reason.name).toBe('TimeoutError')
  })

  test('AbortSignal.timeout refuses what Node refuses', async () => {
    await valueOf(async () => {
      for (const delay of [-1, 1.5, Number.NaN, 2 ** 32])
        expect(() => AbortSignal.timeout(delay)).toThrow(
          `AbortSignal.timeout takes whole milliseconds from 0 to 2^32 - 1, not ${delay}`,
        )
    })
  })

  test('a timer made before the run can be cleared in it', async () => {
    const fired = vi.fn<() => void>()
    const timer = setTimeout(fired, 1)
    await valueOf(async () => clearTimeout(timer))
    await sleepMs(5)
    expect(fired).not.toHaveBeenCalled()
  })

  test('a streamed response body is read without real time', async () => {
    const text = await valueOf(async (clock) => {
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          await clock.sleep(1_000)
          controller.enqueue(new TextEncoder().encode('x'))
          if (clock.nowUs() === 3_000) controller.close()
        },
      })
      return new Response(body).text()
    })
    expect(text).toBe('xxx')
  })
})

describe('the end of a run', () => {
  const observed = (): unknown[] => [
    ...(
      [
        'setTimeout',
        'clearTimeout',
        'setInterval',
        'clearInterval',
        'setImmediate',
        'Date',
        'performance',
      ] as const
    ).map((name) => Object.getOwnPropertyDescriptor(globalThis, name)),
    ...Object.values(nodeTimers),
    ...Object.values(timersPromises),
    Object.getOwnPropertyDescriptor(AbortSignal, 'timeout'),
    Object.getOwnPropertyDescriptor(timersPromises.scheduler, 'wait'),
    Object.getOwnPropertyDescriptor(nodePerformance, 'now'),
    timersSetTimeout,
    wait,
    eachInterval,
    setTimeout[promisify.custom as never],
  ]
  const before = observed()

  afterEach(() => {
    // Each way a run can end is tested below; none may leave a trace.
    expect(observed()).toEqual(before)
  })

  test('within a run the globals are others', async () => {
    await valueOf(async () => expect(observed()).not.toEqual(before))
  })

  test('an error of main comes out as it is, after a rejection and after a throw', async () => {
    const failure = new Error('the client gave up')
    await expect(valueOf(() => Promise.reject(failure))).rejects.toBe(failure)
    const throwing = (): Promise<void> => {
      throw failure
    }
    await expect(valueOf(throwing)).rejects.toBe(failure)
  })

  test('an error of an event or of a foreign timer ends the run, and the signal says so', async () => {
    const failure = new Error('a bug in an event')
    const fail = (): never => {
      throw failure
    }
    let seen: AbortSignal | undefined
    const failing = (schedule: (clock: Clock) => void): Promise<unknown> =>
      valueOf(async (clock, signal) => {
        seen = signal
        schedule(clock)
        await never()
      })
    await expect(failing((clock) => clock.at(5, fail))).rejects.toBe(failure)
    expect(seen?.reason).toBe(failure)
    await expect(failing(() => setTimeout(fail, 5))).rejects.toBe(failure)
    expect(seen?.reason).toBe(failure)
  })

  test('a deadlock is an error that names who waits, and the instant', async () => {
    const run = inVirtualTime({ horizonUs: HOUR_US }, async (clock) => {
      clock.waiting('client 1 for the answer to GetTask')
      clock.waiting('client 2 for an event')
      const over = clock.waiting('the agent for its next update')
      await clock.sleep(20_000_000)
      over()
      await never()
    })
    const error = await run.catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(DeadlockError)
    expect(error).toMatchObject({
      atUs: 20_000_000,
      waiting: ['client 1 for the answer to GetTask', 'client 2 for an event'],
    })
    expect((error as Error).message).toMatch(
      /^deadlock at 20s: .*these wait: client 1 for the answer to GetTask; client 2 for an event\./,
    )
  })

  test('at the horizon everybody is told, and has time to tidy up', async () => {
    let seen: AbortSignal | undefined
    const end = await inVirtualTime({ horizonUs: 10_000_500 }, async (clock, signal) => {
      seen = signal
      const done = clock.waiting('the stream for its next event')
      const heartbeat = setInterval(() => {}, 1_000)
      await clock.sleep(DAY_US, signal).catch(async () => {
        expect(clock.nowUs()).toBe(10_000_500)
        expect(Date.now()).toBe(EPOCH_MS + 10_000)
        await manyMicrotasks()
        clearInterval(heartbeat)
        done()
      })
      await never()
    })
    expect(end).toEqual({
      kind: 'horizon',
      atUs: 10_000_500,
      waiting: ['the stream for its next event'],
      leftovers: { events: 0, timers: 0, waiting: [] },
    })
    expect(String(seen?.reason)).toBe('Error: the run reached its horizon of 10.0005s')
  })

  test.each([
    { horizonUs: 5_000, happened: ['own 4999'], now: 5 },
    { horizonUs: 5_001, happened: ['own 4999', 'foreign 5000', 'own 5000'], now: 5 },
    { horizonUs: 6_000, happened: ['own 4999', 'foreign 5000', 'own 5000', 'own 5001'], now: 6 },
  ])(
    'what is due at the horizon of $horizonUs µs or later does not happen',
    async ({ horizonUs, happened, now }) => {
      const log: string[] = []
      let dateAtTheEnd: number | undefined
      const end = await inVirtualTime({ horizonUs }, async (clock, signal) => {
        signal.addEventListener('abort', () => (dateAtTheEnd = Date.now() - EPOCH_MS))
        for (const atUs of [4_999, 5_000, 5_001, 6_000])
          clock.at(atUs, () => log.push(`own ${clock.nowUs()}`))
        for (const ms of [5, 6]) setTimeout(() => log.push(`foreign ${clock.nowUs()}`), ms)
        await never()
      })
      expect(log).toEqual(happened)
      expect(end).toMatchObject({ kind: 'horizon', atUs: horizonUs })
      expect(dateAtTheEnd).toBe(now)
      expect(end.leftovers.events + end.leftovers.timers + log.length).toBe(6)
    },
  )

  test('a run without end meets its step limit, which says what is pending', async () => {
    const run = inVirtualTime({ horizonUs: HOUR_US, stepLimit: 100 }, async (clock) => {
      clock.waiting('client 1 for the answer to GetTask')
      setTimeout(() => {}, 1_000)
      await clock.sleep(7_000_000 - 6_500_000)
      for (;;) await clock.sleep(0)
    })
    await expect(run).rejects.toThrow(StepLimitError)
    await expect(run).rejects.toThrow(
      'the run took 100 steps and stands at 500ms: 1 events pending (the next at 500ms), ' +
        '1 foreign timers pending, and these wait: client 1 for the answer to GetTask.',
    )
  })

  test('says what was left behind', async () => {
    const end = await inVirtualTime({ horizonUs: HOUR_US }, async (clock) => {
      clock.at(1_000, () => {})
      clock.at(1_000, () => {})()
      clearTimeout(setTimeout(() => {}, 10))
      setInterval(() => {}, 10)
      AbortSignal.timeout(30_000)
      clock.waiting('somebody forgotten')
      clock.waiting('somebody served')()
    })
    expect(end).toMatchObject({
      kind: 'settled',
      leftovers: { events: 1, timers: 1, waiting: ['somebody forgotten'] },
    })
  })

  test('foreign timers left behind never fire', async () => {
    const fired = vi.fn<() => void>()
    await inVirtualTime({ horizonUs: HOUR_US }, async () => void setTimeout(fired, 1))
    await valueOf((clock) => clock.sleep(10_000))
    expect(fired).not.toHaveBeenCalled()
  })

  test('a second run at the same time is refused and does not disturb the first', async () => {
    const end = await valueOf(async (clock) => {
      await expect(inVirtualTime({ horizonUs: HOUR_US }, async () => {})).rejects.toThrow(
        'another run is in virtual time in this process',
      )
      await sleepMs(1_000)
      return clock.nowUs()
    })
    expect(end).toBe(1_000_000)
  })

  test.each([0, -1, 1.5, Number.NaN])('refuses a horizon of %d', async (horizonUs) => {
    await expect(inVirtualTime({ horizonUs }, async () => {})).rejects.toThrow(
      `the horizon must be a whole number of microseconds above 0, not ${horizonUs}`,
    )
  })
})
