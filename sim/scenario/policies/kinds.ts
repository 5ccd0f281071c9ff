/** The registry: the kinds of policy there are. A new one is a file that describes it and a line here. */
import * as z from 'zod'
import type { SinglePolicy } from '../../policies/policy.ts'
import { either } from '../schema-parts.ts'
import { blocking } from './blocking.ts'
import type { PolicyKind } from './kind.ts'
import { poll } from './poll.ts'
import { push } from './push.ts'
import type { Slot } from './slot.ts'
import { stream } from './stream.ts'
import { positiveDuration } from './wait.ts'

type Kinds = { [Kind in SinglePolicy['kind']]: PolicyKind<Extract<SinglePolicy, { kind: Kind }>> }

export const KINDS: Kinds = { poll, stream, push, blocking }

export type KindName = keyof Kinds
export const KIND_NAMES = Object.keys(KINDS) as KindName[]

// One policy type goes in and the same comes out, which the index by kind cannot express.
export const kindOf = (kind: KindName): PolicyKind => KINDS[kind] as PolicyKind

/** `poll, stream, push or blocking` */
export const KINDS_LISTED = `${KIND_NAMES.slice(0, -1).join(', ')} or ${KIND_NAMES.at(-1)}`

/** A policy word. It was read before the schema sees it; what is left here could not be read, and was said so. */
export const PolicyWord = z.string().meta({
  pattern: `^(?:${KIND_NAMES.join('|')})(?:[:>+].*)?$`,
  description: 'a policy word such as poll:7s',
})

/** What combines policies, in the map of every kind. */
export const COMBINING = ['else', 'with'] as const

const combiningKeys = {
  else: z.lazy(() => Mechanism).optional(),
  with: z.lazy(() => Mechanism).optional(),
  recover: positiveDuration('after so long the first of a chain is tried again').optional(),
}

const longMaps = Object.fromEntries(
  KIND_NAMES.map((name) => [name, kindOf(name).schema.safeExtend(combiningKeys)]),
) as unknown as Record<KindName, z.ZodObject>

/** The keys of an entry or a fallback that name its kind. */
export const kindKeys = Object.fromEntries(
  KIND_NAMES.map((name) => {
    const { shortForms, description } = kindOf(name)
    const branches = [...shortForms, z.null(), longMaps[name]] as const
    const what = shortForms.length > 0 ? 'a value or a map' : 'a map of options, or nothing'
    return [
      name,
      either(what, branches as unknown as [z.ZodType])
        .meta({ description })
        .optional(),
    ]
  }),
) as unknown as Record<KindName, z.ZodOptional<z.ZodType>>

const MechanismOnly = z.strictObject(kindKeys)

/** What `else` and `with` take. */
const Mechanism: z.ZodType = either(
  'a policy word such as poll:7s, or a map such as { poll: { interval: 7s } }',
  [PolicyWord, MechanismOnly],
).meta({ id: 'Mechanism', description: 'a policy word, or a map with one kind of policy' })

/** The slots of a mechanism, whose fallbacks are mechanisms again. */
export const MECHANISM_SLOT: Slot = { inside: {} }
Object.assign(
  MECHANISM_SLOT.inside as Record<string, Slot>,
  Object.fromEntries(
    KIND_NAMES.map((name) => {
      const { slot } = kindOf(name)
      return [name, { ...slot, inside: { ...slot.inside, else: MECHANISM_SLOT, with: MECHANISM_SLOT } }]
    }),
  ),
)

/** The slots of an entry: those of a mechanism, and of each part of a population. */
export const ENTRY_SLOT: Slot = { inside: { ...MECHANISM_SLOT.inside, mix: { items: MECHANISM_SLOT } } }

/** The long form of a policy in a library, by kind. */
export const longMapOf = (kind: KindName): z.ZodObject => longMaps[kind]
