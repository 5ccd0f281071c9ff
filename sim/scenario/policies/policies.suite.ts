/** Policies read for one test, with the shipped library. */
import { flatten, sentenceOf } from '../issues.ts'
import { plain, scalar } from '../node.ts'
import type { Place } from '../place.ts'
import { readYaml } from '../yaml.ts'
import { createLibrary } from './library.ts'
import { mechanismOf } from './longhand.ts'
import { DEFAULT_CHOICES, resolveMechanism, type ResolvedMechanism } from './mechanism.ts'
import { MechanismMap } from './schema.ts'
import { spellOutMechanism } from './spell-out.ts'

const library = createLibrary([])

/** A word, or a map in braces, as a policy. @throws if there is anything wrong with it */
export function policyFrom(text: string): ResolvedMechanism {
  const source = { origin: '-m', name: 'test', text } as const
  const at: Place = { source, start: 0, end: text.length }
  const written = text.startsWith('{') ? readYaml(source) : { node: scalar(at, text) }
  if ('problems' in written) throw new Error(written.problems[0]?.message)
  const complaints: string[] = []
  const problems: { message: string }[] = []
  const long = mechanismOf(written.node, problems as never)
  if (problems.length > 0) throw new Error(problems.map(({ message }) => message).join('; '))
  const checked = MechanismMap.safeParse(plain(spellOutMechanism(long, library)), { error: sentenceOf })
  if (!checked.success) {
    throw new Error(
      flatten(checked.error.issues, [])
        .map(({ issue, path }) => `${path.join('.')}: ${issue.message}`)
        .join('; '),
    )
  }
  const say = (_path: unknown, message: string) => complaints.push(message)
  const resolved = resolveMechanism(checked.data, [], { library, agent: DEFAULT_CHOICES, say })
  if (resolved === undefined) throw new Error(complaints.join('; '))
  return resolved
}
