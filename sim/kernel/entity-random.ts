/**
 * Chance by name instead of by order: what a draw gives depends on the seed,
 * the purpose, the entity it is for and its index alone. So whoever draws, and
 * when, and after whom, sees the same, and two mechanisms meet the same world.
 *
 * A draw is one block of Threefry-2x32-20. With the key of a purpose K =
 * `keyOf(seed, purpose)` and an entity of the words (low, high), the low one 32
 * bits wide:
 *
 *     block(entity, index) = threefry2x32(counter [low, index], key E)
 *     E                    = threefry2x32(counter [high, 0],    key K)
 *
 * The high word of an entity is thus in the key: there is room for 2^21 of
 * them, and for 2^32 draws of each entity.
 */
import { keyOf, type RandomStream } from './random.ts'
import { threefry2x32, type Block } from './threefry.ts'

export interface EntityRandom {
  /**
   * Uniform over the multiples of 2^-53 from 0 up to, but without, 1.
   *
   * @param entity a whole number from 0 to 2^53 - 1
   * @param index a whole number from 0 to 2^32 - 1. One index is one draw: its
   *   `float` and its `uint32` are not independent.
   */
  float(entity: number, index: number): number
  /** Uniform over the whole numbers from 0 to 2^32 - 1. */
  uint32(entity: number, index: number): number
  /** The draws of one entity in order, each taking the next index: its n-th `nextFloat` is `float(entity, n)`. */
  streamOf(entity: number, firstIndex?: number): RandomStream
}

/** @throws RangeError if the seed is not a whole number from 0 to 2^53 - 1 */
export const entityStream = (seed: number, purpose: string): EntityRandom =>
  new KeyedDraws(keyOf(seed, purpose))

/** Keys of entities to keep: entities whose high words agree modulo this many take turns. */
const KEPT = 64

class KeyedDraws implements EntityRandom {
  private readonly key: Block
  /** For each place the high word whose key is kept there, or -1, and the key. */
  private readonly highs = new Int32Array(KEPT).fill(-1)
  private readonly keys = new Int32Array(2 * KEPT)
  /** Second word of the last block. */
  private second = 0

  constructor(key: Block) {
    this.key = key
  }

  float(entity: number, index: number): number {
    const first = this.block(entity | 0, Math.floor(entity * 2 ** -32), index)
    return ((first >>> 5) * 2 ** 26 + (this.second >>> 6)) * 2 ** -53
  }

  uint32(entity: number, index: number): number {
    return this.block(entity | 0, Math.floor(entity * 2 ** -32), index) >>> 0
  }

  streamOf(entity: number, firstIndex = 0): RandomStream {
    return new EntityDraws(this, entity, firstIndex)
  }

  /**
   * The cipher of threefry.ts with its rounds written out. Gives the first word,
   * and leaves the second in `second`. It takes int32 alone: a double would be
   * put on the heap for the call.
   */
  private block(low: number, high: number, index: number): number {
    const place = high & (KEPT - 1)
    if (this.highs[place] !== high) this.keep(place, high)
    const k0 = this.keys[2 * place] as number
    const k1 = this.keys[2 * place + 1] as number
    const k2 = 0x1bd11bda ^ k0 ^ k1
    let x = (low + k0) | 0
    let y = ((index | 0) + k1) | 0

    x = (x + y) | 0
    y = ((y << 13) | (y >>> 19)) ^ x
    x = (x + y) | 0
    y = ((y << 15) | (y >>> 17)) ^ x
    x = (x + y) | 0
    y = ((y << 26) | (y >>> 6)) ^ x
    x = (x + y) | 0
    y = ((y << 6) | (y >>> 26)) ^ x
    x = (x + k1) | 0
    y = (y + k2 + 1) | 0

    x = (x + y) | 0
    y = ((y << 17) | (y >>> 15)) ^ x
    x = (x + y) | 0
    y = ((y << 29) | (y >>> 3)) ^ x
    x = (x + y) | 0
    y = ((y << 16) | (y >>> 16)) ^ x
    x = (x + y) | 0
    y = ((y << 24) | (y >>> 8)) ^ x
    x = (x + k2) | 0
    y = (y + k0 + 2) | 0

    x = (x + y) | 0
    y = ((y << 13) | (y >>> 19)) ^ x
    x = (x + y) | 0
    y = ((y << 15) | (y >>> 17)) ^ x
    x = (x + y) | 0
    y = ((y << 26) | (y >>> 6)) ^ x
    x = (x + y) | 0
    y = ((y << 6) | (y >>> 26)) ^ x
    x = (x + k0) | 0
    y = (y + k1 + 3) | 0

    x = (x + y) | 0
    y = ((y << 17) | (y >>> 15)) ^ x
    x = (x + y) | 0
    y = ((y << 29) | (y >>> 3)) ^ x
    x = (x + y) | 0
    y = ((y << 16) | (y >>> 16)) ^ x
    x = (x + y) | 0
    y = ((y << 24) | (y >>> 8)) ^ x
    x = (x + k1) | 0
    y = (y + k2 + 4) | 0

    x = (x + y) | 0
    y = ((y << 13) | (y >>> 19)) ^ x
    x = (x + y) | 0
    y = ((y << 15) | (y >>> 17)) ^ x
    x = (x + y) | 0
    y = ((y << 26) | (y >>> 6)) ^ x
    x = (x + y) | 0
    y = ((y << 6) | (y >>> 26)) ^ x
    this.second = (y + k0 + 5) | 0
    return (x + k2) | 0
  }

  private keep(place: number, high: number): void {
    const [first, second] = threefry2x32([high, 0], this.key)
    this.highs[place] = high
    this.keys[2 * place] = first
    this.keys[2 * place + 1] = second
  }
}

class EntityDraws implements RandomStream {
  private readonly draws: EntityRandom
  private readonly entity: number
  private index: number

  constructor(draws: EntityRandom, entity: number, firstIndex: number) {
    this.draws = draws
    this.entity = entity
    this.index = firstIndex
  }

  nextUint32(): number {
    return this.draws.uint32(this.entity, this.index++)
  }

  nextFloat(): number {
    return this.draws.float(this.entity, this.index++)
  }
}
