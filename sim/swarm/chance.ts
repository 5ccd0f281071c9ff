import { randomStream } from '../kernel/random.ts'

/** What a drawn scenario is made with: small choices from one stream. */
export interface Chance {
  /** True with this probability. */
  maybe(probability: number): boolean
  pick<T>(choices: readonly T[]): T
  /** A whole number from `least` to `most`, both included. */
  whole(least: number, most: number): number
  /** So many, each drawn by `make`. */
  some<T>(count: number, make: (index: number) => T): T[]
}

export function chanceOf(seed: number, purpose: string): Chance {
  const random = randomStream(seed, purpose)
  const whole = (least: number, most: number) => least + Math.floor(random.nextFloat() * (most - least + 1))
  return {
    maybe: (probability) => random.nextFloat() < probability,
    pick: (choices) => choices[whole(0, choices.length - 1)] as (typeof choices)[number],
    whole,
    some: (count, make) => Array.from({ length: count }, (_, index) => make(index)),
  }
}
