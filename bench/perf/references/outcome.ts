/** What a workload tells in the end: the outputs that all who are compared have to keep. */
export interface Outcome {
  /** Events of the model, the same for every engine: arrivals, and for each poll 1 of W and 4 of Q. */
  events: number
  requests: number
  done: number
  latenessSumUs: number
  latenessP95Ms: number
  peakLive: number
  /** Of the busiest second. */
  peakRequestsPerSecond: number
}

/** Lateness by ms, requests by second. */
export class Outputs {
  requests = 0
  done = 0
  latenessSumUs = 0
  private readonly lateness = new Uint32Array(60_000)
  private perSecond = new Uint32Array(8192)

  request(atUs: number): void {
    this.requests++
    const second = Math.floor(atUs * 1e-6)
    if (second >= this.perSecond.length) {
      const { perSecond } = this
      this.perSecond = new Uint32Array(2 * second)
      this.perSecond.set(perSecond)
    }
    this.perSecond[second] = (this.perSecond[second] as number) + 1
  }

  learned(latenessUs: number): void {
    this.done++
    this.latenessSumUs += latenessUs
    const ms = Math.min(Math.floor(latenessUs * 1e-3), this.lateness.length - 1)
    this.lateness[ms] = (this.lateness[ms] as number) + 1
  }

  outcome({ events, peakLive }: { events: number; peakLive: number }): Outcome {
    const { requests, done, latenessSumUs } = this
    let left = Math.ceil(0.95 * done)
    const latenessP95Ms = this.lateness.findIndex((count) => (left -= count) <= 0)
    const peakRequestsPerSecond = this.perSecond.reduce((most, count) => Math.max(most, count), 0)
    return { events, requests, done, latenessSumUs, latenessP95Ms, peakLive, peakRequestsPerSecond }
  }
}
