import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRealClock, DELAY_MS_MAX, type MachineTime } from './real-clock.ts'

const DAY_US = 86_400_000_000

/**
 * A machine whose time the test moves. Its timers are late, and early, as it is
 * told; like those of Node they know no delay above 2^31 - 1 ms.
 */
function machineOf({ startMs = 1_234.5, offByMs = 0 } = {}) {
  let nowMs = startMs
  const timers = new Set<{ dueMs: number; act: () => void }>()
  const machine: MachineTime = {
    nowMs: () => nowMs,
    calendarMs: () => Date.UTC(2026, 10, 30) + (nowMs - startMs),
    after(delayMs, act) {
      if (!(delayMs >= 0 && delayMs <= DELAY_MS_MAX)) throw new Error(`no timer can wait ${delayMs} ms`)
      const timer = { dueMs: nowMs + delayMs, act }
      timers.add(timer)
      return () => timers.delete(timer)
    },
  }
  return {
    machine,
    pending: () => timers.size,
    elapsedMs: () => nowMs - startMs,
    moveTo: (elapsedMs: number) => void (nowMs = startMs + elapsedMs),
    /** Lets timers fire, each followed by what waits for it, until there are none. */
    async runOut(): Promise<void> {
      for (let steps = 0; timers.size > 0; steps++) {
        if (steps > 10_000) throw new Error('the clock spins')
        const [next] = [...timers].toSorted((a, b) => a.dueMs - b.dueMs) as [
          { dueMs: number; act: () => void },
        ]
        timers.delete(next)
        // What comes early comes 0.4 ms early at most and leaves less to wait; what is late is late each time.
        nowMs = Math.max(nowMs, next.dueMs + (offByMs < 0 && next.dueMs - nowMs < 0.5 ? 0 : offByMs))
        next.act()
        await Promise.resolve()
      }
    },
  }
}

describe('the time a real clock reads', () => {
  test.each([
    [1, 2_000, 2_000_000],
    [100, 2_000, 200_000_000],
    [0.5, 2_000, 1_000_000],
    [1, 0.0015, 1],
  ])('at speed %d, after %d ms of the machine', (speed, elapsedMs, us) => {
    const { machine, moveTo } = machineOf()
    const { clock } = createRealClock({ speed, machine })
    expect(clock.nowUs()).toBe(0)
    moveTo(elapsedMs)
    expect(clock.nowUs()).toBe(us)
  })

  test('timestamps begin at the machine’s date and move with the clock', () => {
    const { machine, moveTo } = machineOf()
    const { clock } = createRealClock({ speed: 100, machine })
    moveTo(600)
    expect(clock.dateOf(clock.nowUs()).toISOString()).toBe('2026-11-30T00:01:00.000Z')
  })
})

