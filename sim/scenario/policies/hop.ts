/** What stands between two parties and cuts, and what clients allow one exchange. */
import { parseDuration } from '../../kernel/units.ts'
import type { ClientLimits, Hop, Refusal } from '../../policies/middlebox.ts'
import * as z from 'zod'
import { didYouMean } from '../../policies/nearest.ts'
import { count, either, oneOf, word } from '../schema-parts.ts'
import { SIZE_PATTERN, kindOf, octetsOf, quoted, sizeProblem } from '../values.ts'
import { LibraryName, NAME_TEXT } from './name.ts'
import { positiveDuration, wait } from './wait.ts'

const usOf = (value: string | number | undefined): number | undefined =>
  value === undefined ? undefined : parseDuration(String(value))

const REFUSALS = '503, 429, refuse or wait'
const REFUSAL_MAP = '{ answer: 503, retryAfter: 2s }'
const isRefusal = (value: unknown): boolean => /^(?:503|429|refuse|wait)$/.test(String(value))
const refusalProblem = (value: unknown): string | undefined =>
  isRefusal(value)
    ? undefined
    : `${quoted(value)} is not known here${didYouMean(String(value), ['refuse', 'wait'])}\nallowed: ${REFUSALS}, or a map such as ${REFUSAL_MAP}`
/** The branches of a union that takes an answer. */
const answers = [
  z.literal([503, 429], { error: ({ input }) => refusalProblem(input) }),
  word(refusalProblem, '^(?:503|429|refuse|wait)$'),
] as const
const Answer = either(REFUSALS, answers)

/** What somebody meets for whom there is no room. */
export const RefusalMap = z.strictObject({
  answer: Answer.optional(),
  retryAfter: wait('the Retry-After of the answer').optional(),
})

const RefusalSchema = either(`${REFUSALS}, or a map such as ${REFUSAL_MAP}`, [...answers, RefusalMap])

/** In long form; 503 unless it says otherwise. */
export function resolveRefusal(map: z.output<typeof RefusalMap> | undefined): Refusal {
  const { answer = 503, retryAfter } = map ?? {}
  return {
    answer: answer === 'refuse' || answer === 'wait' ? answer : (Number(answer) as 503 | 429),
    retryAfterUs: usOf(retryAfter),
  }
}

const bufferProblem = (value: unknown): string | undefined =>
  value === 'none'
    ? undefined
    : octetsOf(value) === undefined
      ? `${quoted(value)} is neither none nor a size such as 4kB`
      : sizeProblem(value)

/** The long form of a hop. */
export const HopMap = z.strictObject({
  use: LibraryName.optional(),
  name: z
    .string({ error: ({ input }) => `expected a name such as our-proxy, got ${kindOf(input)}` })
    .regex(/^[a-z0-9][a-z0-9-]*$/, {
      error: ({ input }) =>
        `${quoted(input)} is no name: lower-case letters, digits and hyphens, such as our-proxy`,
    })
    .meta({ description: 'its name in results and addresses' })
    .optional(),
  idle: positiveDuration('cuts after so long without an octet').optional(),
  firstByte: positiveDuration('cuts if the first octet of the answer has not come by then').optional(),
  lifetime: positiveDuration('cuts after so long whatever passes').optional(),
  cut: oneOf(
    ['close', 'reset', 'silent'],
    'how it cuts: a clean end, an error, or nothing passes any more',
  ).optional(),
  connections: count('how many exchanges it carries at once').optional(),
  full: RefusalSchema.meta({ description: 'what who finds no room is told' }).optional(),
  buffer: z
    .union([z.int().nonnegative(), word(bufferProblem, `^none$|${SIZE_PATTERN}`)], {
      error: ({ input }) => bufferProblem(input),
    })
    .meta({ description: 'small writes wait until so many octets are together' })
    .optional(),
})

/** A hop in any of its forms. */
export const HopSchema = either('a library name such as nginx, or a map', [
  word(() => undefined, `^${NAME_TEXT}$`),
  HopMap,
])

/** A checked hop in long form, its library policy written out. `place` is its number on the path, from 1. */
export function resolveHop(map: z.output<typeof HopMap>, place: number): Hop {
  return {
    name: map.name ?? map.use ?? `hop ${place}`,
    idleUs: usOf(map.idle),
    firstByteUs: usOf(map.firstByte),
    lifetimeUs: usOf(map.lifetime),
    cut: map.cut ?? 'close',
    connections: map.connections,
    full: resolveRefusal(map.full as z.output<typeof RefusalMap> | undefined),
    bufferOctets: map.buffer === undefined || map.buffer === 'none' ? undefined : octetsOf(map.buffer),
  }
}

/** The keys of `client` that limit one exchange. */
export const clientLimitKeys = {
  use: LibraryName.optional(),
  timeout: positiveDuration('how long one attempt may take in all').optional(),
  firstByte: positiveDuration('how long the first octet of an answer may take').optional(),
  idle: positiveDuration('how long an answer may be silent').optional(),
  connections: count('connections per origin; further requests wait').optional(),
}

export const ClientLimitsMap = z.strictObject(clientLimitKeys)

/** Checked limits in long form, their library policy written out. */
export const resolveClientLimits = (map: z.output<typeof ClientLimitsMap>): ClientLimits => ({
  name: map.use,
  timeoutUs: usOf(map.timeout),
  firstByteUs: usOf(map.firstByte),
  idleUs: usOf(map.idle),
  connections: map.connections,
})
