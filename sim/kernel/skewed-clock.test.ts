import { expect, test } from 'vitest'
import { skewedClock } from './skewed-clock.ts'
import { inVirtualTime } from './virtual-time.ts'

const HOUR_US = 3_600_000_000

async function sleptUs(rate: number, durationsUs: readonly number[]): Promise<number[]> {
  const instants: number[] = []
  await inVirtualTime({ horizonUs: HOUR_US }, async (clock) => {
    const skewed = skewedClock(clock, { rate, offsetUs: 0 })
    for (const us of durationsUs) {
      await skewed.sleep(us)
      instants.push(clock.nowUs())
    }
  })
  return instants
}

test('a clock that runs 10 % fast has waited 5 s after 4.545455 s, and 10 s after twice that', async () => {
  expect(await sleptUs(1.1, [5_000_000, 5_000_000])).toEqual([4_545_455, 9_090_910])
})

test('a slow one waits longer', async () => {
  expect(await sleptUs(0.8, [4_000_000])).toEqual([5_000_000])
})

test('a right one is the clock itself; an offset moves what it reads and not how long it waits', async () => {
  await inVirtualTime({ horizonUs: HOUR_US }, async (clock) => {
    expect(skewedClock(clock, { rate: 1, offsetUs: 0 })).toBe(clock)
    const ahead = skewedClock(clock, { rate: 1, offsetUs: 7_000_000 })
    expect(ahead.nowUs()).toBe(7_000_000)
    await ahead.sleep(3_000_000)
    expect([clock.nowUs(), ahead.nowUs()]).toEqual([3_000_000, 10_000_000])
  })
})

test('a wait for ever is no instant beyond numbers', async () => {
  const { kind } = await inVirtualTime({ horizonUs: HOUR_US }, (clock, signal) =>
    skewedClock(clock, { rate: 0.5, offsetUs: 0 })
      .sleep(2 ** 52, signal)
      .catch(() => {}),
  )
  expect(kind).toBe('horizon')
})
