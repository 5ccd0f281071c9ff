/** `poll:7s`: GetTask again and again. */
import { parseDuration, spellDuration } from '../../kernel/units.ts'
import type { PollPolicy } from '../../policies/policy.ts'
import * as z from 'zod'
import { distributionProblem } from '../distribution.ts'
import { count, either, oneOf, word } from '../schema-parts.ts'
import { durationUs, kindOf } from '../values.ts'
import { didYouMean } from '../../policies/nearest.ts'
import {
  afterErrorArguments,
  argument,
  backoffArguments,
  durationArgument,
  factorText,
  stepText,
  waitsArguments,
} from './argument.ts'
import {
  BackoffJitter,
  BackoffSchema,
  Delays,
  WAYS,
  checkWays,
  jitterText,
  needsWay,
  resolveBackoff,
  resolveJitter,
  resolveWays,
  wayKeys,
  type BackoffInput,
} from './backoff.ts'
import type { PolicyKind } from './kind.ts'
import { LibraryName, NAME_TEXT } from './name.ts'
import { intervalPhrase, waitsPhrase } from './phrase.ts'
import {
  AdaptMap,
  AfterErrorSchema,
  Factor,
  RetryAfterSchema,
  SlowDownSchema,
  resolveAfterError,
  resolveFactor,
  resolveRetryAfter,
  resolveSlowDown,
  resolveStep,
} from './reactions.ts'
import { afterErrorSlot, backoffSlot, pollSlotKey, slowDownSlot } from './slot.ts'
import { INTERVAL_PATTERN, positiveDuration, resolveInterval, wait, waitText } from './wait.ts'

const FIRSTS = ['now', 'after', 'hint', 'random'] as const
const DEFAULT_INTERVAL = '5s'

function firstProblem(value: unknown): string | undefined {
  if (FIRSTS.some((known) => known === value)) return undefined
  if (typeof value === 'string' && /^[a-z]+$/i.test(value)) {
    return `"${value}" is not known here${didYouMean(value, FIRSTS)}\nallowed: ${FIRSTS.join(', ')}, or a duration`
  }
  return distributionProblem(value, 'policy')
}

const PollMap = z
  .strictObject({
    use: LibraryName.optional(),
    ...wayKeys,
    min: wait('the least wait, whoever asked for it').optional(),
    first: either('now, after, hint, random or a duration', [
      z.literal(0),
      word(firstProblem, String.raw`^(?:${FIRSTS.join('|')})$|^\d`),
    ])
      .meta({
        description: 'the wait before the first poll: now, after (one wait), hint, random or a duration',
      })
      .optional(),
    waitFrom: oneOf(['response', 'request'], 'from where the next wait counts').optional(),
    jitter: BackoffJitter.optional(),
    attempts: count('polls in all').optional(),
    budget: wait('time in all, from the reply to the send').optional(),
    lastLook: wait('a last poll so long before the budget ends').optional(),
    hint: oneOf(
      ['ignore', 'interval', 'floor', 'cap'],
      "use of the agent's hint: not at all, as the wait, as the least wait, as the cap of a growing one",
    ).optional(),
    margin: Factor.meta({ description: 'stretches the interval, or the hint used instead' }).optional(),
    retryAfter: RetryAfterSchema.optional(),
    slowDown: SlowDownSchema.meta({ description: 'what slow_down does to all further waits' }).optional(),
    on429: AfterErrorSchema.optional(),
    onError: AfterErrorSchema.optional(),
    adapt: AdaptMap.meta({ description: 'an interval that follows what polls find' }).optional(),
    conditional: z
      .boolean({ error: ({ input }) => `expected true or false, got ${kindOf(input)}` })
      .meta({ description: 'polls with If-None-Match, an extension' })
      .optional(),
    hold: BackoffSchema.meta({
      description: 'asks the agent to hold the answer so long, an extension',
    }).optional(),
    timeout: positiveDuration('how long one poll may take').optional(),
    scope: oneOf(['task', 'client', 'process'], 'one timer for each task, or one for all').optional(),
    concurrency: count('polls at once').optional(),
    batch: count('tasks per round').optional(),
  })
  .check(checkWays)
  .check(needsWay('hold', 'on429', 'onError'))
  .check(({ value, issues }) => {
    const complain = (key: keyof typeof value, message: string) =>
      issues.push({ code: 'custom', input: value, path: [key], message })
    const { interval, hold, min, max, lastLook, budget } = value
    const isZero = interval === 0 || (typeof interval === 'string' && parseDuration(interval) === 0)
    if (isZero && hold === undefined && min === undefined) {
      complain('interval', 'an interval of 0 would poll without end at one instant: write 1ms or more')
    }
    if (min !== undefined && max !== undefined && durationUs(max) < durationUs(min)) {
      complain('max', `max ${max} lies below min ${min}`)
    }
    if (lastLook !== undefined && budget === undefined) {
      complain('lastLook', 'a last look before what? lastLook needs budget')
    }
  })

