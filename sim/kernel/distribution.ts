/** Quantities of time left to chance: as data, and how they are drawn. */
import type { RandomStream } from './random.ts'

/** All in µs. */
export type Distribution =
  | { of: 'fixed'; us: number }
  | { of: 'uniform'; fromUs: number; toUs: number }
  | { of: 'exponential'; meanUs: number }
  /** `mu` and `sigma` are those of the logarithm of the µs. */
  | { of: 'lognormal'; mu: number; sigma: number }
  /** Cut at 0: what falls below is 0. */
  | { of: 'normal'; meanUs: number; sdUs: number }
  | { of: 'weibull'; scaleUs: number; shape: number }
  /** Bounded at `maxUs`. */
  | { of: 'pareto'; minUs: number; shape: number; maxUs: number }
  /** The midpoints of `points` equal parts, one run each, in order; nothing is drawn. */
  | { of: 'grid'; fromUs: number; toUs: number; points: number }
  | { of: 'empirical'; values: readonly number[] }

export const fixed = (us: number): Distribution => ({ of: 'fixed', us })

/** Whether every draw gives the same, so that nothing has to be drawn. */
export const isFixed = (distribution: Distribution): distribution is { of: 'fixed'; us: number } =>
  distribution.of === 'fixed'

/** Some 142 years: an instant plus a draw stays a whole number, however heavy the tail. */
const LONGEST_US = 2 ** 52

/**
 * One draw, in whole µs from 0 on. Each kind takes a fixed number of values
 * from the stream, so that a changed parameter does not shift later draws: none
 * for `fixed`, two for `normal` and `lognormal`, one for all others.
 *
 * @throws RangeError for a grid, whose values belong to runs and are not drawn: `gridPointUs`
 */
export function drawUs(distribution: Distribution, random: RandomStream): number {
  if (distribution.of === 'fixed') return distribution.us
  if (distribution.of === 'empirical')
    return distribution.values[Math.floor(random.nextFloat() * distribution.values.length)] ?? 0
  return Math.round(Math.min(Math.max(draw(distribution, random), 0), LONGEST_US))
}

function draw(
  distribution: Exclude<Distribution, { of: 'fixed' | 'empirical' }>,
  random: RandomStream,
): number {
  switch (distribution.of) {
    case 'uniform': {
      const { fromUs, toUs } = distribution
      return fromUs + (toUs - fromUs) * random.nextFloat()
    }
    // By inversion: the share left above the value is uniform too.
    case 'exponential':
      return -distribution.meanUs * Math.log(1 - random.nextFloat())
    case 'weibull':
      return distribution.scaleUs * (-Math.log(1 - random.nextFloat())) ** (1 / distribution.shape)
    case 'pareto': {
      const { minUs, shape, maxUs } = distribution
      const below = 1 - (minUs / maxUs) ** shape
      return minUs * (1 - random.nextFloat() * below) ** (-1 / shape)
    }
    case 'normal':
      return distribution.meanUs + distribution.sdUs * standardNormal(random)
    case 'lognormal':
      return Math.exp(distribution.mu + distribution.sigma * standardNormal(random))
    case 'grid':
      throw new RangeError('a grid is not drawn from: its points belong to the runs, one each')
  }
}

/** Box and Muller's cosine half. Their sine half would be the next one's, and a draw would depend on how many came before. */
function standardNormal(random: RandomStream): number {
  const radius = Math.sqrt(-2 * Math.log(1 - random.nextFloat()))
  return radius * Math.cos(2 * Math.PI * random.nextFloat())
}

/** The midpoint of part `index` of a grid, counted from 0 and beginning again after the last. */
export function gridPointUs(grid: Distribution & { of: 'grid' }, index: number): number {
  const { fromUs, toUs, points } = grid
  return Math.round(fromUs + ((toUs - fromUs) * (2 * (index % points) + 1)) / (2 * points))
}

