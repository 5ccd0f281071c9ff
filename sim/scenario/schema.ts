/**
 * What may stand in a scenario file. The same schema checks files and becomes
 * the JSON Schema with which editors complete and mark them; both take short
 * and long forms, but short forms are written out before a file is checked
 * (longhand.ts), so that an error is about the form that was meant.
 *
 * A union has at most one text, one number, one list and one map among its
 * branches: then the branch that was meant is known.
 */
import * as z from 'zod'
import { STATE_WORDS, TERMINAL_WORDS } from '../protocol/states.ts'
import { PlainDuration, Size, duration, either, oneOf, text, wholeNumber, word } from './schema-parts.ts'
import { parseThreshold } from './threshold.ts'
import {
  DURATION_PATTERN,
  INSTANT_PATTERN,
  SIZE_PATTERN,
  firstProblem,
  fixedDurationProblem,
  instantProblem,
  intervalProblem,
  jobDurationProblem,
  sizeProblem,
  stateProblem,
} from './values.ts'

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

/** One entry of `job.updates`. */
export const UpdateMap = z.strictObject({
  at: duration(
    instantProblem,
    "when, from the instant the agent receives the send; a duration or a share of the job's length",
    INSTANT_PATTERN,
  ).optional(),
  after: duration(fixedDurationProblem, 'when, from the update before').optional(),
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
})

const MessageMap = z.strictObject({ text: content.text, octets: content.octets })

const ResultMap = z.strictObject(content)

/** More would fill the memory with updates rather than tell anything. */
const MOST_UPDATES = 100_000

/** The long form of `job`. */
export const JobMap = z.strictObject({
  duration: duration(jobDurationProblem, 'length of the job').optional(),
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
})

const Job = either('how long the job takes, such as 20s, or a map', [
  z.literal(0),
  word(jobDurationProblem, DURATION_PATTERN),
  JobMap,
])

/** `false` switches it off; the keys of the map are of a later release. */
const Capability = (description: string) =>
  either('true or false', [z.boolean(), z.strictObject({})]).meta({ description })

const Agent = z.strictObject({
  binding: oneOf(['HTTP+JSON', 'JSONRPC'], 'how A2A is spoken').default('HTTP+JSON'),
  errorProfile: oneOf(['1.0.1', '1.0.0'], 'whose table of HTTP statuses errors follow').default('1.0.1'),
  streaming: Capability('whether the agent offers event streams').default(true),
  push: Capability('whether the agent offers push notifications').default(true),
})

const OneWay = duration(fixedDurationProblem, 'latency of one direction')

const LatencyMap = z.strictObject({ up: OneWay.default(0), down: OneWay.default(0) })

const Network = z.strictObject({
  latency: either('a duration for each direction, or a map with up and down', [
    z.literal(0),
    word(fixedDurationProblem, DURATION_PATTERN),
    LatencyMap,
  ])
    .meta({ description: 'latency between client and agent, one way' })
    .prefault({}),
})

/** The long form of `poll`, defaults filled in. */
export const Poll = z.strictObject({
  interval: word(intervalProblem, DURATION_PATTERN)
    .meta({ description: 'the wait between two polls' })
    .default('5s'),
  first: duration(
    firstProblem,
    'the wait before the first poll: now, after (one interval), or a duration',
    `^(?:now|after)$|${DURATION_PATTERN}`,
  ).default('now'),
  waitFrom: oneOf(['response', 'request'], 'from where the next wait counts').default('response'),
})

/** A policy word. It was read before the schema sees it; what is left here could not be read, and was said so. */
const PolicyWord = z.string().meta({ pattern: '^(?:poll(?::[^,]+(?:,[a-zA-Z]+=[^,]+)*)?|stream|push)$' })

