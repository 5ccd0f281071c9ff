/**
 * Chance from a seed: one independent stream for each purpose, so that a new
 * draw for latency does not shift the arrivals, and two mechanisms can be
 * compared on the same world.
 */

export interface RandomStream {
  /** Uniform over the whole numbers from 0 to 2^32 - 1. */
  nextUint32(): number
  /** Uniform over the multiples of 2^-53 from 0 up to, but without, 1. */
  nextFloat(): number
}

/**
 * The stream of one purpose, such as `latency agent->client`, in the run with
 * this seed. Streams of neighbouring seeds and of similar purposes have nothing
 * in common: seed and purpose go through a block cipher first.
 *
 * @throws RangeError if the seed is not a whole number from 0 to 2^53 - 1
 */
export function randomStream(seed: number, purpose: string): RandomStream {
  if (!Number.isSafeInteger(seed) || seed < 0)
    throw new RangeError(`a seed is a whole number from 0 to 2^53 - 1, not ${seed}`)
  const [hashLow, hashHigh] = fnv1a64(purpose)
  const keyLow = seed | 0
  const keyHigh = Math.floor(seed / 2 ** 32)
  const [a, b] = threefry2x32([hashLow, hashHigh], [keyLow, keyHigh])
  const [c] = threefry2x32([a, b], [keyLow, keyHigh])
  return new Sfc32(a, b, c)
}

/** Chris Doty-Humphrey's "small fast counting" generator (PractRand): 96 bits of state and a 32-bit counter. */
class Sfc32 implements RandomStream {
  // Fields that only ever hold int32 stay unboxed in V8.
  #a: number
  #b: number
  #c: number
  #counter: number

  constructor(a: number, b: number, c: number) {
    this.#a = a | 0
    this.#b = b | 0
    this.#c = c | 0
    this.#counter = 1
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
}

/** Two 32-bit halves, the low one first. */
export type Block = readonly [low: number, high: number]

/** By how much each round turns; the eight repeat. */
const ROTATIONS = [13, 15, 26, 6, 17, 29, 16, 24] as const

/**
 * Threefry-2x32 with 20 rounds (Salmon, Moraes, Dror and Shaw, "Parallel random
 * numbers: as easy as 1, 2, 3", SC 2011): a block cipher made for counters and
 * keys that differ in few bits. Halves come out as int32.
 */
export function threefry2x32(counter: Block, key: Block): Block {
  const keys = [key[0] | 0, key[1] | 0, 0x1bd11bda ^ key[0] ^ key[1]] as const
  let x0 = (counter[0] + keys[0]) | 0
  let x1 = (counter[1] + keys[1]) | 0
  for (let round = 0; round < 20; round++) {
    const turn = ROTATIONS[(round % 8) as 0]
    x0 = (x0 + x1) | 0
    x1 = ((x1 << turn) | (x1 >>> (32 - turn))) ^ x0
    if (round % 4 === 3) {
      const injection = (round + 1) / 4
      x0 = (x0 + keys[(injection % 3) as 0]) | 0
      x1 = (x1 + keys[((injection + 1) % 3) as 0] + injection) | 0
    }
  }
  return [x0, x1]
}

/** Fowler, Noll and Vo's hash of the UTF-8 form (FNV-1a, 64 bits). */
function fnv1a64(text: string): Block {
  let hash = 0xcbf29ce484222325n
  for (const octet of new TextEncoder().encode(text))
    hash = BigInt.asUintN(64, (hash ^ BigInt(octet)) * 0x100000001b3n)
  return [Number(hash & 0xffffffffn), Number(hash >> 32n)]
}
