/** Growing waits between attempts, as scenarios write them: `3s`, `[5s, 5m, 250ms*3]`, a library name, a map. */
import { parseDuration } from '../../kernel/units.ts'
import type { Backoff, Jitter, Waits } from '../../policies/backoff.ts'
import * as z from 'zod'
import { count, either, word } from '../schema-parts.ts'
import { durationProblem, kindOf, quoted } from '../values.ts'
import { LibraryName, NAME_TEXT } from './name.ts'
import {
  INTERVAL_PATTERN,
  Interval,
  isListText,
  listInMap,
  positiveDuration,
  resolveInterval,
  timeText,
  wait,
} from './wait.ts'

const JITTERS = ['none', 'full', 'equal', 'decorrelated', 'uniform-growth'] as const
const STRETCH = /^(±|\+-|\+|-)(\d+(?:\.\d+)?)%$/
const JITTER_PATTERN = `^(?:${JITTERS.join('|')}|(?:±|\\+-|\\+|-)\\d+(?:\\.\\d+)?%)$`

function jitterProblem(value: unknown): string | undefined {
  if (typeof value !== 'string') return `expected a backoff jitter such as full or ±25%, got ${kindOf(value)}`
  const [, sign, share] = STRETCH.exec(value) ?? []
  if (share !== undefined) {
    return sign !== '+' && Number(share) > 100 ? `${value} is more than the whole wait` : undefined
  }
  if (JITTERS.some((known) => known === value)) return undefined
  return /^\d+(?:\.\d+)?%$/.test(value)
    ? `"${value}" does not say which way: write ±${value}, +${value} (longer only) or -${value} (shorter only)`
    : `${quoted(value)} is no backoff jitter: none, full, equal, decorrelated, uniform-growth, ±25%, +25% or -25%`
}

/** The random spreading of a wait. */
export const BackoffJitter = word(jitterProblem, JITTER_PATTERN).meta({
  description:
    'random spreading of the waits: none, full, equal, decorrelated, uniform-growth, ±25%, +25%, -25%',
})

export function resolveJitter(text: string): Jitter {
  const [, sign, percent] = STRETCH.exec(text) ?? []
  if (percent === undefined) return { of: text as (typeof JITTERS)[number] }
  const share = Number(percent) / 100
  return { of: 'stretch', less: sign === '+' ? 0 : share, more: sign === '-' ? 0 : share }
}

/** As words write it. */
export function jitterText(jitter: Jitter): string {
  if (jitter.of !== 'stretch') return jitter.of
  const { less, more } = jitter
  // Shares were percentages: a product may be off by the last bit of a double.
  const percent = (share: number) => `${Number((share * 100).toFixed(9))}%`
  return less === more ? `±${percent(more)}` : more > 0 ? `+${percent(more)}` : `-${percent(less)}`
}

const DELAY = /^(.*?)(?:\*(\d+))?$/
/** More would fill the memory rather than tell anything. */
const MOST_DELAYS = 100_000

function delayProblem(value: unknown): string | undefined {
  const [, each = '', times] = DELAY.exec(String(value)) ?? []
  if (typeof value !== 'string') return durationProblem(value)
  if (times !== undefined && (Number(times) < 1 || Number(times) > MOST_DELAYS)) {
    return `${value}: how often? from *1 to *${MOST_DELAYS}`
  }
  return durationProblem(each)
}

const Delay = z.union(
  [z.literal(0), word(delayProblem, String.raw`^(?:0|(?:\d+(?:\.\d+)?(?:us|ms|s|m|h|d))+)(?:\*\d+)?$`)],
  {
    error: ({ input }) => delayProblem(input),
  },
)

/** A list of waits, `250ms*3` for three equal ones. */
export const Delays = z
  .array(Delay, {
    error: ({ input }) =>
      Array.isArray(input)
        ? undefined
        : typeof input === 'string' && isListText(input)
          ? `"${input}" is a list as words write it: in a map a list is written ${listInMap(input)}`
          : `delays is a list: write [${typeof input === 'string' ? input : '1s'}, …]`,
  })
  .min(1, { error: 'this list is empty: write the waits, such as [1s, 5s]' })
  .meta({ description: 'the waits one after the other; 250ms*3 is three of them' })

export const resolveDelays = (delays: z.output<typeof Delays>): number[] =>
  delays.flatMap((delay) => {
    const [, each = '', times = '1'] = DELAY.exec(String(delay)) ?? []
    return Array.from({ length: Number(times) }, () => parseDuration(each) as number)
  })

/** `1s/5s/250ms*3`, as words write a list. */
export function delaysText(delaysUs: readonly number[]): string {
  const runs: { us: number; times: number }[] = []
  for (const us of delaysUs) {
    const last = runs.at(-1)
    if (last?.us === us) last.times += 1
    else runs.push({ us, times: 1 })
  }
  // A list of one would be read as an interval.
  const isOne = delaysUs.length === 1
  const texts = runs.map(
    ({ us, times }) => `${us === 0 ? '0' : timeText(us)}${times > 1 || isOne ? `*${times}` : ''}`,
  )
  return texts.join('/')
}

