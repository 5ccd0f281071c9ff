/**
 * The event list of a fleet: exact by (time, order of entry), and at a cost for
 * each event that does not grow with their number.
 *
 * Time is cut into buckets of some four events. The bucket at hand lies sorted
 * in two columns, the *run*. The buckets of the near future are the *wheel*;
 * those further out are filed in *chains*, half a wheel to a chain, and come
 * into the wheel chain by chain; what lies beyond the last chain waits in the
 * *far* list. A herd of events at one instant costs no more than others: a full
 * bucket is sorted by counting, and what would have to be put into the middle of
 * a long run goes to a heap instead. The width of the buckets follows the
 * events: it changes when a bucket holds fewer than 1 or more than 16 of them.
 */
import { EventChains } from './event-chains.ts'
import { EventHeap } from './event-heap.ts'
import { EventLists } from './event-lists.ts'

/** Buckets of the wheel: powers of two, as is the width, so that divisions are exact. */
const BUCKETS = 8192
const BUCKET_MASK = BUCKETS - 1
/** Buckets of the wheel that one chain fills. */
const HALF_WHEEL = BUCKETS / 2
const CHAINS = 4096
const CHAIN_MASK = CHAINS - 1

/** Above so many events a bucket is sorted by counting instead of by insertion, and an insertion becomes a matter of the heap. */
const SMALL = 64
/** From so many on the heap says that the bucket at hand is too wide. */
const CROWD = 1024
/** Empty buckets over which a look ahead moves on at once. Further on, new events may still come before what was seen. */
const NEAR = 64

const FEWEST_PER_BUCKET = 1
const MOST_PER_BUCKET = 16
const AIM_PER_BUCKET = 4
const WIDEST_US = 2 ** 28
/** Events and buckets to have seen before the width is judged again. */
const REVIEW_AFTER = 4096

export class SortedWheel {
  private widthUs = 0
  private bucketsPerUs = 0
  private chainUs = 0
  private chainsPerUs = 0

  // The bucket at hand. Its events up to `position` are gone.
  private runTimes = new Float64Array(256)
  private runPayloads = new Int32Array(256)
  private runLength = 0
  private position = 0
  /** Up to where the run alone says what is next: its length, or 0 while the heap has a say. */
  private clear = 0
  private runEndUs = 0
  private readonly heap = new EventHeap()
  /** When the last event was that was not taken from this run. */
  private gone = 0

  /** The wheel's bucket at hand. */
  private bucket = 0
  private readonly wheel = new EventLists(BUCKETS)
  private inWheel = 0
  private wheelEndUs = 0

  /** Number of the next chain to come into the wheel, counted from time 0. */
  private nextChain = 0
  private readonly chains = new EventChains(CHAINS)
  /** A chain whose earliest instant was looked up, and that instant: the chain may be long, and the look may come again. */
  private seenChain = -1
  private seenLeastUs = Infinity

  private farTimes: number[] = []
  private farPayloads: number[] = []
  private farLeastUs = Infinity

  /** The earliest instant after the run; -1 while it is not known. */
  private soonestUs = -1

  private eventsSeen = 0
  private bucketsSeen = 0
  private reviewAfter = REVIEW_AFTER

  // Where a full bucket is sorted.
  private spareTimes = new Float64Array(256)
  private sparePayloads = new Int32Array(256)

  /** `bucketUs` is a first guess at a good width, such as the mean time between four events. */
  constructor(bucketUs = 1024) {
    let width = 1
    while (width < bucketUs && width < WIDEST_US) width *= 2
    this.cutTime(width, 0)
  }

  /** The width of its buckets now. */
  get bucketUs(): number {
    return this.widthUs
  }

  get size(): number {
    return this.beyondRun() + this.runLength - this.position + this.heap.size
  }

  /**
   * @param atUs a whole number below 2^53, not before the last event that was taken out
   * @param payload an int32
   * @throws RangeError if `atUs` lies in the past
   */
  push(atUs: number, payload: number): void {
    if (atUs >= this.runEndUs) this.file(atUs, payload)
    else this.insert(atUs, payload)
  }