/** The expected draw, in µs with decimals. */
export function meanUs(distribution: Distribution): number {
  switch (distribution.of) {
    case 'fixed':
      return distribution.us
    case 'uniform':
    case 'grid':
      return (distribution.fromUs + distribution.toUs) / 2
    case 'exponential':
      return distribution.meanUs
    case 'lognormal':
      return Math.exp(distribution.mu + distribution.sigma ** 2 / 2)
    case 'normal': {
      const { meanUs: mean, sdUs } = distribution
      if (sdUs === 0) return mean
      const z = mean / sdUs
      return mean * normalCdf(z) + sdUs * normalDensity(z)
    }
    case 'weibull':
      return distribution.scaleUs * gamma(1 + 1 / distribution.shape)
    case 'pareto': {
      const { minUs, shape, maxUs } = distribution
      const ratio = minUs / maxUs
      if (ratio === 1) return minUs
      if (shape === 1) return (minUs * -Math.log(ratio)) / (1 - ratio)
      return (((minUs * shape) / (shape - 1)) * (1 - ratio ** (shape - 1))) / (1 - ratio ** shape)
    }
    case 'empirical':
      return distribution.values.reduce((sum, value) => sum + value, 0) / distribution.values.length
  }
}

/** The least a draw can give, in whole µs. */
export function leastUs(distribution: Distribution): number {
  switch (distribution.of) {
    case 'fixed':
      return distribution.us
    case 'uniform':
      return distribution.fromUs
    case 'pareto':
      return distribution.minUs
    case 'grid':
      return gridPointUs(distribution, 0)
    case 'empirical':
      return distribution.values.reduce((least, value) => Math.min(least, value), Infinity)
    case 'exponential':
    case 'lognormal':
    case 'normal':
    case 'weibull':
      return 0
  }
}

/** Quantiles of the standard normal distribution: those that people give beside a median. */
const STANDARD = { p95: 1.6448536269514722, p99: 2.3263478740408408 }

/** The log-normal distribution with this median and this upper quantile. */
export const lognormalOfQuantiles = (
  p50Us: number,
  quantile: keyof typeof STANDARD,
  us: number,
): Distribution => ({
  of: 'lognormal',
  mu: Math.log(p50Us),
  sigma: Math.log(us / p50Us) / STANDARD[quantile],
})

/** The log-normal distribution with this mean; `sigma` is that of the logarithm. */
export const lognormalOfMean = (mean: number, sigma: number): Distribution => ({
  of: 'lognormal',
  mu: Math.log(mean) - sigma ** 2 / 2,
  sigma,
})

/** The Weibull distribution with this mean. */
export const weibullOfMean = (mean: number, shape: number): Distribution => ({
  of: 'weibull',
  scaleUs: mean / gamma(1 + 1 / shape),
  shape,
})

const normalDensity = (z: number): number => Math.exp(-(z ** 2) / 2) / Math.sqrt(2 * Math.PI)

/** By the series of G. Marsaglia, "Evaluating the normal distribution" (2004), to the last digits of a double. */
function normalCdf(z: number): number {
  if (Math.abs(z) > 8) return z > 0 ? 1 : 0
  let sum = z
  let term = z
  for (let divisor = 3; sum + term !== sum; divisor += 2) {
    term *= z ** 2 / divisor
    sum += term
  }
  return 0.5 + sum * normalDensity(z)
}

/** Euler's gamma function for x >= 1, by Stirling's series at x + 10: good to some 14 digits. */
function gamma(x: number): number {
  let product = 1
  for (let factor = x; factor < x + 10; factor++) product *= factor
  const y = x + 10
  const series = 1 / (12 * y) - 1 / (360 * y ** 3) + 1 / (1260 * y ** 5) - 1 / (1680 * y ** 7)
  return (Math.sqrt((2 * Math.PI) / y) * (y / Math.E) ** y * Math.exp(series)) / product
}
