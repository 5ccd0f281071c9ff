import { describe, expect, test } from 'vitest'
import {
  drawUs,
  fixed,
  gridPointUs,
  isFixed,
  leastUs,
  lognormalOfMean,
  lognormalOfQuantiles,
  meanUs,
  weibullOfMean,
  type Distribution,
} from './distribution.ts'
import { randomStream, type RandomStream } from './random.ts'

const SECOND = 1_000_000
const DRAWS = 100_000

/** Many draws, in order of size. */
function drawsOf(distribution: Distribution): Float64Array {
  const random = randomStream(1, 'draws')
  return Float64Array.from({ length: DRAWS }, () => drawUs(distribution, random)).sort()
}

/**
 * The closed forms: what share of draws lies at or below these µs.
 * (The normal distribution's is the table every textbook has.)
 */
const closedForms: { name: string; distribution: Distribution; shares: [us: number, share: number][] }[] = [
  {
    name: 'uniform',
    distribution: { of: 'uniform', fromUs: 20 * SECOND, toUs: 80 * SECOND },
    shares: [35, 50, 77].map((s) => [s * SECOND, (s - 20) / 60]),
  },
  {
    name: 'exponential',
    distribution: { of: 'exponential', meanUs: 20 * SECOND },
    shares: [5, 20, 60].map((s) => [s * SECOND, 1 - Math.exp(-s / 20)]),
  },
  {
    name: 'Weibull',
    distribution: { of: 'weibull', scaleUs: 20 * SECOND, shape: 2 },
    shares: [5, 20, 35].map((s) => [s * SECOND, 1 - Math.exp(-((s / 20) ** 2))]),
  },
  {
    name: 'bounded Pareto',
    distribution: { of: 'pareto', minUs: 5 * SECOND, shape: 1.5, maxUs: 3600 * SECOND },
    shares: [6, 10, 100].map((s) => [s * SECOND, (1 - (5 / s) ** 1.5) / (1 - (5 / 3600) ** 1.5)]),
  },
  {
    name: 'normal',
    distribution: { of: 'normal', meanUs: 10 * SECOND, sdUs: 2 * SECOND },
    shares: [
      [8 * SECOND, 0.158655],
      [10 * SECOND, 0.5],
      [14 * SECOND, 0.97725],
    ],
  },
  {
    name: 'normal cut at 0',
    distribution: { of: 'normal', meanUs: SECOND, sdUs: 2 * SECOND },
    shares: [
      [0, 0.308538],
      [3 * SECOND, 0.841345],
    ],
  },
  {
    name: 'log-normal from p50 and p95',
    distribution: lognormalOfQuantiles(18 * SECOND, 'p95', 60 * SECOND),
    shares: [
      [18 * SECOND, 0.5],
      [60 * SECOND, 0.95],
    ],
  },
  {
    name: 'log-normal from p50 and p99',
    distribution: lognormalOfQuantiles(18 * SECOND, 'p99', 60 * SECOND),
    shares: [
      [18 * SECOND, 0.5],
      [60 * SECOND, 0.99],
    ],
  },
  {
    name: 'empirical',
    distribution: { of: 'empirical', values: [1, 2, 2, 10] },
    shares: [
      [1, 0.25],
      [2, 0.75],
      [10, 1],
    ],
  },
]

describe('draws follow the closed form', () => {
  test.each(closedForms)('$name', ({ distribution, shares }) => {
    const draws = drawsOf(distribution)
    for (const [us, share] of shares) {
      const obtained = draws.filter((draw) => draw <= us).length / DRAWS
      // Five standard errors of a share.
      expect(Math.abs(obtained - share)).toBeLessThan(5 * Math.sqrt((share * (1 - share)) / DRAWS) + 1e-9)
    }
  })

  test.each([
    ...closedForms,
    { name: 'fixed', distribution: fixed(7 * SECOND) },
    { name: 'log-normal from mean and sigma', distribution: lognormalOfMean(20 * SECOND, 0.5) },
    { name: 'Weibull from its mean', distribution: weibullOfMean(20 * SECOND, 0.8) },
    {
      name: 'Pareto of shape 1',
      distribution: { of: 'pareto', minUs: SECOND, shape: 1, maxUs: 60 * SECOND } as const,
    },
  ])('the mean of $name', ({ distribution }) => {
    const draws = drawsOf(distribution)
    const mean = draws.reduce((sum, draw) => sum + draw, 0) / DRAWS
    const variance = draws.reduce((sum, draw) => sum + (draw - mean) ** 2, 0) / DRAWS
    // Half a µs for the rounding of each draw.
    expect(Math.abs(mean - meanUs(distribution))).toBeLessThanOrEqual(5 * Math.sqrt(variance / DRAWS) + 0.5)
  })
})