/** The long form of a mechanism. */
export const MechanismMap = z.strictObject({
  poll: either('an interval, or a map', [word(intervalProblem, DURATION_PATTERN), z.null(), Poll])
    .meta({ description: 'ask again and again' })
    .optional(),
  stream: either('nothing: write stream alone', [z.null(), z.strictObject({})])
    .meta({ description: 'one answer that stays open and brings every update' })
    .optional(),
  push: either('nothing: write push alone', [z.null(), z.strictObject({})])
    .meta({ description: 'the agent posts every update to a webhook of the client' })
    .optional(),
  policy: PolicyWord.meta({ description: 'a policy word, for an entry with a label' }).optional(),
  label: z
    .string()
    .regex(/^\S(?:.*\S)?$/, { error: 'a label is a text without spaces around it' })
    .meta({ description: "the row's name" })
    .optional(),
})

const MechanismEntry = either('a policy word such as poll:7s, or a map with one of poll, stream and push', [
  PolicyWord,
  MechanismMap,
])

const Expected = z
  .unknown()
  .meta({ type: ['string', 'number'], description: '17, 5s, ..60s, 3.., 17..18, 370 ± 8%' })
const Rows = z.record(z.string(), z.record(z.string(), Expected))
const ExpectEntry = z.strictObject({ rows: Rows })

/** A scenario file. The mechanisms that are compared by default stand in longhand.ts. */
export const ScenarioSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]*$/, { error: 'a name is lower-case letters, digits and hyphens' })
    .meta({ description: "identifies results; the file's name if not given" })
    .optional(),
  question: text('what this scenario answers, printed above the table').optional(),
  description: text('more about it').optional(),
  source: either('a text, or a list of texts', [z.string(), z.array(z.string())])
    .meta({ description: 'where the case comes from' })
    .optional(),
  extends: text('a scenario whose keys are taken over, relative to this file').optional(),
  seed: wholeNumber(0, 'expected a whole number from 0 on')
    .meta({ description: 'fixes all chance' })
    .default(1),
  horizon: PlainDuration.meta({
    description: 'where the run stops; the end of the job + 1h if not given',
  }).optional(),
  job: Job.meta({ description: 'what the task does' }).optional(),
  agent: Agent.meta({ description: 'the agent' }).prefault({}),
  network: Network.meta({ description: 'between client and agent' }).prefault({}),
  mechanisms: z
    .array(MechanismEntry, {
      error: ({ input }) =>
        Array.isArray(input)
          ? undefined
          : `mechanisms is a list: write [${typeof input === 'string' ? input : 'poll:7s, stream'}]`,
    })
    .min(1, {
      error: 'this list is empty: name a mechanism, or leave mechanisms out to compare the usual five',
    })
    .meta({ description: 'what is compared' })
    .optional(),
  thresholds: z
    .array(
      word((value) => {
        const parsed = parseThreshold(String(value))
        return 'problem' in parsed ? parsed.problem : undefined
      }, '^.+(?:<|>|==|!=).+$'),
      {
        error: ({ input }) =>
          Array.isArray(input) ? undefined : 'thresholds is a list: write [ timeToLearn <= 5s ]',
      },
    )
    .meta({ description: 'what each row must meet' })
    .default([]),
  expect: either('a map of rows, or a list of {rows}', [Rows, z.array(ExpectEntry)])
    .meta({ description: 'what should come out: row -> metric -> value' })
    .optional(),
})

export type ScenarioShape = typeof ScenarioSchema.shape

/** The keys a map may have, by the name of its place (see `placeName` in later.ts). */
export const KNOWN_KEYS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    '': ScenarioSchema,
    job: JobMap,
    'job.message': MessageMap,
    'job.result': ResultMap,
    'job.updates[]': UpdateMap,
    agent: Agent,
    network: Network,
    'network.latency': LatencyMap,
    'mechanisms[]': MechanismMap,
    poll: Poll,
    'expect[]': ExpectEntry,
  }).map(([place, schema]) => [place, Object.keys(schema.shape)]),
)
