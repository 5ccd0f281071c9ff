/** What describes one kind of policy: a file for each, and a line in the registry (kinds.ts). */
import type * as z from 'zod'
import type { Backoff } from '../../policies/backoff.ts'
import type { Heartbeat, SinglePolicy } from '../../policies/policy.ts'
import type { Argument } from './argument.ts'
import type { LibraryKind } from './library-kind.ts'
import type { Slot } from './slot.ts'

/** What the scenario's agent does as long as a policy does not choose otherwise. */
export interface AgentChoices {
  heartbeat: Heartbeat | 'none'
  retry: Backoff
}

export interface PolicyKind<P extends SinglePolicy = SinglePolicy> {
  kind: P['kind']
  /** A word of it, for messages: `poll:7s`. */
  example: string
  /** For editors. */
  description: string
  /** The long form without `else`, `with` and `recover`, which all kinds have. */
  schema: z.ZodObject
  /** For editors: what may stand instead of a map. They are written out before the schema sees them. */
  shortForms: readonly z.ZodType[]
  /** Short forms, and where library policies may stand. */
  slot: Slot
  /** Where a library policy belongs that was written for the policy itself, if the kind takes none. */
  entryKey?: { key: string; kind: LibraryKind }
  /** A checked map, its library policies written out. */
  resolve(map: object, agent: AgentChoices): P
  /** Everything a word could say of it, in the order of the reference. */
  arguments(policy: P): Argument[]
  /** The key that is written even at its default: a row called `poll` would hide what it does. */
  alwaysWritten?: string
  /** What takes over where nothing is named. */
  impliedElse?(policy: P): SinglePolicy | undefined
  /** For people: `poll every 7 s`. `rest` are the arguments it need not mention. */
  title(policy: P): { title: string; told: readonly string[] }
}
