import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EventHeap } from './event-heap.ts'
import { SortedWheel } from './sorted-wheel.ts'

/** What the wheel has to equal: a list kept in order of time, and of entry at equal times. */
class SortedList {
  private readonly events: { atUs: number; payload: number }[] = []

  push(atUs: number, payload: number): void {
    let at = this.events.length
    while (at > 0 && (this.events[at - 1]?.atUs ?? 0) > atUs) at--
    this.events.splice(at, 0, { atUs, payload })
  }

  peekUs(): number {
    return this.events[0]?.atUs ?? Infinity
  }

  shift(): number | undefined {
    return this.events.shift()?.payload
  }

  get size(): number {
    return this.events.length
  }
}

/** A step of a run: take out so many events, or look only, then push after these delays from the last one taken out. */
interface Step {
  take: number
  delaysUs: number[]
}

/** Plays the steps, then empties the wheel; every answer has to be that of the list. */
function playAgainstList(steps: readonly Step[], bucketUs: number): void {
  const wheel = new SortedWheel(bucketUs)
  const list = new SortedList()
  let nowUs = 0
  let payload = 0
  const takeOne = () => {
    expect(wheel.peekUs()).toBe(list.peekUs())
    nowUs = list.peekUs()
    expect(wheel.shift()).toBe(list.shift())
  }
  for (const { take, delaysUs } of steps) {
    for (let i = 0; i < take && list.size > 0; i++) takeOne()
    expect(wheel.peekUs()).toBe(list.peekUs())
    for (const delayUs of delaysUs) {
      const atUs = Math.min(nowUs + delayUs, Number.MAX_SAFE_INTEGER)
      wheel.push(atUs, payload)
      list.push(atUs, payload++)
    }
    expect(wheel.size).toBe(list.size)
  }
  while (list.size > 0) takeOne()
  expect([wheel.size, wheel.peekUs()]).toEqual([0, Infinity])
}

const bucketUs = fc.nat(20).map((power) => 2 ** power)
const step = (delay: fc.Arbitrary<number>, most: number) =>
  fc.record({ take: fc.nat(most), delaysUs: fc.array(delay, { maxLength: most }) })

describe('the sorted wheel gives what a sorted list gives', () => {
  test('for delays of all sizes, ties among them', () => {
    const delay = fc.oneof(
      fc.nat(3),
      fc.constantFrom(7000, 7_000_000),
      fc.nat(20_000),
      fc.nat(5_000_000),
      fc.maxSafeNat(),
    )
    fc.assert(fc.property(fc.array(step(delay, 20), { maxLength: 60 }), bucketUs, playAgainstList), {
      seed: 1,
      numRuns: 300,
    })
  })

  test('for herds, and what falls among them', () => {
    const delay = fc.oneof(fc.constant(0), fc.constant(1000), fc.nat(50), fc.nat(60_000))
    fc.assert(
      fc.property(fc.array(step(delay, 200), { maxLength: 15, size: 'max' }), bucketUs, playAgainstList),
      { seed: 2, numRuns: 100 },
    )
  })

  test('for a few events over ages', () => {
    const delay = fc.oneof(fc.nat(1000), fc.nat(2 ** 36), fc.nat(2 ** 44))
    fc.assert(fc.property(fc.array(step(delay, 4), { maxLength: 100 }), bucketUs, playAgainstList), {
      seed: 3,
      numRuns: 200,
    })
  })
})

/** Long runs, in which the width changes on its way; the heap, itself held against the list below, says what is right. */
function playAgainstHeap(
  events: number,
  live: number,
  bucketUs: number,
  delayUs: (i: number) => number,
): SortedWheel {
  const wheel = new SortedWheel(bucketUs)
  const heap = new EventHeap()
  const push = (atUs: number, payload: number) => {
    wheel.push(atUs, payload)
    heap.push(atUs, payload)
  }
  for (let i = 0; i < live; i++) push(delayUs(i), i)
  let wrong = 0
  for (let i = live; i < events; i++) {
    const atUs = heap.leastUs()
    if (wheel.peekUs() !== atUs || wheel.shift() !== heap.shift()) wrong++
    push(atUs + delayUs(i), i)
  }
  expect(wrong).toBe(0)
  expect(wheel.size).toBe(live)
  return wheel
}

