const NONE = -1

/** Events in one chunk. */
const CHUNK = 64

/** What is kept of a bucket, side by side: its first chunk, its last one, and how many events that one holds. */
const WORDS = 4
const LAST = 1
const FILL = 2

/**
 * Buckets of events in chains of chunks, the oldest first: written and read in
 * sequence, which keeps millions of events as quick as thousands.
 */
export class EventChains {
  size = 0
  private readonly buckets: Int32Array
  private times = new Float64Array(16 * CHUNK)
  private payloads = new Int32Array(16 * CHUNK)
  /** The chunk after each; all but a bucket's last are full. */
  private next = new Int32Array(16)
  private used = 0
  private free = NONE

  constructor(buckets: number) {
    this.buckets = new Int32Array(WORDS * buckets).fill(NONE)
  }

  push(bucket: number, atUs: number, payload: number): void {
    const { buckets } = this
    const at = WORDS * bucket
    let chunk = buckets[at + LAST] as number
    let fill = buckets[at + FILL] as number
    if (fill === CHUNK || (buckets[at] as number) === NONE) {
      chunk = this.append(at, chunk)
      fill = 0
    }
    buckets[at + FILL] = fill + 1
    this.times[chunk * CHUNK + fill] = atUs
    this.payloads[chunk * CHUNK + fill] = payload
    this.size++
  }

  isEmpty(bucket: number): boolean {
    return (this.buckets[WORDS * bucket] as number) === NONE
  }

  /** The earliest instant in a bucket that is not empty. Reads it all. */
  leastUs(bucket: number): number {
    let least = Infinity
    const last = this.buckets[WORDS * bucket + LAST] as number
    for (let chunk = this.buckets[WORDS * bucket] as number; ; chunk = this.next[chunk] as number) {
      const fill = chunk === last ? (this.buckets[WORDS * bucket + FILL] as number) : CHUNK
      for (let i = 0; i < fill; i++) least = Math.min(least, this.times[chunk * CHUNK + i] as number)
      if (chunk === last) return least
    }
  }

  /** Takes a bucket out, whole. */
  take(bucket: number): Chain {
    const at = WORDS * bucket
    const chain = {
      first: this.buckets[at] as number,
      last: this.buckets[at + LAST] as number,
      lastFill: this.buckets[at + FILL] as number,
    }
    this.buckets[at] = NONE
    return chain
  }

  /** How many events a chunk holds that was taken with this chain. */
  fillOf(chunk: number, { last, lastFill }: Chain): number {
    return chunk === last ? lastFill : CHUNK
  }

  timeOf(chunk: number, index: number): number {
    return this.times[chunk * CHUNK + index] as number
  }

  payloadOf(chunk: number, index: number): number {
    return this.payloads[chunk * CHUNK + index] as number
  }

  /** Gives back a chunk that was taken, and gives the one after it, or -1. */
  release(chunk: number, chain: Chain): number {
    const next = chunk === chain.last ? NONE : (this.next[chunk] as number)
    this.size -= this.fillOf(chunk, chain)
    this.next[chunk] = this.free
    this.free = chunk
    return next
  }

  private append(at: number, last: number): number {
    const { buckets } = this
    const chunk = this.fresh()
    if ((buckets[at] as number) === NONE) buckets[at] = chunk
    else this.next[last] = chunk
    buckets[at + LAST] = chunk
    return chunk
  }

  private fresh(): number {
    const chunk = this.free
    if (chunk !== NONE) {
      this.free = this.next[chunk] as number
      return chunk
    }
    if (this.used === this.next.length) this.grow()
    return this.used++
  }

  private grow(): void {
    const { times, payloads, next } = this
    this.times = new Float64Array(2 * times.length)
    this.payloads = new Int32Array(2 * payloads.length)
    this.next = new Int32Array(2 * next.length)
    this.times.set(times)
    this.payloads.set(payloads)
    this.next.set(next)
  }
}

/** The chunks of a bucket that was taken out: the first of them, or -1. */
export interface Chain {
  first: number
  last: number
  lastFill: number
}
