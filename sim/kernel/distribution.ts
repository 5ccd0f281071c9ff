/** Quantities of time left to chance, as data. All in µs. */
export type Distribution =
  | { of: 'fixed'; us: number }
  | { of: 'uniform'; fromUs: number; toUs: number }
  | { of: 'exponential'; meanUs: number }
  /** `mu` and `sigma` are those of the logarithm of the µs. */
  | { of: 'lognormal'; mu: number; sigma: number }
  /** Cut at 0. */
  | { of: 'normal'; meanUs: number; sdUs: number }
  | { of: 'weibull'; scaleUs: number; shape: number }
  /** Bounded at `maxUs`. */
  | { of: 'pareto'; minUs: number; shape: number; maxUs: number }
  /** The midpoints of `points` equal parts, one run each, in order; nothing is drawn. */
  | { of: 'grid'; fromUs: number; toUs: number; points: number }
  | { of: 'empirical'; values: readonly number[] }

export const fixed = (us: number): Distribution => ({ of: 'fixed', us })
