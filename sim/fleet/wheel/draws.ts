/** Chance of polls by task and number: whoever asks in whatever order sees the same. */
import { type Distribution, drawUs } from '../../kernel/distribution.ts'
import type { EntityRandom } from '../../kernel/entity-random.ts'
import { ln } from '../../kernel/ln.ts'
import type { RandomStream } from '../../kernel/random.ts'

/** As of every draw: an instant plus a draw stays a whole number. */
const LONGEST_US = 2 ** 52

/** How many values a draw takes from a stream, as `drawUs` does. */
export function valuesIn({ of }: Distribution): number {
  switch (of) {
    case 'fixed':
    case 'grid':
      return 0
    case 'normal':
    case 'lognormal':
      return 2
    case 'uniform':
    case 'exponential':
    case 'weibull':
    case 'pareto':
    case 'empirical':
      return 1
  }
}

/** One entity's values from an index on, set anew for each draw. */
export class EntityCursor implements RandomStream {
  private readonly random: EntityRandom
  private entity = 0
  private index = 0

  constructor(random: EntityRandom) {
    this.random = random
  }

  at(entity: number, index: number): this {
    this.entity = entity
    this.index = index
    return this
  }

  nextUint32(): number {
    return this.random.uint32(this.entity, this.index++)
  }

  nextFloat(): number {
    return this.random.float(this.entity, this.index++)
  }
}

/**
 * The n-th draws of entities, each as the n-th of its own stream would be.
 * Uniform and exponential ones are drawn here, as the most common.
 */
export class NthDraws {
  readonly fixedUs: number | undefined
  private readonly distribution: Distribution
  private readonly random: EntityRandom
  private readonly cursor: EntityCursor
  private readonly values: number
  private readonly isUniform: boolean
  /** Of exponential ones, else 0. */
  private readonly meanUs: number
  private readonly fromUs: number
  private readonly widthUs: number

  constructor(distribution: Distribution, random: EntityRandom) {
    this.distribution = distribution
    this.random = random
    this.cursor = new EntityCursor(random)
    this.values = valuesIn(distribution)
    this.fixedUs = distribution.of === 'fixed' ? distribution.us : undefined
    this.isUniform = distribution.of === 'uniform'
    this.meanUs = distribution.of === 'exponential' ? distribution.meanUs : 0
    this.fromUs = distribution.of === 'uniform' ? distribution.fromUs : 0
    this.widthUs = distribution.of === 'uniform' ? distribution.toUs - distribution.fromUs : 0
  }

  us(entity: number, n: number): number {
    if (this.isUniform) return Math.floor(this.fromUs + this.widthUs * this.random.float(entity, n) + 0.5)
    if (this.meanUs > 0)
      return Math.min(Math.floor(0.5 - this.meanUs * ln(1 - this.random.float(entity, n))), LONGEST_US)
    if (this.fixedUs !== undefined) return this.fixedUs
    return drawUs(this.distribution, this.cursor.at(entity, n * this.values))
  }
}
