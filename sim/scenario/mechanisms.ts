/** The mechanisms a scenario compares, as policies with their words. */
import { resolveMechanism } from './policies/mechanism.ts'
import type { AgentChoices } from './policies/kind.ts'
import type { Library } from './policies/library.ts'
import type { MechanismEntry } from './scenario.ts'
import type { Say } from './surroundings.ts'

/** An entry of the list in long form, library policies written out. */
type EntryInput = Readonly<Record<string, unknown>>

interface Context {
  agent: AgentChoices
  library: Library
  say: Say
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
    const path = ['mechanisms', index]
    const resolved = entry && resolveMechanism(entry, path, context)
    if (resolved === undefined) return []
    const label = entry?.['label'] as string | undefined
    const name = label ?? resolved.word
    if (names.includes(name)) context.say(path, `"${name}" is there twice: give one of them a label`)
    names.push(name)
    return [{ label, ...resolved }]
  })
}
