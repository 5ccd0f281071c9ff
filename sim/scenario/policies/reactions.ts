/** What answers and errors do to the next wait: `honour`, `+5s`, `x0.5`, a backoff of its own. */
import { parseDuration } from '../../kernel/units.ts'
import type { AfterError, PollPolicy, Step, StreamPolicy } from '../../policies/policy.ts'
import * as z from 'zod'
import { count, either, oneOf, word } from '../schema-parts.ts'
import { durationProblem, kindOf, quoted } from '../values.ts'
import { BackoffJitter, BackoffMap, resolveBackoff, resolveJitter, type BackoffInput } from './backoff.ts'
import { INTERVAL_PATTERN, positiveDuration, wait } from './wait.ts'

const usOf = (value: string | number): number => parseDuration(String(value)) as number

const FACTOR_TEXT = String.raw`x\d+(?:\.\d+)?`
const FACTOR = new RegExp(`^${FACTOR_TEXT}$`)

function factorProblem(value: unknown): string | undefined {
  const factor = typeof value === 'string' && FACTOR.test(value) ? resolveFactor(value) : value
  return typeof factor === 'number' && factor > 0 && Number.isFinite(factor)
    ? undefined
    : `${typeof value === 'object' ? kindOf(value) : quoted(value)} is not a factor: write x1.2`
}

/** `x1.2`; in a map a bare 1.2 as well. */
export const Factor = z.union([z.number().positive(), word(factorProblem, `^${FACTOR_TEXT}$`)], {
  error: ({ input }) => factorProblem(input) ?? `${quoted(input)} is not a factor: write x1.2`,
})

export const resolveFactor = (value: string | number): number =>
  typeof value === 'number' ? value : Number(value.slice(1))

/** What a `Retry-After` does. */
export const RetryAfterMap = z.strictObject({
  jitter: BackoffJitter.optional(),
  max: wait('what the server says is followed up to here').optional(),
})
export const RetryAfterSchema = either('honour, ignore or a map (jitter, max)', [
  oneOf(['honour', 'ignore'], 'what a Retry-After does: honour, ignore or a map (jitter, max)'),
  RetryAfterMap,
])

export function resolveRetryAfter(
  value: z.output<typeof RetryAfterSchema> | undefined,
): PollPolicy['retryAfter'] & StreamPolicy['retryAfter'] {
  if (value === undefined || typeof value === 'string') return value ?? 'honour'
  if (value.jitter === undefined && value.max === undefined) return 'honour'
  return {
    jitter: resolveJitter(value.jitter ?? 'none'),
    maxUs: value.max === undefined ? undefined : usOf(value.max),
  }
}

/** What each `slow_down` does to all further waits. */
export const SlowDownMap = z.strictObject({
  add: wait('added to all further waits').optional(),
  multiply: Factor.meta({ description: 'what all further waits are multiplied by' }).optional(),
  giveUpAt: count('after so many the client gives up').optional(),
})
export const SlowDownSchema = either('ignore, +5s, x1.4 or a map (add, multiply, giveUpAt)', [
  word(
    (value) => {
      if (value === 'ignore') return undefined
      const text = typeof value === 'string' ? value : ''
      if (FACTOR.test(text)) return factorProblem(text)
      if (text.startsWith('+')) return durationProblem(text.slice(1))
      return `${quoted(value)} is no answer to slow_down: ignore, +5s or x1.4`
    },
    String.raw`^(?:ignore|\+.+|${FACTOR_TEXT})$`,
  ),
  SlowDownMap,
])

export function resolveSlowDown(value: z.output<typeof SlowDownSchema> | undefined): PollPolicy['slowDown'] {
  if (value === undefined || value === 'ignore') return 'ignore'
  if (typeof value === 'string') {
    return FACTOR.test(value)
      ? { addUs: 0, multiply: resolveFactor(value), giveUpAt: undefined }
      : { addUs: usOf(value.slice(1)), multiply: 1, giveUpAt: undefined }
  }
  return {
    addUs: value.add === undefined ? 0 : usOf(value.add),
    multiply: value.multiply === undefined ? 1 : resolveFactor(value.multiply),
    giveUpAt: value.giveUpAt,
  }
}

const stepProblem = (value: unknown): string | undefined => {
  const text = typeof value === 'string' ? value : ''
  if (text === 'reset' || (FACTOR.test(text) && factorProblem(text) === undefined)) return undefined
  if (/^[+-]?\d/.test(text)) return durationProblem(text.replace(/^[+-]/, ''))
  return `${quoted(value)} is no step: write x0.5, +1s, a duration to set, or reset`
}

/** A change of an adaptive interval. */
export const StepSchema = word(
  stepProblem,
  String.raw`^(?:reset|${FACTOR_TEXT}|[+-]?(?:\d+(?:\.\d+)?(?:us|ms|s|m|h|d))+)$`,
)

export function resolveStep(text: string): Step {
  if (text === 'reset') return { of: 'reset' }
  if (FACTOR.test(text)) return { of: 'times', factor: resolveFactor(text) }
  if (!/^[+-]/.test(text)) return { of: 'set', us: usOf(text) }
  const us = usOf(text.slice(1))
  return { of: 'plus', us: text.startsWith('-') ? -us : us }
}

export const AdaptMap = z.strictObject({
  news: StepSchema.meta({ description: 'what a poll with news does to the interval' }).optional(),
  quiet: StepSchema.meta({ description: 'what a poll without news does to it' }).optional(),
  min: positiveDuration('the shortest it gets').optional(),
  max: positiveDuration('the longest it gets').optional(),
})

/** What an unsuccessful attempt does to the next one. */
export const AfterErrorSchema = either('next, fail, a duration or a backoff map', [
  z.literal(0),
  word(
    (value) =>
      value === 'next' || value === 'fail'
        ? undefined
        : `${quoted(value)} is not next (go on as planned), fail, a duration or a backoff map`,
    `${INTERVAL_PATTERN}|^(?:next|fail)$`,
  ),
  BackoffMap,
]).meta({ description: 'next (go on as planned), fail, a duration or a backoff' })

/** A checked reaction in long form. */
export const resolveAfterError = (value: z.output<typeof AfterErrorSchema> | undefined): AfterError =>
  value === undefined || value === 'next' || value === 'fail'
    ? (value ?? 'next')
    : resolveBackoff(value as BackoffInput)
