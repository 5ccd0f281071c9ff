/**
 * Chance from a seed: one independent stream for each purpose, so that a new
 * draw for latency does not shift the arrivals, and two mechanisms can be
 * compared on the same world.
 */
import { Sfc32 } from './sfc32.ts'
import { threefry2x32, type Block } from './threefry.ts'

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
  return sfc32Of(seed, purpose)
}

/** The generator behind `randomStream`, for those who draw from it in bulk. Throws as it does. */
export function sfc32Of(seed: number, purpose: string): Sfc32 {
  const [a, b] = keyOf(seed, purpose)
  const [c] = threefry2x32([a, b], halves(seed))
  return new Sfc32(a, b, c)
}

/**
 * What seed and purpose come to: a block in which they can no longer be seen.
 *
 * @throws RangeError if the seed is not a whole number from 0 to 2^53 - 1
 */
export function keyOf(seed: number, purpose: string): Block {
  if (!Number.isSafeInteger(seed) || seed < 0)
    throw new RangeError(`a seed is a whole number from 0 to 2^53 - 1, not ${seed}`)
  return threefry2x32(fnv1a64(purpose), halves(seed))
}

const halves = (seed: number): Block => [seed | 0, Math.floor(seed / 2 ** 32)]

/** Fowler, Noll and Vo's hash of the UTF-8 form (FNV-1a, 64 bits). */
function fnv1a64(text: string): Block {
  let hash = 0xcbf29ce484222325n
  for (const octet of new TextEncoder().encode(text))
    hash = BigInt.asUintN(64, (hash ^ BigInt(octet)) * 0x100000001b3n)
  return [Number(hash & 0xffffffffn), Number(hash >> 32n)]
}
