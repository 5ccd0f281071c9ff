/** A stream of chance that is drawn from in columns: the same values as one by one, in a third of the time. */
import { sfc32Of, type RandomStream } from './random.ts'

export interface RandomBlocks extends RandomStream {
  /** Fills the first `count` places with what as many calls of `nextFloat` would have given. */
  fillFloats(into: Float64Array, count: number): void
  /**
   * Fills the first `count` places with exponential draws of mean 1, each -ln(1
   * - u) of the next `nextFloat` u by the logarithm of ln.ts. With its 53 bits
   * the tail reaches to 36.7 means.
   */
  fillExponentials(into: Float64Array, count: number): void
}

/**
 * The stream of `randomStream(seed, purpose)`.
 *
 * @throws RangeError if the seed is not a whole number from 0 to 2^53 - 1
 */
export const randomBlocks = (seed: number, purpose: string): RandomBlocks => sfc32Of(seed, purpose)
