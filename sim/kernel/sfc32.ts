import { HIGH_HALF } from './double-bits.ts'
import { lnOf } from './ln.ts'

/** Values worked on at a time, in memory that stays near. */
const BATCH = new Float64Array(512)
const BATCH_HALVES = new Int32Array(BATCH.buffer)

/** Chris Doty-Humphrey's "small fast counting" generator (PractRand): 96 bits of state and a 32-bit counter. */
export class Sfc32 {
  // Fields that hold int32 from the first on stay unboxed in V8; without these zeros a draw takes three times as long.
  #a = 0
  #b = 0
  #c = 0
  #counter = 1

  constructor(a: number, b: number, c: number) {
    this.#a = a | 0
    this.#b = b | 0
    this.#c = c | 0
    // Its author's number of rounds before the first value.
    for (let round = 0; round < 15; round++) this.nextUint32()
  }

  nextUint32(): number {
    const value = (((this.#a + this.#b) | 0) + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + value) | 0
    return value >>> 0
  }

  nextFloat(): number {
    const high = this.nextUint32() >>> 5
    const low = this.nextUint32() >>> 6
    return (high * 2 ** 26 + low) / 2 ** 53
  }

  /** Fills the first `count` places with what as many calls of `nextFloat` give. */
  fillFloats(into: Float64Array, count: number): void {
    for (let i = 0; i < count; i++) into[i] = this.nextFloat()
  }

  /** Fills the first `count` places with -ln(1 - u), u being what `nextFloat` gives. */
  fillExponentials(into: Float64Array, count: number): void {
    for (let done = 0; done < count; done += BATCH.length) {
      const batch = Math.min(BATCH.length, count - done)
      for (let i = 0; i < batch; i++) BATCH[i] = 1 - this.nextFloat()
      for (let i = 0; i < batch; i++)
        into[done + i] = 0 - lnOf(BATCH[i] as number, BATCH_HALVES[2 * i + HIGH_HALF] as number)
    }
  }
}