type PollInput = z.output<typeof PollMap>

const optionalUs = (value: string | number | undefined): number | undefined =>
  value === undefined ? undefined : durationUs(value)

function resolveFirst(first: PollInput['first'], waits: PollPolicy['waits']): PollPolicy['first'] {
  const word = FIRSTS.find((known) => known === (first ?? 'now'))
  if (word !== undefined) return word
  const wanted = resolveInterval(first)
  if (wanted.of !== 'fixed') return wanted
  if (wanted.us === 0) return 'now'
  const isInterval =
    waits.of === 'interval' && waits.interval.of === 'fixed' && waits.interval.us === wanted.us
  return isInterval ? 'after' : wanted
}

function resolve(map: PollInput): PollPolicy {
  const waits = resolveWays(
    WAYS.some((way) => map[way] !== undefined) ? map : { interval: DEFAULT_INTERVAL },
    'repeats',
  ) as PollPolicy['waits']
  const { adapt, hold } = map
  return {
    kind: 'poll',
    waits,
    jitter: resolveJitter(map.jitter ?? 'none'),
    first: resolveFirst(map.first, waits),
    waitFrom: map.waitFrom ?? 'response',
    minUs: optionalUs(map.min),
    maxUs: optionalUs(map.max),
    attempts: map.attempts,
    budgetUs: optionalUs(map.budget),
    lastLookUs: optionalUs(map.lastLook),
    hint: map.hint ?? 'ignore',
    margin: map.margin === undefined ? 1 : resolveFactor(map.margin),
    retryAfter: resolveRetryAfter(map.retryAfter),
    slowDown: resolveSlowDown(map.slowDown),
    on429: resolveAfterError(map.on429),
    onError: resolveAfterError(map.onError),
    adapt: adapt && {
      news: resolveStep(adapt.news ?? 'x1'),
      quiet: resolveStep(adapt.quiet ?? 'x1'),
      minUs: optionalUs(adapt.min),
      maxUs: optionalUs(adapt.max),
    },
    conditional: map.conditional ?? false,
    hold: hold === undefined || hold === 'none' ? undefined : resolveBackoff(hold as BackoffInput),
    timeoutUs: optionalUs(map.timeout),
    scope: map.scope ?? 'task',
    concurrency: map.concurrency,
    batch: map.batch,
  }
}

/** Polls every 5 s. */
export const DEFAULT_POLL: PollPolicy = resolve({})

function slowDownArguments(slowDown: PollPolicy['slowDown']) {
  if (slowDown === 'ignore') return argument('slowDown', slowDown)
  const { addUs, multiply, giveUpAt } = slowDown
  const isShort = giveUpAt === undefined && (addUs === 0) !== (multiply === 1)
  if (isShort) {
    return multiply === 1
      ? argument('slowDown', stepText({ of: 'plus', us: addUs }))
      : argument('slowDown', factorText(multiply))
  }
  return [
    ...(addUs === 0 ? [] : durationArgument('slowDown.add', addUs)),
    ...(multiply === 1 ? [] : argument('slowDown.multiply', factorText(multiply))),
    ...argument('slowDown.giveUpAt', giveUpAt),
  ]
}