  /** The instant of the earliest event; Infinity if there is none. */
  peekUs(): number {
    return this.position < this.clear ? (this.runTimes[this.position] as number) : this.lookAhead()
  }

  /**
   * Takes out the earliest event and gives its payload.
   *
   * @throws RangeError if there is none
   */
  shift(): number {
    return this.position < this.clear ? (this.runPayloads[this.position++] as number) : this.takeNext()
  }

  private beyondRun(): number {
    return this.inWheel + this.chains.size + this.farTimes.length
  }

  private file(atUs: number, payload: number): void {
    if (atUs < this.soonestUs) this.soonestUs = atUs
    if (atUs < this.wheelEndUs) {
      this.inWheel++
      this.wheel.push((atUs * this.bucketsPerUs) & BUCKET_MASK, atUs, payload)
    } else this.fileBeyondWheel(atUs, payload)
  }

  private fileBeyondWheel(atUs: number, payload: number): void {
    const chain = Math.floor(atUs * this.chainsPerUs)
    // A round of chains begins at a multiple of their number; what belongs to a later round is far.
    if (chain - this.nextChain < CHAINS - (this.nextChain & CHAIN_MASK)) {
      this.chains.push(chain & CHAIN_MASK, atUs, payload)
      if (chain === this.seenChain && atUs < this.seenLeastUs) this.seenLeastUs = atUs
    } else {
      this.farTimes.push(atUs)
      this.farPayloads.push(payload)
      if (atUs < this.farLeastUs) this.farLeastUs = atUs
    }
  }

  /** Into the bucket at hand, behind all that is not later. */
  private insert(atUs: number, payload: number): void {
    const earliest = this.lastTakenUs()
    if (!(atUs >= earliest))
      throw new RangeError(`cannot schedule at ${atUs} µs: the last event was at ${earliest} µs`)
    const length = this.runLength
    // Once the heap is in use all goes there until the bucket is done, so at equal times the run is always older.
    const isLong = length - this.position > SMALL && (this.runTimes[length - SMALL] as number) > atUs
    this.eventsSeen++
    if (isLong || this.heap.size > 0) {
      this.heap.push(atUs, payload)
      this.clear = 0
      if (this.heap.size >= CROWD && this.heap.size * 8 > this.beyondRun()) this.divideRun()
      return
    }
    if (length === this.runTimes.length) this.growRun()
    const { runTimes, runPayloads, position } = this
    let at = length
    while (at > position && (runTimes[at - 1] as number) > atUs) {
      runTimes[at] = runTimes[at - 1] as number
      runPayloads[at] = runPayloads[at - 1] as number
      at--
    }
    runTimes[at] = atUs
    runPayloads[at] = payload
    this.runLength = length + 1
    this.clear = length + 1
  }

  private lastTakenUs(): number {
    return this.position > 0 ? Math.max(this.gone, this.runTimes[this.position - 1] as number) : this.gone
  }

  private growRun(): void {
    const { runTimes, runPayloads } = this
    this.runTimes = new Float64Array(2 * runTimes.length)
    this.runPayloads = new Int32Array(2 * runTimes.length)
    this.runTimes.set(runTimes)
    this.runPayloads.set(runPayloads)
  }

  private lookAhead(): number {
    if (this.heap.size > 0) {
      const heapUs = this.heap.leastUs()
      if (this.position === this.runLength) return heapUs
      return Math.min(heapUs, this.runTimes[this.position] as number)
    }
    if (this.soonestUs >= 0) return this.soonestUs
    if (this.beyondRun() === 0) return Infinity
    const { heads } = this.wheel
    for (let ahead = 1; ahead <= NEAR; ahead++)
      if ((heads[(this.bucket + ahead) & BUCKET_MASK] as number) >= 0) {
        this.openNext()
        return this.runTimes[0] as number
      }
    this.soonestUs = this.findSoonest()
    return this.soonestUs
  }

