/** What may stand in an entry of `mechanisms`. */
import * as z from 'zod'
import { Share, either } from '../schema-parts.ts'
import { Thresholds } from '../threshold-schema.ts'
import { KINDS_LISTED, PolicyWord, kindKeys } from './kinds.ts'

const policyKeys = {
  ...kindKeys,
  policy: PolicyWord.meta({ description: 'a policy word, for an entry with a label' }).optional(),
}

/** One part of a population. */
export const MixPart = z.strictObject({
  share: Share.meta({ description: 'the share of tasks that go by it' }).optional(),
  ...policyKeys,
})

/** The long form of an entry. */
export const MechanismMap = z.strictObject({
  ...policyKeys,
  mix: z
    .array(MixPart, {
      error: ({ input }) =>
        Array.isArray(input)
          ? undefined
          : 'mix is a list: write [ { share: 70%, policy: poll:5s }, { share: 30%, policy: stream } ]',
    })
    .min(1, { error: 'this list is empty: write { share: 70%, policy: poll:5s } and what the others do' })
    .meta({ description: 'a population: each task of a fleet goes by one of these' })
    .optional(),
  label: z
    .string()
    .regex(/^\S(?:.*\S)?$/, { error: 'a label is a text without spaces around it' })
    .meta({ description: "the row's name" })
    .optional(),
  thresholds: Thresholds.meta({ description: 'what this row must meet' }).optional(),
})

export const MechanismEntry = either(`a policy word such as poll:7s, or a map with one of ${KINDS_LISTED}`, [
  PolicyWord,
  MechanismMap,
])
