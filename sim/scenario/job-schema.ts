/** What may stand in `job`. */
import * as z from 'zod'
import { STATE_WORDS, TERMINAL_WORDS } from '../protocol/states.ts'
import { DISTRIBUTION_PATTERN, distribution, distributionMap, distributionProblem } from './distribution.ts'
import { MOST_UPDATES } from './job-plan.ts'
import { positiveDuration } from './policies/wait.ts'
import { Size, count, duration, either, oneOf, text, word } from './schema-parts.ts'
import { INSTANT_PATTERN, SIZE_PATTERN, instantProblem, sizeProblem, stateProblem } from './values.ts'

/** Whether a value comes back from its JSON text as it was: YAML has numbers that JSON has not. */
function isJson(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  return typeof value !== 'object' || value === null || Object.values(value).every(isJson)
}

const content = {
  text: text('what it says').optional(),
  octets: Size.optional(),
  data: z
    .unknown()
    .refine((data) => data !== null, {
      error: 'null is no data to the official client: leave data out, or write {}',
    })
    .refine(isJson, { error: 'JSON has no such number: .nan and .inf cannot travel' })
    .meta({ description: 'JSON, but not null' })
    .optional(),
}

const said = { text: content.text, octets: content.octets }

const ResumeMap = z.strictObject({
  after: distribution(
    'world',
    'how long after the client learned of the question it answers; for auth-required, how long after it happened somebody outside authorises',
  ).optional(),
  ...said,
})

/** An instant from the start, or a share of the job's length. */
const instant = (description: string) => duration(instantProblem, description, INSTANT_PATTERN)

/** One entry of `job.updates`. */
export const UpdateMap = z.strictObject({
  at: instant(
    "when, from the instant the agent receives the send; a duration or a share of the job's length",
  ).optional(),
  after: distribution('world', 'when, from the update before').optional(),
  every: distribution('world', 'again and again, so long after the one before').optional(),
  from: instant('from when every counts').optional(),
  until: instant('the last instant of every').optional(),
  status: z
    .enum(STATE_WORDS, { error: ({ input }) => stateProblem(input) })
    .meta({ description: 'the state the task changes to' })
    .optional(),
  artifact: z
    .string()
    .min(1, { error: 'an artifact has a name' })
    .meta({ description: 'the artifact a chunk is sent of, by its id' })
    .optional(),
  ...content,
  append: z.boolean().meta({ description: 'whether the chunk is added to those before it' }).optional(),
  lastChunk: z.boolean().meta({ description: 'whether the artifact is complete with this chunk' }).optional(),
  resume: ResumeMap.meta({
    description: 'how a pause ends; without it the task waits for ever',
  }).optional(),
})

const MessageMap = z.strictObject(said)

const ResultMap = z.strictObject({
  ...content,
  chunks: count('in how many chunks it comes, all at the instant of the end').optional(),
})

/** A length as a text; `job: 20s` is one. */
const lengthText = word(
  (value) => (value === 'never' ? undefined : distributionProblem(value, 'job')),
  `${DISTRIBUTION_PATTERN}|^never$`,
)

/** The long form of `job`. */
export const JobMap = z.strictObject({
  duration: either('a duration, a distribution such as exponential:20s, or never', [
    z.literal(0),
    lengthText,
    distributionMap('job'),
  ])
    .meta({ description: 'length of the job: 20s, a distribution such as exponential:20s, or never' })
    .optional(),
  message: either("the user's text, or a map with text or octets", [z.string(), MessageMap])
    .meta({ description: 'what the user sends' })
    .optional(),
  updates: either('how many updates, or a list of them', [
    z
      .int()
      .min(1, { error: ({ input }) => `${String(input)} updates are too few: the outcome is one` })
      .max(MOST_UPDATES, {
        error: ({ input }) => `${String(input)} updates are too many: at most ${MOST_UPDATES}`,
      }),
    z.array(UpdateMap).min(1, { error: 'this list is empty: leave updates out to have the outcome alone' }),
  ])
    .meta({ description: 'a number, evenly spaced and the last is the outcome; or a list' })
    .optional(),
  outcome: oneOf(TERMINAL_WORDS, 'how the job ends').optional(),
  result: either('a size, or a map with text, octets or data', [
    z.int().nonnegative(),
    word(sizeProblem, SIZE_PATTERN),
    ResultMap,
  ])
    .meta({ description: 'an artifact sent at the instant of the end' })
    .optional(),
  pollHint: positiveDuration("the wait the agent suggests to this job's polls").optional(),
})

export const Job = either('how long the job takes, such as 20s, or a map', [z.literal(0), lengthText, JobMap])