  /** The earliest instant after the run, wherever it is filed; moves nothing. */
  private findSoonest(): number {
    if (this.inWheel > 0) {
      const { wheel } = this
      let bucket = this.bucket
      do bucket = (bucket + 1) & BUCKET_MASK
      while ((wheel.heads[bucket] as number) < 0)
      let least = Infinity
      for (let node = wheel.heads[bucket] as number; node >= 0; node = wheel.nextOf(node))
        least = Math.min(least, wheel.timeOf(node))
      return least
    }
    if (this.chains.size === 0) return this.farLeastUs
    let chain = this.nextChain
    while (this.chains.isEmpty(chain & CHAIN_MASK)) chain++
    if (chain !== this.seenChain) {
      this.seenChain = chain
      this.seenLeastUs = this.chains.leastUs(chain & CHAIN_MASK)
    }
    return this.seenLeastUs
  }

  private takeNext(): number {
    const { heap } = this
    if (heap.size > 0) {
      const heapUs = heap.leastUs()
      if (this.position < this.runLength && (this.runTimes[this.position] as number) <= heapUs)
        return this.runPayloads[this.position++] as number
      this.gone = heapUs
      const payload = heap.shift()
      if (heap.size === 0) this.clear = this.runLength
      return payload
    }
    if (this.beyondRun() === 0) throw new RangeError('no event is left to take out')
    this.openNext()
    return this.runPayloads[this.position++] as number
  }

  /** Makes the next bucket that holds something the one at hand. The run is used up, and there is something. */
  private openNext(): void {
    if (this.runLength > 0) this.gone = Math.max(this.gone, this.runTimes[this.runLength - 1] as number)
    this.soonestUs = -1
    if (this.eventsSeen + this.bucketsSeen > this.reviewAfter) this.review()
    if (this.inWheel === 0) this.skipToChain()
    const { heads } = this.wheel
    let { bucket, runEndUs } = this
    let passed = 0
    do {
      bucket = (bucket + 1) & BUCKET_MASK
      runEndUs += this.widthUs
      passed++
      if (runEndUs + this.chainUs > this.wheelEndUs) this.loadChain()
    } while ((heads[bucket] as number) < 0)
    this.bucket = bucket
    this.runEndUs = runEndUs
    this.bucketsSeen += passed
    this.fillRun(heads[bucket] as number)
    heads[bucket] = -1
    this.inWheel -= this.runLength
    this.eventsSeen += this.runLength
    this.clear = this.runLength
    this.position = 0
  }

  /** Brings the next chain into the wheel, into the half that has been passed. */
  private loadChain(): void {
    const { chains, wheel, bucketsPerUs } = this
    const chain = chains.take(this.nextChain & CHAIN_MASK)
    for (let chunk = chain.first; chunk >= 0; chunk = chains.release(chunk, chain)) {
      const count = chains.fillOf(chunk, chain)
      for (let i = 0; i < count; i++) {
        const atUs = chains.timeOf(chunk, i)
        wheel.push((atUs * bucketsPerUs) & BUCKET_MASK, atUs, chains.payloadOf(chunk, i))
      }
      this.inWheel += count
    }
    this.nextChain++
    this.wheelEndUs += this.chainUs
    if ((this.nextChain & CHAIN_MASK) === 0) this.fileFar()
  }

  /** A new round of chains: what was far and belongs to it is filed before anything newer can get ahead. */
  private fileFar(): void {
    const { farTimes, farPayloads } = this
    this.farTimes = []
    this.farPayloads = []
    this.farLeastUs = Infinity
    for (let i = 0; i < farTimes.length; i++)
      this.fileBeyondWheel(farTimes[i] as number, farPayloads[i] as number)
  }

