/** What the policy library holds, on a screen: the kinds, and under each the ids. */
import { styleText } from 'node:util'
import type { ListedPolicy } from '../../sim/index.ts'
import { withThousands } from './numbers.ts'
import { KINDS } from './policies.ts'
import type { TableStyle } from './table.ts'
import { wrapped } from './wrap.ts'

const INDENT = '  '

/** Kinds in the order in which they are explained; entries in the order of their files. */
export function asPolicyOverview(policies: readonly ListedPolicy[], { columns, colour }: TableStyle): string {
  const bold = (text: string) => (colour ? styleText('bold', text, { validateStream: false }) : text)
  const kinds = Object.entries(KINDS).flatMap(([kind, meaning]) => {
    const ids = policies.filter((policy) => policy.kind === kind).map(({ id }) => id)
    return ids.length === 0 ? [] : [{ kind, meaning, ids }]
  })
  const lines = kinds.flatMap(({ kind, meaning, ids }) => [
    bold(`${kind} (${withThousands(ids.length)})`) + `, ${meaning}`,
    ...idLines(ids, columns - INDENT.length).map((line) => INDENT + line),
    '',
  ])
  const advice = [
    `${withThousands(policies.length)} entries in all. One in full, with its source: delivery-bench policies nginx.`,
    "Several as a table: a kind (policies retry), a part of an id (policies azure), a pattern with stars (policies 'aws/ec2.*'); policies --all lists everything.",
  ]
  return [...lines, ...advice.flatMap((text) => wrapped(text, columns)), ''].join('\n')
}

/** Ids of one family, `aws/…`, are one line that says how many they are and how to list them. */
function idLines(ids: readonly string[], width: number): string[] {
  const families = new Map<string, number>()
  for (const id of ids) {
    const family = familyOf(id)
    if (family !== undefined) families.set(family, (families.get(family) ?? 0) + 1)
  }
  return [
    ...wrapped(ids.filter((id) => familyOf(id) === undefined).join(', '), width),
    ...[...families].map(
      ([family, count]) =>
        `${family}*, ${withThousands(count)} of them: delivery-bench policies '${family}*'`,
    ),
  ].filter((line) => line !== '')
}

/** `aws/` of `aws/ec2.InstanceRunning`; none of `nginx`. */
const familyOf = (id: string): string | undefined => /^[^/]+\//.exec(id)?.[0]