export function retryAfterArguments(retryAfter: PollPolicy['retryAfter']) {
  if (typeof retryAfter === 'string') return argument('retryAfter', retryAfter)
  return [
    ...(retryAfter.jitter.of === 'none' ? [] : argument('retryAfter.jitter', jitterText(retryAfter.jitter))),
    ...durationArgument('retryAfter.max', retryAfter.maxUs),
  ]
}

function argumentsOf(policy: PollPolicy) {
  const { waits, adapt, first } = policy
  const cap = waits.of === 'growing' ? { ...waits, maxUs: undefined } : waits
  return [
    // Its cap is the bound of all waits.
    ...waitsArguments('', cap),
    ...durationArgument('max', policy.maxUs),
    ...durationArgument('min', policy.minUs),
    ...argument('first', typeof first === 'string' ? first : waitText(first)),
    ...argument('waitFrom', policy.waitFrom),
    ...argument('jitter', jitterText(policy.jitter)),
    ...argument('attempts', policy.attempts),
    ...durationArgument('budget', policy.budgetUs),
    ...durationArgument('lastLook', policy.lastLookUs),
    ...argument('hint', policy.hint),
    ...argument('margin', factorText(policy.margin)),
    ...retryAfterArguments(policy.retryAfter),
    ...slowDownArguments(policy.slowDown),
    ...afterErrorArguments('on429', policy.on429),
    ...afterErrorArguments('onError', policy.onError),
    ...(adapt === undefined
      ? []
      : [
          ...argument('adapt.news', stepText(adapt.news)),
          ...argument('adapt.quiet', stepText(adapt.quiet)),
          ...durationArgument('adapt.min', adapt.minUs),
          ...durationArgument('adapt.max', adapt.maxUs),
        ]),
    ...argument('conditional', policy.conditional),
    ...backoffArguments('hold', policy.hold),
    ...durationArgument('timeout', policy.timeoutUs),
    ...argument('scope', policy.scope),
    ...argument('concurrency', policy.concurrency),
    ...argument('batch', policy.batch),
  ]
}

function waitsTitle({ waits }: PollPolicy): string {
  if (waits.of === 'interval') {
    if (waits.interval.of === 'fixed' && waits.interval.us === 0) return 'poll again at once'
    const phrase = intervalPhrase(waits.interval)
    return phrase.includes('/') ? `poll ${phrase}` : `poll every ${phrase}`
  }
  if (waits.of === 'growing') return `poll ${waitsPhrase(waits)}`
  return `poll after ${waitsPhrase(waits)}`
}

function firstTitle({ first, waits }: PollPolicy): string {
  switch (first) {
    case 'now':
      return ''
    case 'after':
      return waits.of === 'interval'
        ? `, first after ${intervalPhrase(waits.interval)}`
        : ', first after one wait'
    case 'hint':
      return ', first as hinted'
    case 'random':
      return ', first at random'
    default:
      return `, first after ${intervalPhrase(first)}`
  }
}

export const poll: PolicyKind<PollPolicy> = {
  kind: 'poll',
  example: 'poll:7s',
  description: 'ask again and again',
  schema: PollMap,
  shortForms: [z.literal(0), word(() => undefined, `${INTERVAL_PATTERN}|^${NAME_TEXT}$`), Delays],
  slot: {
    entry: 'poll',
    keyOf: pollSlotKey,
    emptyIsMap: true,
    inside: {
      hold: backoffSlot(),
      slowDown: slowDownSlot,
      on429: afterErrorSlot,
      onError: afterErrorSlot,
    },
  },
  resolve,
  arguments: argumentsOf,
  alwaysWritten: 'interval',
  title(policy) {
    const { waitFrom, attempts, budgetUs } = policy
    return {
      title: [
        waitsTitle(policy),
        firstTitle(policy),
        waitFrom === 'request' ? ', counted from the request' : '',
        attempts === undefined ? '' : `, ${attempts} polls at most`,
        budgetUs === undefined ? '' : `, for ${spellDuration(budgetUs)} at most`,
      ].join(''),
      told: ['interval', 'initial', 'multiplier', 'delays', 'first', 'waitFrom', 'attempts', 'budget']
        // The cap of growing waits; else it is a bound of its own.
        .concat(policy.waits.of === 'growing' ? ['max'] : []),
    }
  },
}
