/**
 * Events in a binary heap over columns, earliest first and at equal times in
 * the order they entered. Slower than the sorted wheel and free of its
 * assumptions: it takes what the wheel cannot place cheaply.
 */
export class EventHeap {
  size = 0
  private times = new Float64Array(64)
  private serials = new Float64Array(64)
  private payloads = new Int32Array(64)
  private nextSerial = 0

  push(atUs: number, payload: number): void {
    if (this.size === this.times.length) this.grow()
    const { times, serials, payloads } = this
    let hole = this.size++
    // Nothing here is younger, so at equal times the one above stays above.
    while (hole > 0) {
      const parent = (hole - 1) >> 1
      if ((times[parent] as number) <= atUs) break
      times[hole] = times[parent] as number
      serials[hole] = serials[parent] as number
      payloads[hole] = payloads[parent] as number
      hole = parent
    }
    times[hole] = atUs
    serials[hole] = this.nextSerial++
    payloads[hole] = payload
  }

  /** The instant of the earliest event. Only while there is one. */
  leastUs(): number {
    return this.times[0] as number
  }

  /** Takes out the earliest event and gives its payload. Only while there is one. */
  shift(): number {
    const { times, serials, payloads } = this
    const earliest = payloads[0] as number
    const last = --this.size
    const lastUs = times[last] as number
    const lastSerial = serials[last] as number
    let hole = 0
    for (let child = 1; child < last; child = 2 * hole + 1) {
      const right = child + 1
      if (right < last && this.isBefore(right, times[child] as number, serials[child] as number))
        child = right
      if (!this.isBefore(child, lastUs, lastSerial)) break
      times[hole] = times[child] as number
      serials[hole] = serials[child] as number
      payloads[hole] = payloads[child] as number
      hole = child
    }
    times[hole] = lastUs
    serials[hole] = lastSerial
    payloads[hole] = payloads[last] as number
    return earliest
  }

  private isBefore(at: number, us: number, serial: number): boolean {
    const time = this.times[at] as number
    return time < us || (time === us && (this.serials[at] as number) < serial)
  }

  private grow(): void {
    const { times, serials, payloads } = this
    this.times = new Float64Array(2 * times.length)
    this.serials = new Float64Array(2 * times.length)
    this.payloads = new Int32Array(2 * times.length)
    this.times.set(times)
    this.serials.set(serials)
    this.payloads.set(payloads)
  }
}
