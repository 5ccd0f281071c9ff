/** What the policy library holds: an overview, all of it, what a pattern finds, or one policy in full. */
import { didYouMean, listPolicies, type ListedPolicy } from '../../sim/index.ts'
import { EXIT, type ExitCode, UsageError } from '../exit.ts'
import { formatOption, type Given } from '../options.ts'
import { asPolicyOverview } from '../present/policy-overview.ts'
import { asPoliciesJson, asPolicy, asPolicyTable } from '../present/policies.ts'
import type { TableStyle } from '../present/table.ts'
import { type Terminal, USUAL_COLUMNS } from '../terminal.ts'

/** Where somebody who calls the program may keep policies of their own, beside scenarios. */
const OWN_FOLDERS = ['.', 'scenarios']

export function policies(words: readonly string[], given: Given, terminal: Terminal): Promise<ExitCode> {
  const [pattern, ...more] = words
  if (more.length > 0) throw new UsageError(`policies takes one pattern, not also ${more.join(' ')}`)
  const format = formatOption(given)
  if (format !== 'table' && format !== 'json') {
    throw new UsageError(`policies are printed as table or json, not as ${format}`)
  }
  const wantsAll = given['all'] === true
  if (wantsAll && pattern !== undefined)
    throw new UsageError(`policies takes --all or a pattern, not both: ${pattern}`)
  const all = listPolicies(OWN_FOLDERS)
  const found = pattern === undefined ? all : matching(all, pattern)
  if (found.length === 0) {
    const ids = [...new Set(all.map(({ id }) => id))]
    throw new UsageError(
      `the library has no policy ${pattern}${didYouMean(String(pattern), ids)}\n` +
        "a pattern is a part of an id or a name, a kind such as retry, or has stars: 'aws/ec2.*'",
    )
  }
  const { columns = USUAL_COLUMNS, colour = false } = terminal
  const style = { columns, colour }
  terminal.stdout.write(
    format === 'json'
      ? asPoliciesJson(found)
      : pattern === undefined && !wantsAll
        ? asPolicyOverview(found, style)
        : asTableOrOne(found, style),
  )
  return Promise.resolve(EXIT.fine)
}

function asTableOrOne(found: readonly ListedPolicy[], style: TableStyle): string {
  const [first, second] = found
  return first !== undefined && second === undefined
    ? asPolicy(first, style.columns)
    : asPolicyTable(found, style)
}

/** Those of the very id, else those of the kind, else those with the pattern in their id or name. */
function matching(all: readonly ListedPolicy[], pattern: string): readonly ListedPolicy[] {
  // As it stands in a policy word.
  const wanted = pattern.replace(/^@/, '')
  if (/[*?]/.test(wanted)) return all.filter(({ id }) => globOf(wanted).test(id))
  const exact = all.filter(({ id, kind }) => id === wanted || kind === wanted)
  if (exact.length > 0) return exact
  const holds = (text: string | undefined) => text?.toLowerCase().includes(wanted.toLowerCase()) ?? false
  return all.filter(({ id, name }) => holds(id) || holds(name))
}

const globOf = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
    'i',
  )
