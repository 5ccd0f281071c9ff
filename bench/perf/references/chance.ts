/** A generator for the references alone: they stand beside the simulator and use nothing of it. */
export class Chance {
  private a = 0
  private b = 0x2545f491
  private c = 0x6c8e9cf5
  private counter = 1

  constructor(seed: number) {
    this.a = seed | 0
    for (let round = 0; round < 20; round++) this.next()
  }

  /** Uniform in (0, 1). */
  uniform(): number {
    return ((this.next() >>> 0) + 0.5) * 2 ** -32
  }

  /** Exponential with mean 1. */
  exponential(): number {
    return -Math.log(this.uniform())
  }

  /** sfc32, an int32. */
  private next(): number {
    const value = (((this.a + this.b) | 0) + this.counter) | 0
    this.counter = (this.counter + 1) | 0
    this.a = this.b ^ (this.b >>> 9)
    this.b = (this.c + (this.c << 3)) | 0
    this.c = (((this.c << 21) | (this.c >>> 11)) + value) | 0
    return value
  }
}
