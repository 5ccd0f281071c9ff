import type { EventList } from './event-list.ts'

/** What a careful developer writes first: a binary heap over typed arrays, exact by time and order of entry. */
export class TypedHeap implements EventList {
  private times = new Float64Array(1024)
  private serials = new Float64Array(1024)
  private payloads = new Int32Array(1024)
  private size = 0
  private nextSerial = 0

  push(atUs: number, payload: number): void {
    if (this.size === this.times.length) this.grow()
    const { times, serials, payloads } = this
    let hole = this.size++
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

  peekUs(): number {
    return this.size > 0 ? (this.times[0] as number) : Infinity
  }

  shift(): number {
    const { times, serials, payloads } = this
    const first = payloads[0] as number
    const size = --this.size
    const atUs = times[size] as number
    const serial = serials[size] as number
    const payload = payloads[size] as number
    let hole = 0
    for (;;) {
      let child = 2 * hole + 1
      if (child >= size) break
      const right = child + 1
      if (right < size) {
        const difference = (times[right] as number) - (times[child] as number)
        if (difference < 0 || (difference === 0 && (serials[right] as number) < (serials[child] as number)))
          child = right
      }
      const childUs = times[child] as number
      if (childUs > atUs || (childUs === atUs && (serials[child] as number) > serial)) break
      times[hole] = childUs
      serials[hole] = serials[child] as number
      payloads[hole] = payloads[child] as number
      hole = child
    }
    times[hole] = atUs
    serials[hole] = serial
    payloads[hole] = payload
    return first
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