/** Some whole number from 0 up to, but without, `below`, that looks like chance. */
const mixed = (i: number, below: number) => ((Math.imul(i, 0x9e3779b1) ^ (i << 7)) >>> 0) % below

describe('the sorted wheel keeps to the order of a heap', () => {
  test.each([1, 1024, 2 ** 20, 2 ** 28])('and finds the width of its buckets: at first %d µs', (width) => {
    const { bucketUs } = playAgainstHeap(200_000, 5000, width, (i) => mixed(i, 2_000_000))
    // 5000 events in a mean delay of 1 s are one in 200 µs; from 1 to 16 of them shall share a bucket.
    expect(bucketUs).toBeGreaterThan(200 / 2)
    expect(bucketUs).toBeLessThan(16 * 200 * 2)
  })

  test('when times get dense and sparse again', () => {
    playAgainstHeap(300_000, 3000, 1024, (i) => mixed(i, Math.floor(i / 50_000) % 2 === 0 ? 1000 : 2 ** 33))
  })

  test('when all are one herd', () => {
    playAgainstHeap(200_000, 20_000, 1024, (i) => (i < 20_000 ? 5 : 7_000_000))
  })

  test('when herds come back spread, and fall on the bucket at hand', () => {
    playAgainstHeap(200_000, 20_000, 2 ** 16, (i) => (i < 20_000 ? 5 : mixed(i, i % 3 === 0 ? 100 : 500_000)))
  })

  test('when what is far comes near, round after round', () => {
    playAgainstHeap(200_000, 2000, 1, (i) => mixed(i, i % 10 === 0 ? 2 ** 31 : 2 ** 20))
  })
})

test('what was far keeps its place before what comes to the same instant later', () => {
  const roundUs = 2 ** 24
  const wheel = new SortedWheel(1)
  wheel.push(roundUs + 10, 1)
  wheel.push(roundUs - 5000, 2)
  expect(wheel.shift()).toBe(2)
  wheel.push(roundUs + 10, 3)
  wheel.push(roundUs + 5, 4)
  expect([wheel.shift(), wheel.shift(), wheel.shift()]).toEqual([4, 1, 3])
})

test('the heap gives what a sorted list gives', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(30), fc.boolean()), { maxLength: 300, size: 'max' }), (steps) => {
      const heap = new EventHeap()
      const list = new SortedList()
      steps.forEach(([atUs, takes], payload) => {
        heap.push(atUs, payload)
        list.push(atUs, payload)
        if (!takes) return
        expect(heap.leastUs()).toBe(list.peekUs())
        expect(heap.shift()).toBe(list.shift())
      })
      while (list.size > 0) expect(heap.shift()).toBe(list.shift())
      expect(heap.size).toBe(0)
    }),
    { seed: 4, numRuns: 200 },
  )
})

test('a bucket that is too wide by far gives way to others, and what has passed stays passed', () => {
  const wheel = new SortedWheel(2 ** 20)
  for (let i = 0; i < 3000; i++) wheel.push(7 * i, i)
  for (let i = 0; i < 100; i++) expect(wheel.shift()).toBe(i)
  // Before all but the last, each of these would move hundreds.
  for (let i = 0; i < 2000; i++) wheel.push(15_000 - i, 3000 + i)
  expect(wheel.bucketUs).toBeLessThan(64)
  expect(wheel.size).toBe(4900)
  expect(() => wheel.push(7 * 99 - 1, 0)).toThrow('the last event was at 693 µs')
  wheel.push(7 * 99, -1)
  expect([wheel.shift(), wheel.shift()]).toEqual([-1, 100])
})

describe('the sorted wheel refuses', () => {
  test('the past', () => {
    const wheel = new SortedWheel()
    wheel.push(10, 1)
    wheel.push(12, 2)
    wheel.shift()
    wheel.push(10, 3)
    expect(() => wheel.push(9, 4)).toThrow('cannot schedule at 9 µs: the last event was at 10 µs')
    expect(wheel.shift()).toBe(3)
    expect(wheel.shift()).toBe(2)
    expect(() => wheel.push(Number.NaN, 5)).toThrow('cannot schedule at NaN µs')
  })

  test('to give what it does not have', () => {
    const wheel = new SortedWheel()
    expect(wheel.peekUs()).toBe(Infinity)
    expect(() => wheel.shift()).toThrow('no event is left to take out')
  })
})
