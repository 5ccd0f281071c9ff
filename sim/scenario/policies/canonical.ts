/** The canonical word of a mechanism however it is written, for rows that are named by their policy. */
import { plain, type Node } from '../node.ts'
import type { AgentChoices } from './kind.ts'
import type { Library } from './library.ts'
import { mechanismOf } from './longhand.ts'
import { resolveMechanism } from './mechanism.ts'
import { MechanismMap } from './schema.ts'
import { spellOutMechanism } from './spell-out.ts'

/** `undefined` for what is no mechanism. */
export function canonicalWord(
  written: Node,
  { agent, library }: { agent: AgentChoices; library: Library },
): string | undefined {
  const long = mechanismOf(written, [])
  if (long.of !== 'map') return undefined
  const checked = MechanismMap.safeParse(plain(spellOutMechanism(long, library)))
  if (!checked.success) return undefined
  return resolveMechanism(checked.data, [], { agent, library, say: () => {} })?.word
}
