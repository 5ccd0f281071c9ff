/** The mechanisms a scenario compares, as policies with their words. */
import type { Path } from './node.ts'
import { FLEET_EXAMPLE, type Subject } from './metric.ts'
import { resolveMechanism, type ResolvedMechanism } from './policies/mechanism.ts'
import type { AgentChoices } from './policies/kind.ts'
import { KIND_NAMES } from './policies/kinds.ts'
import type { Library } from './policies/library.ts'
import type { MechanismEntry } from './scenario.ts'
import { sharesProblem } from './shares.ts'
import type { Say } from './surroundings.ts'
import { resolveThresholds } from './threshold.ts'
import { shareOf } from './values.ts'

/** An entry of the list in long form, library policies written out. */
type EntryInput = Readonly<Record<string, unknown>>

interface Context {
  agent: AgentChoices
  library: Library
  say: Say
  /** Whether one task goes by them or many do. */
  subject: Exclude<Subject, 'either'>
}

/**
 * The entries of a list in long form, `undefined` where the schema has
 * complained. Without problems there are as many as the list has.
 */
export function resolveMechanisms(
  list: readonly (EntryInput | undefined)[],
  context: Context,
): MechanismEntry[] {
  const names: string[] = []
  return list.flatMap((entry, index): MechanismEntry[] => {
    if (entry === undefined) return []
    const path = ['mechanisms', index]
    const resolved =
      entry['mix'] === undefined ? resolveEntry(entry, path, context) : resolveMix(entry, path, context)
    const expressions = entry['thresholds'] as readonly string[] | undefined
    const thresholds =
      expressions && resolveThresholds(expressions, [...path, 'thresholds'], context.subject, context.say)
    if (resolved === undefined) return []
    const label = entry['label'] as string | undefined
    const name = label ?? resolved.word
    if (names.includes(name)) context.say(path, `"${name}" is there twice: give one of them a label`)
    names.push(name)
    return [{ label, ...resolved, ...(thresholds && { thresholds }) }]
  })
}

/** A word that is still there could not be read, and that was said. */
const resolveEntry = (entry: EntryInput, path: Path, context: Context): ResolvedMechanism | undefined =>
  entry['policy'] === undefined ? resolveMechanism(entry, path, context) : undefined

/** A population; `undefined` after reporting what is wrong with it. */
function resolveMix(
  entry: EntryInput,
  path: Path,
  context: Context,
): (ResolvedMechanism & Pick<MechanismEntry, 'mix'>) | undefined {
  const { say, subject } = context
  const parts = entry['mix'] as readonly EntryInput[]
  const beside = KIND_NAMES.find((kind) => entry[kind] !== undefined)
  if (beside !== undefined) {
    say([...path, beside], `mix and ${beside} exclude each other: make ${beside} a part of the mix`, true)
    return undefined
  }
  if (subject === 'task') {
    const instead = 'or write an entry for each policy'
    say(
      [...path, 'mix'],
      `a mix is about many tasks: add a fleet, such as ${FLEET_EXAMPLE}, ${instead}`,
      true,
    )
    return undefined
  }
  const mix = parts.flatMap((part, index) => {
    const here = [...path, 'mix', index]
    if (part['share'] === undefined) say(here, 'which share of the tasks goes by it? add share: 50%')
    const resolved = resolveEntry(part, here, context)
    const share = typeof part['share'] === 'string' ? shareOf(part['share']) : 0
    return resolved === undefined ? [] : [{ ...resolved, share }]
  })
  const shares = parts.flatMap(({ share }) => (typeof share === 'string' ? [share] : []))
  const problem = shares.length === parts.length ? sharesProblem(shares) : undefined
  if (problem !== undefined) say([...path, 'mix'], problem)
  const [first] = mix
  if (first === undefined || mix.length < parts.length) return undefined
  const word = mix.map((part, index) => `${shares[index]} ${part.word}`).join(', ')
  return { word, policy: first.policy, mix }
}
