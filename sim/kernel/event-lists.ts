const NONE = -1

/** Words of 32 bits that a node takes: its time two, its payload and its next one each. */
const PAYLOAD = 2
const NEXT = 3

/**
 * Buckets of events as linked lists, the newest first, whose nodes share one
 * buffer: 16 octets an event, in one line of the processor's cache.
 */
export class EventLists {
  /** Each bucket's newest node, or -1. */
  readonly heads: Int32Array
  private times = new Float64Array(2 * 1024)
  private words = new Int32Array(this.times.buffer)
  private used = 0
  private free = NONE

  constructor(buckets: number) {
    this.heads = new Int32Array(buckets).fill(NONE)
  }

  push(bucket: number, atUs: number, payload: number): void {
    let node = this.free
    if (node === NONE) {
      if (2 * this.used === this.times.length) this.grow()
      node = this.used++
    } else this.free = this.words[4 * node + NEXT] as number
    const { words, heads } = this
    this.times[2 * node] = atUs
    words[4 * node + PAYLOAD] = payload
    words[4 * node + NEXT] = heads[bucket] as number
    heads[bucket] = node
  }

  timeOf(node: number): number {
    return this.times[2 * node] as number
  }

  payloadOf(node: number): number {
    return this.words[4 * node + PAYLOAD] as number
  }

  nextOf(node: number): number {
    return this.words[4 * node + NEXT] as number
  }

  /** Gives the node back, and gives its next one. */
  release(node: number): number {
    const at = 4 * node + NEXT
    const next = this.words[at] as number
    this.words[at] = this.free
    this.free = node
    return next
  }

  /** Turns a list around, the oldest first, and gives its head. */
  reverse(head: number): number {
    let reversed = NONE
    for (let node = head; node !== NONE;) {
      const next = this.nextOf(node)
      this.words[4 * node + NEXT] = reversed
      reversed = node
      node = next
    }
    return reversed
  }

  private grow(): void {
    const { words } = this
    this.times = new Float64Array(2 * this.times.length)
    this.words = new Int32Array(this.times.buffer)
    this.words.set(words)
  }
}
