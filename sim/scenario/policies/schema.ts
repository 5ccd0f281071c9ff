/** What may stand in an entry of `mechanisms`. */
import * as z from 'zod'
import { either } from '../schema-parts.ts'
import { KINDS_LISTED, PolicyWord, kindKeys } from './kinds.ts'

/** The long form of an entry. */
export const MechanismMap = z.strictObject({
  ...kindKeys,
  policy: PolicyWord.meta({ description: 'a policy word, for an entry with a label' }).optional(),
  label: z
    .string()
    .regex(/^\S(?:.*\S)?$/, { error: 'a label is a text without spaces around it' })
    .meta({ description: "the row's name" })
    .optional(),
})

export const MechanismEntry = either(`a policy word such as poll:7s, or a map with one of ${KINDS_LISTED}`, [
  PolicyWord,
  MechanismMap,
])
