import { spellDuration, type Distribution } from '../../sim/index.ts'

/** Time left to chance, as people read it: `50 ms`, `20 ms to 80 ms`, `exponential, mean 20 s`. */
export function spellDistribution(distribution: Distribution): string {
  const spell = (us: number) => spellDuration(Math.round(us))
  switch (distribution.of) {
    case 'fixed':
      return spell(distribution.us)
    case 'uniform':
      return `${spell(distribution.fromUs)} to ${spell(distribution.toUs)}`
    case 'exponential':
      return `exponential, mean ${spell(distribution.meanUs)}`
    case 'lognormal':
      return `log-normal, median ${spell(Math.exp(distribution.mu))}, sigma ${Number(distribution.sigma.toFixed(3))}`
    case 'normal':
      return `normal, mean ${spell(distribution.meanUs)}, sd ${spell(distribution.sdUs)}`
    case 'weibull':
      return `Weibull, scale ${spell(distribution.scaleUs)}, shape ${distribution.shape}`
    case 'pareto':
      return `Pareto from ${spell(distribution.minUs)} to ${spell(distribution.maxUs)}, shape ${distribution.shape}`
    case 'grid':
      return `${distribution.points} lengths from ${spell(distribution.fromUs)} to ${spell(distribution.toUs)}`
    case 'empirical':
      return `drawn from ${distribution.values.length} measured ones`
  }
}
