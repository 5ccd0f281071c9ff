/** One agent for all: its handlers with a line in order of arrival, or its quota. */
import { createServerHeap, type ServerHeap } from '../../kernel/server-heap.ts'
import type { Capacity } from '../../policies/desk.ts'
import { createTokenBucket, type TokenBucket } from '../../policies/token-bucket.ts'
import type { Quota } from '../../scenario/scenario.ts'

export type Refused = { status: 503 | 429; retryAfterUs: number | undefined }

/**
 * When a request is served is known when it arrives: with a line in order of
 * arrival that is when the first handler is free (Kiefer and Wolfowitz 1955).
 */
export class Line {
  private readonly free: ServerHeap
  private readonly most: number
  /** When those in line are served, in order: a ring. Kept only where the line has an end. */
  private starts = new Float64Array(64)
  private first = 0
  private count = 0

  constructor({ handlers = 1, queue = Infinity }: Pick<Capacity, 'handlers' | 'queue'>) {
    this.free = createServerHeap(handlers)
    this.most = queue
  }

  /** When a handler takes who arrives now; -1 if there is no room in the line. */
  startUs(nowUs: number): number {
    const startUs = Math.max(nowUs, this.free.least())
    if (this.most === Infinity) return startUs
    while (this.count > 0 && (this.starts[this.first] as number) <= nowUs) {
      this.first = (this.first + 1) & (this.starts.length - 1)
      this.count--
    }
    if (startUs === nowUs) return startUs
    if (this.count >= this.most) return -1
    if (this.count === this.starts.length) this.grow()
    this.starts[(this.first + this.count++) & (this.starts.length - 1)] = startUs
    return startUs
  }

  /** The handler that took the last one is busy until then. */
  busyUntil(us: number): void {
    this.free.replaceLeast(us)
  }

  private grow(): void {
    const { starts, first } = this
    this.starts = new Float64Array(2 * starts.length)
    this.starts.set(starts.subarray(first))
    this.starts.set(starts.subarray(0, first), starts.length - first)
    this.first = 0
  }
}

/** Takes a token of every bucket, or says how long to wait. */
export class Gate {
  private readonly buckets: readonly { quota: Quota; bucket: TokenBucket }[]

  constructor(quotas: readonly Quota[]) {
    this.buckets = quotas.map((quota) => ({ quota, bucket: createTokenBucket(quota) }))
  }

  /** `undefined` for who may pass. */
  refusal(nowUs: number): Refused | undefined {
    for (const { quota, bucket } of this.buckets) {
      const waitUs = bucket.waitUs(nowUs)
      if (waitUs > 0) return { status: 429, retryAfterUs: quota.retryAfterUs ?? waitUs }
    }
    for (const { bucket } of this.buckets) bucket.take(nowUs)
    return undefined
  }
}