  /** With nothing in the wheel, goes to the next chain that holds something, however far. */
  private skipToChain(): void {
    if (this.chains.size === 0) {
      this.nextChain = Math.floor(this.farLeastUs * this.chainsPerUs)
      this.fileFar()
    }
    while (this.chains.isEmpty(this.nextChain & CHAIN_MASK)) {
      this.nextChain++
      this.bucketsSeen++
    }
    this.runEndUs = this.nextChain * this.chainUs
    this.wheelEndUs = this.runEndUs
    this.bucket = (this.nextChain * HALF_WHEEL - 1) & BUCKET_MASK
    this.loadChain()
  }

  /** Empties a bucket of the wheel, newest first as it is, into the run. */
  private fillRun(head: number): void {
    const { wheel, runTimes, runPayloads } = this
    let length = 0
    let node = head
    do {
      if (length === SMALL) return this.fillLongRun(node)
      const atUs = wheel.timeOf(node)
      const payload = wheel.payloadOf(node)
      // An older one goes before all that are not earlier.
      let at = length++
      while (at > 0 && (runTimes[at - 1] as number) >= atUs) {
        runTimes[at] = runTimes[at - 1] as number
        runPayloads[at] = runPayloads[at - 1] as number
        at--
      }
      runTimes[at] = atUs
      runPayloads[at] = payload
      node = wheel.release(node)
    } while (node >= 0)
    this.runLength = length
  }

  /** The run holds the newest of the bucket, in order; `rest` are the older ones, so all of them go before these. */
  private fillLongRun(rest: number): void {
    const { wheel } = this
    let length = SMALL
    for (let node = rest; node >= 0; node = wheel.nextOf(node)) length++
    let capacity = this.runTimes.length
    while (capacity < length) capacity *= 2
    if (capacity > this.spareTimes.length) {
      this.spareTimes = new Float64Array(capacity)
      this.sparePayloads = new Int32Array(capacity)
    }
    const { spareTimes, sparePayloads } = this
    spareTimes.set(this.runTimes.subarray(0, SMALL), length - SMALL)
    sparePayloads.set(this.runPayloads.subarray(0, SMALL), length - SMALL)
    let at = length - SMALL
    for (let node = rest; node >= 0; node = wheel.release(node)) {
      at--
      spareTimes[at] = wheel.timeOf(node)
      sparePayloads[at] = wheel.payloadOf(node)
    }
    if (capacity > this.runTimes.length) {
      this.runTimes = new Float64Array(capacity)
      this.runPayloads = new Int32Array(capacity)
    }
    this.swapRunAndSpare()
    this.runLength = length
    if (!isAscending(this.runTimes, length))
      for (let digit = 1; digit < this.widthUs; digit *= DIGITS) this.sortRunBy(digit)
  }

  /** One pass of a counting sort that keeps the order of equals, over one digit of the time within the bucket. */
  private sortRunBy(digit: number): void {
    const { runTimes, runPayloads, spareTimes, sparePayloads, runLength } = this
    const beginUs = this.runEndUs - this.widthUs
    const perDigit = 1 / digit
    const starts = new Int32Array(DIGITS + 1)
    for (let i = 0; i < runLength; i++) {
      const key = ((((runTimes[i] as number) - beginUs) * perDigit) & (DIGITS - 1)) + 1
      starts[key] = (starts[key] as number) + 1
    }
    for (let i = 0; i < DIGITS; i++) starts[i + 1] = (starts[i + 1] as number) + (starts[i] as number)
    for (let i = 0; i < runLength; i++) {
      const atUs = runTimes[i] as number
      const key = ((atUs - beginUs) * perDigit) & (DIGITS - 1)
      const to = starts[key] as number
      starts[key] = to + 1
      spareTimes[to] = atUs
      sparePayloads[to] = runPayloads[i] as number
    }
    this.swapRunAndSpare()
  }

  private swapRunAndSpare(): void {
    const { runTimes, runPayloads } = this
    this.runTimes = this.spareTimes
    this.runPayloads = this.sparePayloads
    this.spareTimes = runTimes
    this.sparePayloads = runPayloads
  }

