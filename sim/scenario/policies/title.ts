/** What a policy is called in tables. */
import { spellDuration } from '../../kernel/units.ts'
import type { Policy, SinglePolicy } from '../../policies/policy.ts'
import { differing } from './argument.ts'
import { kindOf } from './kinds.ts'
import { DEFAULT_CHOICES } from './mechanism.ts'
import { argumentPhrase } from './phrase.ts'

/**
 * The row's name for people: `poll every 7 s`, `stream (SSE), reconnect after
 * 3 s then poll every 30 s`, `push (webhooks) beside poll every 60 s`.
 */
export function titleOf(policy: Policy): string {
  if (policy.kind === 'together') return policy.parts.map(titleOf).join(' beside ')
  if (policy.kind !== 'chain') return singleTitle(policy)
  const { links, recoverUs } = policy
  const back = recoverUs === undefined ? '' : `, back after ${spellDuration(recoverUs)}`
  return `${links.map(singleTitle).join(' then ')}${back}`
}

function singleTitle(policy: SinglePolicy): string {
  const kind = kindOf(policy.kind)
  const { title, told } = kind.title(policy)
  const rest = differing(kind.arguments(policy), kind.arguments(kind.resolve({}, DEFAULT_CHOICES))).filter(
    ({ path }) => !told.includes(path.join('.')) && !(told.includes(path[0] as string) && path.length > 1),
  )
  return [title, ...rest.map(argumentPhrase)].join(', ')
}