describe('events', () => {
  test.each([0, -0.4, 7])('never early, in order, with timers that are off by %d ms', async (offByMs) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.integer({ min: 0, max: 20_000_000 }).map((us) => us - (us % 5_000_000)),
          { maxLength: 12 },
        ),
        fc.constantFrom(0.5, 1, 100),
        async (instants, speed) => {
          const world = machineOf({ offByMs })
          const { clock } = createRealClock({ speed, machine: world.machine })
          const happened: { atUs: number; serial: number; nowUs: number }[] = []
          for (const [serial, atUs] of instants.entries())
            clock.at(atUs, () => happened.push({ atUs, serial, nowUs: clock.nowUs() }))
          await world.runOut()
          expect(happened.map(({ atUs, serial }) => [atUs, serial])).toEqual(
            instants
              .map((atUs, serial) => [atUs, serial] as [number, number])
              .toSorted((a, b) => a[0] - b[0]),
          )
          for (const { atUs, nowUs } of happened) expect(nowUs).toBeGreaterThanOrEqual(atUs)
        },
      ),
      { seed: 1, numRuns: 200 },
    )
  })

  test('late timers do not add up', async () => {
    const world = machineOf({ offByMs: 3 })
    const { clock } = createRealClock({ machine: world.machine })
    let last = Promise.resolve()
    for (let second = 1; second <= 100; second++)
      last = new Promise((resolve) => clock.at(second * 1_000_000, resolve))
    await Promise.all([last, world.runOut()])
    expect(world.elapsedMs()).toBeCloseTo(100_003, 6)
  })

  test('an instant that has gone by happens at once, and not before the caller is done', async () => {
    const world = machineOf()
    const { clock } = createRealClock({ machine: world.machine })
    world.moveTo(5_000)
    const happened: string[] = []
    clock.at(4_000_000, () => happened.push('later'))
    clock.at(1_000_000, () => happened.push('earlier'))
    expect(happened).toEqual([])
    await world.runOut()
    expect(happened).toEqual(['earlier', 'later'])
    expect(world.elapsedMs()).toBe(5_000)
  })

  test('what waits for an event goes before the next event of that instant', async () => {
    const world = machineOf()
    const { clock } = createRealClock({ machine: world.machine })
    const happened: string[] = []
    const first = clock.sleep(1_000_000).then(() => happened.push('slept'))
    clock.at(1_000_000, () => happened.push('next'))
    await Promise.all([first, world.runOut()])
    expect(happened).toEqual(['slept', 'next'])
  })

  test('a wait longer than any timer is served in pieces', async () => {
    const world = machineOf()
    const { clock } = createRealClock({ machine: world.machine })
    let atUs: number | undefined
    clock.at(60 * DAY_US, () => (atUs = clock.nowUs()))
    await world.runOut()
    expect(atUs).toBe(60 * DAY_US)
  })

  test('what is taken back leaves no timer; so does what its signal ends', async () => {
    const world = machineOf()
    const { clock } = createRealClock({ machine: world.machine })
    clock.at(1_000_000, () => {})()
    const controller = new AbortController()
    const sleeping = clock.sleep(5_000_000, controller.signal)
    expect(world.pending()).toBe(1)
    controller.abort(new Error('enough'))
    await expect(sleeping).rejects.toThrow('enough')
    expect(world.pending()).toBe(0)
  })

  test('one that throws does not stop those after it', async () => {
    const world = machineOf()
    const { clock } = createRealClock({ machine: world.machine })
    let happened = false
    clock.at(1_000_000, () => {
      throw new Error('the wheel came off')
    })
    clock.at(2_000_000, () => (happened = true))
    await expect(world.runOut()).rejects.toThrow('the wheel came off')
    await world.runOut()
    expect(happened).toBe(true)
  })

  test('an instant that is no whole number of microseconds is an error', () => {
    const { clock } = createRealClock({ machine: machineOf().machine })
    expect(() => clock.at(0.5, () => {})).toThrow(/^cannot schedule at 0\.5 µs: instants are whole/)
  })
})

test('a closed clock keeps nothing alive, whenever it was scheduled', async () => {
  const world = machineOf()
  const { clock, close } = createRealClock({ machine: world.machine })
  let happened = 0
  clock.at(1_000_000, () => happened++)
  close()
  expect(world.pending()).toBe(0)
  clock.at(2_000_000, () => happened++)
  expect(world.pending()).toBe(0)
  await world.runOut()
  expect(happened).toBe(0)
})

test('the time of this machine', async () => {
  const { clock, close } = createRealClock({ speed: 100 })
  const happened: string[] = []
  await new Promise<void>((resolve) => {
    clock.at(1_000_000, () => {
      happened.push('second')
      expect(clock.nowUs()).toBeGreaterThanOrEqual(1_000_000)
      resolve()
    })
    clock.at(0, () => happened.push('first'))
  })
  expect(happened).toEqual(['first', 'second'])
  expect(Math.abs(clock.dateOf(0).getTime() - Date.now())).toBeLessThan(60_000)
  close()
})
