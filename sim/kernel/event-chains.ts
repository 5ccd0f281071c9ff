const NONE = -1

/** Events in one chunk. */
const CHUNK = 64

/**
 * Buckets of events in chains of chunks, the oldest first: written and read in
 * sequence, which keeps millions of events as quick as thousands.
 */
export class EventChains {
  size = 0
  /** Each bucket's first chunk, or -1. */
  readonly first: Int32Array
  private readonly last: Int32Array
  private readonly least: Float64Array
  private times = new Float64Array(16 * CHUNK)
  private payloads = new Int32Array(16 * CHUNK)
  private filled = new Int32Array(16)
  private next = new Int32Array(16)
  private used = 0
  private free = NONE

  constructor(buckets: number) {
    this.first = new Int32Array(buckets).fill(NONE)
    this.last = new Int32Array(buckets)
    this.least = new Float64Array(buckets)
  }

  push(bucket: number, atUs: number, payload: number): void {
    let chunk = this.last[bucket] as number
    if ((this.first[bucket] as number) === NONE) chunk = this.begin(bucket, atUs)
    else if ((this.filled[chunk] as number) === CHUNK) chunk = this.append(bucket, chunk)
    if (atUs < (this.least[bucket] as number)) this.least[bucket] = atUs
    const fill = this.filled[chunk] as number
    this.times[chunk * CHUNK + fill] = atUs
    this.payloads[chunk * CHUNK + fill] = payload
    this.filled[chunk] = fill + 1
    this.size++
  }

  /** The earliest instant in a bucket that is not empty. */
  leastUs(bucket: number): number {
    return this.least[bucket] as number
  }

  /** Takes a bucket's chain out and gives its first chunk, or -1; each of its chunks is then to be released. */
  take(bucket: number): number {
    const chunk = this.first[bucket] as number
    this.first[bucket] = NONE
    return chunk
  }

  fillOf(chunk: number): number {
    return this.filled[chunk] as number
  }

  timeOf(chunk: number, index: number): number {
    return this.times[chunk * CHUNK + index] as number
  }

  payloadOf(chunk: number, index: number): number {
    return this.payloads[chunk * CHUNK + index] as number
  }

  /** Gives a taken chunk back, and gives the one after it. */
  release(chunk: number): number {
    const next = this.next[chunk] as number
    this.size -= this.filled[chunk] as number
    this.next[chunk] = this.free
    this.free = chunk
    return next
  }

  private begin(bucket: number, atUs: number): number {
    const chunk = this.fresh()
    this.first[bucket] = chunk
    this.last[bucket] = chunk
    this.least[bucket] = atUs
    return chunk
  }

  private append(bucket: number, after: number): number {
    const chunk = this.fresh()
    this.next[after] = chunk
    this.last[bucket] = chunk
    return chunk
  }

  private fresh(): number {
    let chunk = this.free
    if (chunk === NONE) {
      if (this.used === this.next.length) this.grow()
      chunk = this.used++
    } else this.free = this.next[chunk] as number
    this.filled[chunk] = 0
    this.next[chunk] = NONE
    return chunk
  }

  private grow(): void {
    const { times, payloads, filled, next } = this
    this.times = new Float64Array(2 * times.length)
    this.payloads = new Int32Array(2 * times.length)
    this.filled = new Int32Array(2 * next.length)
    this.next = new Int32Array(2 * next.length)
    this.times.set(times)
    this.payloads.set(payloads)
    this.filled.set(filled)
    this.next.set(next)
  }
}
