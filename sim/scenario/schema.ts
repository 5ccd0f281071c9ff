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
import { FleetMap, Jobs } from './fleet-schema.ts'
import { Job } from './job-schema.ts'
import { MechanismEntry } from './policies/schema.ts'
import { PlainDuration, either, text, wholeNumber } from './schema-parts.ts'
import { Thresholds } from './threshold-schema.ts'
import { WireMap } from './wire.ts'
import { AgentMap } from './world/agent.ts'
import { Client } from './world/client.ts'
import { Faults } from './world/faults.ts'
import { NetworkMap } from './world/path.ts'
import { Receiver } from './world/receiver.ts'

/** Read by expect.ts, which knows the metrics. */
const Expected = z.unknown().meta({
  type: ['string', 'number', 'array'],
  description: '17, 5s, ..60s, 3.., 17..18, 370 ± 8%; a list for events',
})
const Rows = z.record(z.string(), z.record(z.string(), Expected))
const ExpectEntry = z.strictObject({
  given: z
    .record(z.string(), z.unknown())
    .meta({ description: 'what is set otherwise for these rows: address -> value' })
    .optional(),
  rows: Rows,
})
const Expectations = either('a map of rows, or a list of {given, rows}', [Rows, z.array(ExpectEntry)])

const MOST_RUNS = 1_000_000

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
  replications: wholeNumber(1, 'expected a whole number from 1 on')
    .max(MOST_RUNS, { error: `more than ${MOST_RUNS} runs would take days` })
    .meta({ description: 'runs with seeds of their own; a grid has as many as points' })
    .optional(),
  horizon: PlainDuration.meta({
    description:
      'where the run stops; the end of the job + 1h if not given, of a fleet that of its cool-down',
  }).optional(),
  job: Job.meta({ description: 'what the task does' }).optional(),
  jobs: Jobs.meta({ description: 'the kinds of jobs that the tasks of a fleet are' }).optional(),
  fleet: FleetMap.meta({ description: 'many tasks: how many, when they come, what is counted' }).optional(),
  agent: AgentMap.meta({ description: 'the agent' }).prefault({}),
  client: Client.meta({ description: 'what the client limits, and its clock' }).prefault({}),
  network: NetworkMap.meta({ description: 'between client and agent' }).prefault({}),
  receiver: Receiver.meta({ description: 'who takes the webhook posts' }).prefault({}),
  wire: WireMap.meta({ description: 'what is counted' }).optional(),
  faults: Faults.default([]),
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
  thresholds: Thresholds.meta({ description: 'what each row must meet' }).default([]),
  expect: Expectations.meta({
    description: 'what should come out: row -> metric -> value; a miss is a failure',
  }).optional(),
  claims: Expectations.meta({
    description: 'what a study printed: row -> metric -> value; only compared',
  }).optional(),
})

export type ScenarioShape = typeof ScenarioSchema.shape
