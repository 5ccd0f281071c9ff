/** What may stand in `fleet` and in the entries of `jobs`. */
import * as z from 'zod'
import { distribution } from './distribution.ts'
import { JobMap } from './job-schema.ts'
import { positiveDuration } from './policies/wait.ts'
import { Factor } from './policies/reactions.ts'
import { RateWord, Share, PlainDuration, count, either, text, word } from './schema-parts.ts'
import { parseExpression } from './trace/expression.ts'
import { didYouMean } from '../policies/nearest.ts'
import { CUT_EXPRESSION, isCutExpression } from './cut.ts'
import { kindOf, quoted } from './values.ts'

/** An entry of `jobs`: a job, how many of the tasks are such, and what it is called. */
export const JobKindMap = z.strictObject({
  name: z
    .string({ error: ({ input }) => `expected a name such as long-search, got ${kindOf(input)}` })
    .min(1, { error: 'a name has letters' })
    .meta({ description: 'what this kind of job is called' })
    .optional(),
  count: count('so many of the tasks are such, the first ones').optional(),
  share: Share.meta({ description: 'such a share of the tasks is so, of those no count says' }).optional(),
  ...JobMap.shape,
})

export const Jobs = z
  .array(JobKindMap, {
    error: ({ input }) =>
      Array.isArray(input)
        ? undefined
        : 'jobs is a list: write [ { share: 90%, duration: 20s }, { share: 10%, duration: 2m } ]',
  })
  .min(1, { error: 'this list is empty: write the kinds of jobs there are, or job for one' })

/** A column or an expression. Which columns a file has is not known yet, so a name with odd letters may be one. */
const columnText = (description: string) =>
  word((value) => {
    if (typeof value !== 'string')
      return `expected a column or an expression over columns, got ${kindOf(value)}`
    const parsed = parseExpression(value)
    if (!('problem' in parsed) || mayBeName(value)) return undefined
    return isCutExpression(value) ? CUT_EXPRESSION : parsed.problem
  }, '.').meta({ description })

/** Names of columns may have spaces, brackets or a `#`, as `length (s)` has. */
const mayBeName = (value: string): boolean => {
  const name = value.trim()
  return /^[\p{L}_][\p{L}\p{N}_.:# ()-]*$/u.test(name) && !/[-(]$/.test(name) && !isCutExpression(name)
}

export const TraceMap = z.strictObject({
  file: z
    .string({ error: ({ input }) => `expected the path of a CSV file, got ${kindOf(input)}` })
    .min(1, { error: 'which file? write a path relative to this one' })
    .meta({ description: 'a CSV file, relative to this one' })
    .optional(),
  at: columnText('the column that says when a task began').optional(),
  duration: columnText('how long it took: a column, or an expression over columns').optional(),
  client: text('the column that says whose a task is').optional(),
  rows: count('how many rows are taken, the first ones').optional(),
  speed: Factor.meta({ description: 'how many times as fast the tasks come' }).optional(),
})

const Weights = z.array(
  z
    .number({ error: ({ input }) => `expected a weight such as 1 or 0.5, got ${kindOf(input)}` })
    .nonnegative({ error: ({ input }) => `${String(input)} is negative: a weight is 0 or more` }),
  { error: ({ input }) => `expected a list of 24 weights, one for each hour, got ${kindOf(input)}` },
)

const OnOffMap = z.strictObject({
  busy: distribution('world', 'for how long tasks come').optional(),
  idle: distribution('world', 'for how long none come').optional(),
})

const ARRIVAL_WORDS = ['poisson', 'even', 'together'] as const

export const ArrivalsMap = z.strictObject({
  daily: Weights.meta({ description: 'a weight for each hour of the day' }).optional(),
  onOff: OnOffMap.meta({ description: 'busy and idle by turns' }).optional(),
})

export const FleetMap = z.strictObject({
  tasks: count('how many tasks there are').optional(),
  rate: RateWord.meta({ description: 'how many tasks come in a time, on average: 200000/d' }).optional(),
  trace: TraceMap.meta({ description: 'tasks that were recorded' }).optional(),
  arrivals: either('poisson, even, together, or a map with daily or onOff', [
    word(
      (value) =>
        ARRIVAL_WORDS.some((known) => known === value)
          ? undefined
          : `${quoted(value)} is not known here${didYouMean(String(value), ARRIVAL_WORDS)}\nallowed: ${ARRIVAL_WORDS.join(', ')}, or a map with daily or onOff`,
      `^(?:${ARRIVAL_WORDS.join('|')})$`,
    ),
    ArrivalsMap,
  ])
    .meta({ description: 'when the tasks come: poisson, even, together, { daily } or { onOff }' })
    .optional(),
  within: positiveDuration('in which time they come').optional(),
  warmup: PlainDuration.meta({ description: 'how long the run goes before anything is counted' }).optional(),
  window: positiveDuration('the time that is counted').optional(),
  cooldown: PlainDuration.meta({ description: 'how long the run goes on after the window' }).optional(),
  clients: count('how many clients share the tasks').optional(),
  tasksPerClient: count('how many tasks a client has').optional(),
  bin: positiveDuration('how finely what is told over time is told').optional(),
})