describe('parameters from what people know', () => {
  test.each([
    // Γ(2) = 1, Γ(3/2) = √π / 2, Γ(5/4) = 0.9064024770554771, Γ(11) = 10!.
    { shape: 1, factor: 1 },
    { shape: 2, factor: Math.sqrt(Math.PI) / 2 },
    { shape: 4, factor: 0.9064024770554771 },
    { shape: 0.1, factor: 3_628_800 },
  ])('a Weibull scale is the mean over Γ(1 + 1/shape), shape $shape', ({ shape, factor }) => {
    const { scaleUs } = weibullOfMean(20 * SECOND, shape) as { scaleUs: number }
    expect((scaleUs * factor) / (20 * SECOND)).toBeCloseTo(1, 12)
  })

  test('a log-normal one keeps its mean whatever its sigma', () => {
    for (const sigma of [0, 0.5, 2]) expect(meanUs(lognormalOfMean(20, sigma))).toBeCloseTo(20, 10)
  })

  test('a normal one far above 0 keeps its mean; one around 0 has σ φ(0)', () => {
    expect(meanUs({ of: 'normal', meanUs: 100, sdUs: 1 })).toBe(100)
    expect(meanUs({ of: 'normal', meanUs: 100, sdUs: 0 })).toBe(100)
    expect(meanUs({ of: 'normal', meanUs: 0, sdUs: 100 })).toBeCloseTo(100 / Math.sqrt(2 * Math.PI), 10)
  })
})

describe('a draw', () => {
  /** A stream at one end of what `nextFloat` gives. */
  const always = (value: number): RandomStream => ({ nextFloat: () => value, nextUint32: () => 0 })

  const heavy: Distribution[] = [
    { of: 'uniform', fromUs: 0, toUs: 3 },
    { of: 'exponential', meanUs: 1e15 },
    { of: 'lognormal', mu: 30, sigma: 10 },
    { of: 'normal', meanUs: -1e9, sdUs: 1 },
    { of: 'weibull', scaleUs: 1e6, shape: 0.01 },
    { of: 'pareto', minUs: 1, shape: 0.1, maxUs: 1e9 },
    { of: 'empirical', values: [1, 2] },
  ]

  test.each([...closedForms, { name: 'fixed', distribution: fixed(3) }])(
    'of $name is never less than its least, which a bounded one reaches',
    ({ distribution }) => {
      const least = leastUs(distribution)
      expect(drawsOf(distribution)[0]).toBeGreaterThanOrEqual(least)
      if (least > 0) expect(drawUs(distribution, always(0))).toBe(least)
    },
  )

  test.each(heavy)('of $of is a whole number from 0 on, at both ends of chance', (distribution) => {
    for (const end of [0, 1 - 2 ** -53]) {
      const us = drawUs(distribution, always(end))
      expect(Number.isInteger(us) && us >= 0 && us <= 2 ** 52).toBe(true)
    }
  })

  test('stays within its bounds', () => {
    const pareto: Distribution = { of: 'pareto', minUs: 5, shape: 1.5, maxUs: 3600 }
    expect(drawUs(pareto, always(0))).toBe(5)
    expect(drawUs(pareto, always(1 - 2 ** -53))).toBe(3600)
    expect(drawUs({ of: 'uniform', fromUs: 20, toUs: 80 }, always(1 - 2 ** -53))).toBe(80)
    expect(drawUs({ of: 'uniform', fromUs: 20, toUs: 80 }, always(0))).toBe(20)
  })

  test('takes a fixed number of values, so that other parameters do not shift what comes later', () => {
    const taken = (distribution: Distribution): number => {
      let count = 0
      const random = randomStream(2, 'count')
      drawUs(distribution, { ...random, nextUint32: () => 0, nextFloat: () => (count++, random.nextFloat()) })
      return count
    }
    expect(taken(fixed(5))).toBe(0)
    expect(taken({ of: 'normal', meanUs: 0, sdUs: 1 })).toBe(2)
    expect(taken({ of: 'lognormal', mu: 0, sigma: 0 })).toBe(2)
    expect(taken({ of: 'exponential', meanUs: 0 })).toBe(1)
    expect(taken({ of: 'empirical', values: [1] })).toBe(1)
  })

  test('is pinned: a change here changes every seeded result', () => {
    const random = randomStream(1, 'pinned')
    expect([
      drawUs({ of: 'uniform', fromUs: 0, toUs: SECOND }, random),
      drawUs({ of: 'exponential', meanUs: SECOND }, random),
      drawUs({ of: 'normal', meanUs: SECOND, sdUs: SECOND }, random),
      drawUs({ of: 'lognormal', mu: 13, sigma: 1 }, random),
    ]).toMatchInlineSnapshot(`
      [
        272851,
        8296,
        2161583,
        223270,
      ]
    `)
  })

  test('only of a fixed quantity needs no chance', () => {
    expect(isFixed(fixed(0))).toBe(true)
    expect(isFixed({ of: 'uniform', fromUs: 1, toUs: 2 })).toBe(false)
  })
})

describe('a grid', () => {
  const grid = { of: 'grid', fromUs: 16 * SECOND, toUs: 24 * SECOND, points: 4001 } as const

  test('gives the midpoints of its parts, in order, and begins again after the last', () => {
    expect(gridPointUs({ ...grid, points: 4 }, 0)).toBe(17 * SECOND)
    expect(gridPointUs({ ...grid, points: 4 }, 3)).toBe(23 * SECOND)
    expect(gridPointUs({ ...grid, points: 4 }, 4)).toBe(17 * SECOND)
    expect(gridPointUs(grid, 2000)).toBe(20 * SECOND)
    expect(meanUs(grid)).toBe(20 * SECOND)
  })

  test('is not drawn from', () => {
    expect(() => drawUs(grid, randomStream(1, 'grid'))).toThrow(RangeError)
  })
})
