/** How long to wait, as policies write it: `7s`, `20m..30m`, `7/s`. */
import * as z from 'zod'
import { fixed, meanUs, type Distribution } from '../../kernel/distribution.ts'
import { US_PER_SECOND, formatDuration, parseDuration } from '../../kernel/units.ts'
import {
  DISTRIBUTION_PATTERN,
  distributionMap,
  distributionProblem,
  resolveDistribution,
} from '../distribution.ts'
import { duration, either, word } from '../schema-parts.ts'
import { DURATION_PATTERN, durationProblem } from '../values.ts'

/** A fixed wait; 0 is one. */
export const wait = (description: string) => duration(durationProblem, description)

/** A time in which something must be possible. */
export const positiveDuration = (description: string) =>
  word(
    (value) =>
      durationProblem(value) ??
      (parseDuration(String(value)) === 0
        ? `${String(value)} leaves no time for anything: write 1ms or more`
        : undefined),
    DURATION_PATTERN,
  ).meta({ description })

/** Up to here times are written in seconds: `60s` and `90s`, but `5m`. */
const LONGEST_IN_SECONDS_US = 120 * US_PER_SECOND

/** A fixed time as words write it. */
export const timeText = (us: number): string =>
  us >= US_PER_SECOND && us < LONGEST_IN_SECONDS_US ? `${us / US_PER_SECOND}s` : formatDuration(us)

const RATE = /^(\d+(?:\.\d+)?)\/(s|m|h|d)$/
const SECONDS_IN = { s: 1, m: 60, h: 3600, d: 86_400 } as const

/** For editors: the texts an interval may be. */
export const INTERVAL_PATTERN = String.raw`${DISTRIBUTION_PATTERN}|^\d[\d.]*/[smhd]$`

const LIST = /^\d[^/]*(?:\/\d[^/]*)+$|^\d[^/]*\*\d+$/

/** Whether a value is a list of waits as words write it, `1s/2s` or `250ms*3`, where it stays a text: in a map. */
export const isListText = (value: unknown): boolean =>
  typeof value === 'string' && LIST.test(value) && !/^\d[\d.]*\/[a-z]+$/i.test(value)

/** `1s/2s` as maps write it: `[1s, 2s]`. */
export const listInMap = (text: string): string => `[${text.split('/').join(', ')}]`

/** Why a value is no interval. */
export function intervalProblem(value: unknown): string | undefined {
  if (typeof value !== 'string') return durationProblem(value)
  if (isListText(value)) return `"${value}" is a list and no interval: write delays: ${listInMap(value)}`
  if (RATE.test(value)) return rateUs(value) > 0 ? undefined : `${value} is no rate that can be kept`
  if (/^\d[\d.]*\s*(?:\/|per\b)/.test(value)) {
    return `"${value}" is not a rate: write a number per s, m, h or d, such as 7/s or 200000/d`
  }
  return distributionProblem(value, 'policy')
}

const WHAT = 'a duration, a range such as 20m..30m, a distribution or a rate such as 7/s'

/** The branches of a union that takes an interval written as a text. */
export const intervalWord = [z.literal(0), word(intervalProblem, INTERVAL_PATTERN)] as const

/** A wait in any form. */
export const Interval = either(WHAT, [...intervalWord, distributionMap('policy')]).meta({
  description: 'the wait: 7s, 20m..30m (uniform), 7/s or a distribution',
})

export const resolveInterval = (value: unknown): Distribution =>
  typeof value === 'string' && RATE.test(value) ? fixed(rateUs(value)) : resolveDistribution(value)

/** The interval of a rate, up to the next µs, so that no rate is exceeded; 0 for a rate that has none. */
function rateUs(text: string): number {
  const [, number, unit] = RATE.exec(text) ?? []
  const us = Math.ceil((US_PER_SECOND * SECONDS_IN[unit as keyof typeof SECONDS_IN]) / Number(number))
  return Number.isSafeInteger(us) ? us : 0
}

/** An interval as words write it, the short one as a rate if it came from one. */
export const intervalText = (interval: Distribution): string =>
  (interval.of === 'fixed' ? asRate(interval.us) : undefined) ?? waitText(interval)

/** Any wait as words write it. Where a map has commas a word has semicolons. */
export function waitText(interval: Distribution): string {
  const time = (us: number) => timeText(Math.round(us))
  switch (interval.of) {
    case 'fixed':
      return time(interval.us)
    case 'uniform':
      return `${interval.fromUs === 0 ? '0' : time(interval.fromUs)}..${time(interval.toUs)}`
    case 'exponential':
      return `exponential:${time(interval.meanUs)}`
    case 'normal':
      return `normal:mean=${time(interval.meanUs)};sd=${time(interval.sdUs)}`
    case 'lognormal':
      return `lognormal:mean=${time(meanUs(interval))};sigma=${interval.sigma}`
    case 'weibull':
      return `weibull:mean=${time(meanUs(interval))};shape=${interval.shape}`
    case 'pareto':
      return `pareto:min=${time(interval.minUs)};shape=${interval.shape};max=${time(interval.maxUs)}`
    case 'grid':
    case 'empirical':
      throw new Error(`a policy has no ${interval.of} distribution`)
  }
}

/** `7/s` for a wait that is no whole number of milliseconds and comes from such a rate. */
function asRate(us: number): string | undefined {
  const perSecond = Math.round(US_PER_SECOND / us)
  return us % 1000 !== 0 && perSecond > 1 && Math.ceil(US_PER_SECOND / perSecond) === us
    ? `${perSecond}/s`
    : undefined
}
