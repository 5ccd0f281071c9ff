/** The jobs that live, as columns: when each is done. A slot is taken again once its job is over. */
export class Slots {
  doneUs = new Float64Array(1024)
  live = 0
  peak = 0
  private free = new Int32Array(1024)
  private freeCount = 0
  private used = 0

  take(doneUs: number): number {
    if (++this.live > this.peak) this.peak = this.live
    const slot = this.freeCount > 0 ? (this.free[--this.freeCount] as number) : this.fresh()
    this.doneUs[slot] = doneUs
    return slot
  }

  giveBack(slot: number): void {
    this.live--
    this.free[this.freeCount++] = slot
  }

  private fresh(): number {
    if (this.used === this.doneUs.length) {
      const { doneUs, free } = this
      this.doneUs = new Float64Array(2 * doneUs.length)
      this.free = new Int32Array(2 * doneUs.length)
      this.doneUs.set(doneUs)
      this.free.set(free)
    }
    return this.used++
  }
}
