/** What the schemas of all sections are put together from. */
import * as z from 'zod'
import { didYouMean } from '../policies/nearest.ts'
import {
  DURATION_PATTERN,
  RATE_PATTERN,
  SHARE_PATTERN,
  SIZE_PATTERN,
  durationProblem,
  kindOf,
  quoted,
  rateProblem,
  shareProblem,
  sizeProblem,
} from './values.ts'

type ProblemOf = (value: unknown) => string | undefined

/** A text that `problemOf` accepts. The pattern is for editors, which cannot ask `problemOf`. */
export const word = (problemOf: ProblemOf, pattern: string) =>
  z
    .string({ error: ({ input }) => problemOf(input) })
    .check((context) => {
      const message = problemOf(context.value)
      if (message !== undefined) context.issues.push({ code: 'custom', input: context.value, message })
    })
    .meta({ pattern })

/** A duration in its unit, or 0. */
export const duration = (problemOf: ProblemOf, description: string, pattern = DURATION_PATTERN) =>
  z
    .union([z.literal(0), word(problemOf, pattern)], { error: ({ input }) => problemOf(input) })
    .meta({ description })

/** One of a few words. */
export const oneOf = <const Words extends readonly string[]>(words: Words, description: string) =>
  z
    .enum(words, {
      error: ({ input }) =>
        `${quoted(input)} is not known here${didYouMean(String(input), words)}\nallowed: ${words.join(', ')}`,
    })
    .meta({ description })

/**
 * A union told by what was expected if no branch fits what was written. Where
 * a bare 0 may stand, times do: another number is told that it has no unit.
 */
export const either = <const Branches extends readonly [z.ZodType, ...z.ZodType[]]>(
  what: string,
  branches: Branches,
) => {
  const takesTimes = branches.some((branch) => branch instanceof z.ZodLiteral && branch.values.has(0))
  return z.union(branches, {
    error: (issue) => {
      if (issue.code === 'invalid_union' && issue.errors.some((branch) => !branch.some(isRootMismatch))) {
        return undefined
      }
      const isBareNumber = takesTimes && typeof issue.input === 'number'
      return isBareNumber ? durationProblem(issue.input) : `expected ${what}, got ${kindOf(issue.input)}`
    },
  })
}

/** True for the complaint that the whole value is of another type than the branch wants. */
export const isRootMismatch = (issue: z.core.$ZodIssue): boolean =>
  issue.path.length === 0 && (issue.code === 'invalid_type' || issue.code === 'invalid_value')

export const Size = z
  .union(
    [
      z
        .int()
        .nonnegative()
        .check((context) => {
          const message = sizeProblem(context.value)
          if (message !== undefined) context.issues.push({ code: 'custom', input: context.value, message })
        }),
      word(sizeProblem, SIZE_PATTERN),
    ],
    { error: ({ input }) => sizeProblem(input) },
  )
  .meta({ description: 'octets as a whole number, or with a unit: 512, 12kB, 4MiB' })

/** `25%` */
export const Share = word(shareProblem, SHARE_PATTERN).meta({ description: 'a share such as 25%' })

export const PlainDuration = duration(
  durationProblem,
  'a number and a unit: 142us, 250ms, 20s, 7m, 1h30m, 3d',
)

export const text = (description: string) => z.string().meta({ description })

export const wholeNumber = (least: number, message: string) =>
  z.int({ error: message }).min(least, { error: message })

/** How many: a whole number from 1 on. */
export const count = (description: string) =>
  z
    .int({ error: ({ input }) => `expected a whole number, got ${kindOf(input)}` })
    .min(1, { error: ({ input }) => `${String(input)} is too few: write 1 or more` })
    .meta({ description })

/** `7/s` */
export const RateWord = z
  .string({ error: ({ input }) => rateProblem(input) })
  .check((context) => {
    const message = rateProblem(context.value)
    if (message !== undefined) context.issues.push({ code: 'custom', input: context.value, message })
  })
  .meta({ pattern: RATE_PATTERN })