  /** Judges the width by the buckets passed; to file everything anew must have been earned by as many events. */
  private review(): void {
    const perBucket = this.eventsSeen / this.bucketsSeen
    if (perBucket < FEWEST_PER_BUCKET || perBucket > MOST_PER_BUCKET) {
      let width = this.widthUs
      let events = perBucket
      for (; events < AIM_PER_BUCKET && width < WIDEST_US; events *= 2) width *= 2
      for (; events >= 2 * AIM_PER_BUCKET && width > 1; events /= 2) width /= 2
      if (width !== this.widthUs) this.fileAnew(width, this.runEndUs)
    }
    this.eventsSeen = 0
    this.bucketsSeen = 0
    this.reviewAfter = Math.max(REVIEW_AFTER, this.beyondRun() / 2)
  }

  /** Too much happens within the bucket at hand: narrower ones take its place. */
  private divideRun(): void {
    if (this.widthUs === 1) return
    const gone = this.lastTakenUs()
    const count = this.runLength - this.position + this.heap.size
    const times = new Float64Array(count)
    const payloads = new Int32Array(count)
    for (let i = 0; i < count; i++) {
      times[i] = this.peekUs()
      payloads[i] = this.shift()
    }
    const fromUs = times[0] as number
    const spanUs = (times[count - 1] as number) - fromUs + 1
    let width = this.widthUs
    while (width > 1 && count * width > AIM_PER_BUCKET * spanUs) width /= 2
    this.gone = gone
    this.runLength = 0
    this.position = 0
    this.clear = 0
    this.fileAnew(width, fromUs)
    for (let i = 0; i < count; i++) this.file(times[i] as number, payloads[i] as number)
    this.openNext()
  }

  /** Equal times share a bucket whatever its width, so to keep the order within each bucket is enough. */
  private fileAnew(widthUs: number, fromUs: number): void {
    const { wheel, chains, farTimes, farPayloads } = this
    const heads = wheel.heads.slice()
    const taken = Array.from({ length: CHAINS }, (_, chain) => chains.take(chain))
    wheel.heads.fill(-1)
    this.inWheel = 0
    this.farTimes = []
    this.farPayloads = []
    this.farLeastUs = Infinity
    this.seenChain = -1
    this.cutTime(widthUs, fromUs)
    for (const head of heads)
      for (let node = wheel.reverse(head); node >= 0;) {
        const atUs = wheel.timeOf(node)
        const payload = wheel.payloadOf(node)
        node = wheel.release(node)
        this.file(atUs, payload)
      }
    for (const chain of taken)
      for (let chunk = chain.first; chunk >= 0; chunk = chains.release(chunk, chain)) {
        const count = chains.fillOf(chunk, chain)
        for (let i = 0; i < count; i++) this.file(chains.timeOf(chunk, i), chains.payloadOf(chunk, i))
      }
    for (let i = 0; i < farTimes.length; i++) this.file(farTimes[i] as number, farPayloads[i] as number)
  }

  /** Sets the width, and stands before the bucket in which `fromUs` lies. Wheel, run and heap are empty. */
  private cutTime(widthUs: number, fromUs: number): void {
    this.widthUs = widthUs
    this.bucketsPerUs = 1 / widthUs
    this.chainUs = widthUs * HALF_WHEEL
    this.chainsPerUs = 1 / this.chainUs
    const bucket = Math.floor(fromUs * this.bucketsPerUs)
    this.bucket = (bucket - 1) & BUCKET_MASK
    this.runEndUs = bucket * widthUs
    this.nextChain = Math.floor(fromUs * this.chainsPerUs) + 2
    this.wheelEndUs = this.nextChain * this.chainUs
  }
}

/** Values of one digit of the counting sort. */
const DIGITS = 2048

function isAscending(values: Float64Array, count: number): boolean {
  for (let i = 1; i < count; i++) if ((values[i] as number) < (values[i - 1] as number)) return false
  return true
}
