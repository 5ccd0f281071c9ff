import type * as z from 'zod'
import { describe, expect, test } from 'vitest'
import { fixed, lognormalOfMean, lognormalOfQuantiles, weibullOfMean } from '../kernel/distribution.ts'
import { distribution, distributionProblem, resolveDistribution, type Use } from './distribution.ts'

const S = 1_000_000

/** What the schema says first of a value that stands somewhere in the world. */
function complaint(value: unknown, use: Use = 'job'): string | undefined {
  const { error } = distribution(use, '').safeParse(value)
  const tell = (issues: readonly z.core.$ZodIssue[]): string | undefined => {
    const [issue] = issues
    if (issue?.code !== 'invalid_union') return issue && `${issue.path.join('.')}: ${issue.message}`
    return tell(issue.errors.find((branch) => branch.every(({ code }) => code === 'custom')) ?? [])
  }
  return error && tell(error.issues)
}

describe('a distribution is read', () => {
  test.each([
    [0, fixed(0)],
    ['0', fixed(0)],
    ['20s', fixed(20 * S)],
    ['20ms..80ms', { of: 'uniform', fromUs: 20_000, toUs: 80_000 }],
    ['0..3s', { of: 'uniform', fromUs: 0, toUs: 3 * S }],
    ['uniform:20ms..80ms', { of: 'uniform', fromUs: 20_000, toUs: 80_000 }],
    ['uniform:min=20ms,max=80ms', { of: 'uniform', fromUs: 20_000, toUs: 80_000 }],
    [{ uniform: { min: '20ms', max: '80ms' } }, { of: 'uniform', fromUs: 20_000, toUs: 80_000 }],
    ['exponential:20s', { of: 'exponential', meanUs: 20 * S }],
    ['exponential:mean=20s', { of: 'exponential', meanUs: 20 * S }],
    [{ exponential: '20s' }, { of: 'exponential', meanUs: 20 * S }],
    [{ exponential: { mean: '20s' } }, { of: 'exponential', meanUs: 20 * S }],
    ['lognormal:p50=18s,p95=60s', lognormalOfQuantiles(18 * S, 'p95', 60 * S)],
    [{ lognormal: { p50: '18s', p99: '60s' } }, lognormalOfQuantiles(18 * S, 'p99', 60 * S)],
    ['lognormal:mean=20s,sigma=0.5', lognormalOfMean(20 * S, 0.5)],
    ['normal:mean=10ms,sd=2ms', { of: 'normal', meanUs: 10_000, sdUs: 2_000 }],
    ['weibull:mean=20s,shape=2', weibullOfMean(20 * S, 2)],
    ['pareto:min=5s,shape=1.5,max=1h', { of: 'pareto', minUs: 5 * S, shape: 1.5, maxUs: 3600 * S }],
    ['grid:16s..24s,points=4001', { of: 'grid', fromUs: 16 * S, toUs: 24 * S, points: 4001 }],
    [
      { grid: { min: '16s', max: '24s', points: 2 } },
      { of: 'grid', fromUs: 16 * S, toUs: 24 * S, points: 2 },
    ],
  ])('%j', (value, expected) => {
    expect(complaint(value)).toBeUndefined()
    expect(resolveDistribution(value)).toEqual(expected)
  })

  test('from a column, through who reads files', () => {
    const column = { of: 'empirical', values: [1, 2] }
    const read = ({ file, column }: { file: string; column: string }) =>
      file === 'a.csv' && column === 'ms' ? [1, 2] : []
    expect(resolveDistribution('empirical:a.csv,column=ms', read)).toEqual(column)
    expect(resolveDistribution({ empirical: { file: 'a.csv', column: 'ms' } }, read)).toEqual(column)
  })
})

describe('a distribution is refused', () => {
  test.each([
    ['80ms..20ms', ': 80ms..20ms runs backwards'],
    ['5..20s', ': "5" has no unit: write 5s, 5ms or 5m'],
    ['lognorm:p50=3s', ': "lognorm" is no distribution: did you mean lognormal?'],
    ['__proto__:3s', ': "__proto__:3s" is not a duration'],
    [
      'lognormal:p50=18s',
      ': lognormal: give p50 and p95, or p50 and p99, or mean and sigma; here stands p50',
    ],
    ['lognormal:p50=18s,p95=9s', ': lognormal: p95 must lie above p50'],
    ['lognormal:p50=0,p95=9s', ': lognormal: p50 must lie above 0'],
    ['lognormal:p50=1s,p50=2s,p95=9s', ': lognormal: p50 is given twice'],
    ['lognormal:18s', ': lognormal: "18s" has no key: write lognormal:p50=18s,p95=60s'],
    ['normal:mean=10ms,sd=2', ': normal: sd: 2 has no unit: write 2s, 2ms or 2m'],
    ['weibull:mean=20s,shpae=2', ': weibull: unknown key shpae: did you mean shape?'],
    ['weibull:mean=20s,shape=x', ': weibull: shape: expected a number above 0, got the text "x"'],
    ['exponential:0', ': exponential: mean must lie above 0'],
    ['pareto:min=9s,shape=2,max=9s', ': pareto: max must lie above min'],
    ['grid:24s..16s,points=3', ': grid: 24s..16s runs backwards'],
    ['grid:16s..24s,points=2000000', ': grid: at most 1000000 points'],
    ['grid:16s..24s,points=1.5', ': grid: points: expected a whole number from 1 on, got the number 1.5'],
    [{}, ': one distribution, such as { lognormal: { p50: 18s, p95: 60s } }'],
    [{ exponential: '1s', uniform: { min: 0, max: '1s' } }, ': one distribution, such as'],
    [
      { lognormal: { p50: '18s' } },
      'lognormal: give p50 and p95, or p50 and p99, or mean and sigma; here stands p50',
    ],
    [{ lognormal: { p50: '18s', p95: '9s' } }, 'lognormal.p95: p95 must lie above p50'],
  ])('%j', (value, message) => {
    expect(complaint(value)?.slice(0, message.length)).toBe(message)
  })

  test('where it does not belong', () => {
    const grid = 'grid:16s..24s,points=3'
    expect(distributionProblem(grid, 'job')).toBeUndefined()
    expect(distributionProblem(grid, 'world')).toContain('belongs to job.duration')
    expect(complaint({ grid: { min: 0, max: '9s', points: 3 } }, 'policy')).toMatch(
      /^grid: a grid has one run/,
    )
    const column = 'empirical:a.csv,column=ms'
    expect(distributionProblem(column, 'world')).toBeUndefined()
    expect(distributionProblem(column, 'policy')).toContain('belongs to the world')
  })
})