/** The keys that say how to wait, shared with polls. */
export const wayKeys = {
  interval: Interval.optional(),
  initial: positiveDuration('the first of growing waits').optional(),
  multiplier: z
    .number({ error: ({ input }) => `expected a number such as 1.5, got ${kindOf(input)}` })
    .min(1, { error: ({ input }) => `${String(input)} shrinks the wait: a multiplier is 1 or more` })
    .meta({ description: 'what each wait is multiplied by; 2 if not given' })
    .optional(),
  max: positiveDuration('the cap of growing waits').optional(),
  delays: Delays.optional(),
}

/** The long form of a backoff, without a library name. */
const plainKeys = {
  ...wayKeys,
  jitter: BackoffJitter.optional(),
  attempts: count('all tries, the first included').optional(),
  budget: wait('no attempt begins later than so long after the first').optional(),
  resetAfter: wait('success for so long, and the waits begin anew').optional(),
  timeout: positiveDuration('how long one attempt may take').optional(),
}

type Ways = { [Key in keyof typeof wayKeys]?: z.output<(typeof wayKeys)[Key]> | undefined }

/** The keys each of which says how to wait; at most one may stand in a map. */
export const WAYS = ['interval', 'delays', 'initial'] as const

/** What only makes sense together; for zod's `check`. */
export function checkWays({ value, issues }: z.core.ParsePayload<Ways>): void {
  const complain = (key: keyof Ways, message: string) =>
    issues.push({ code: 'custom', input: value, path: [key], message })
  const [first, second] = WAYS.filter((key) => value[key] !== undefined)
  if (first !== undefined && second !== undefined) {
    complain(
      second,
      `${first} and ${second} exclude each other: a fixed interval, a list of delays, or initial with multiplier and max`,
    )
  }
  if (value.multiplier !== undefined && value.initial === undefined) {
    complain('multiplier', 'multiplier needs initial: the first wait')
  }
  if (
    value.initial !== undefined &&
    value.max !== undefined &&
    durationOf(value.max) < durationOf(value.initial)
  ) {
    complain('max', `max ${value.max} lies below the first wait, ${value.initial}`)
  }
}

/** For maps of which one key is a backoff: one that says how to wait between attempts, but not how long. */
export const needsWay =
  (...keys: readonly string[]) =>
  ({ value, issues }: z.core.ParsePayload<object>): void => {
    for (const key of keys) {
      const inner = (value as Record<string, unknown>)[key]
      if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) continue
      const map = inner as Record<string, unknown>
      if (WAYS.some((way) => map[way] !== undefined) || map['attempts'] === 1) continue
      // What is wrong with it otherwise may be what was meant to say it.
      if (issues.some((issue) => issue.path?.[0] === key)) continue
      const message = `${key} does not say how long to wait: add interval, such as ${key}: { interval: 3s }`
      issues.push({ code: 'custom', input: value, path: [key], message })
    }
  }

const durationOf = (value: string | number): number => parseDuration(String(value)) as number

export const BackoffMap = z.strictObject({ use: LibraryName.optional(), ...plainKeys }).check(checkWays)
export type BackoffInput = z.output<typeof BackoffMap>

const FORMS = 'none, a duration, a list of delays, a library name or a map'

/** A backoff in any of its forms. */
export const BackoffSchema = either(FORMS, [
  z.literal(0),
  word(
    (value) => (value === 'none' ? undefined : backoffTextProblem(value)),
    `${INTERVAL_PATTERN}|^none$|^${NAME_TEXT}$`,
  ),
  Delays,
  BackoffMap,
])

/** Any other text was written out before the schema saw it, so it can only be wrong. */
const backoffTextProblem = (value: unknown): string => `expected ${FORMS}, got ${kindOf(value)}`

/** The waits of a map; `undefined` if it does not say how to wait. */
export function resolveWays(map: Ways, last: 'repeats' | 'ends'): Waits | undefined {
  if (map.interval !== undefined) return { of: 'interval', interval: resolveInterval(map.interval) }
  if (map.delays !== undefined) return { of: 'list', delaysUs: resolveDelays(map.delays), last }
  if (map.initial === undefined) return undefined
  return {
    of: 'growing',
    initialUs: durationOf(map.initial),
    multiplier: map.multiplier ?? 2,
    maxUs: map.max === undefined ? undefined : durationOf(map.max),
  }
}

/** One attempt and no more. */
export const NO_RETRY: Backoff = {
  waits: { of: 'list', delaysUs: [], last: 'ends' },
  jitter: { of: 'none' },
  attempts: 1,
  budgetUs: undefined,
  resetAfterUs: undefined,
  timeoutUs: undefined,
}

/**
 * A checked backoff, its library policy written out. A map that says how to
 * wait is complete by itself; one that does not changes what stands `below` it.
 */
export function resolveBackoff(map: BackoffInput | 'none', below: Backoff = NO_RETRY): Backoff {
  if (map === 'none') return NO_RETRY
  const optional = (value: string | number | undefined, otherwise: number | undefined) =>
    value === undefined ? otherwise : durationOf(value)
  const waits = resolveWays(map, map.attempts === undefined ? 'ends' : 'repeats')
  const base: Backoff = waits === undefined ? below : { ...NO_RETRY, waits, attempts: undefined }
  return {
    waits: base.waits,
    jitter: map.jitter === undefined ? base.jitter : resolveJitter(map.jitter),
    attempts: map.attempts ?? base.attempts,
    budgetUs: optional(map.budget, base.budgetUs),
    resetAfterUs: optional(map.resetAfter, base.resetAfterUs),
    timeoutUs: optional(map.timeout, base.timeoutUs),
  }
}
