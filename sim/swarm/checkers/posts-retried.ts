import { formatDuration } from '../../kernel/units.ts'
import type { Waits } from '../../policies/backoff.ts'
import type { PushPolicy, PushSending } from '../../policies/policy.ts'
import type { ExchangeRecord } from '../../records/record.ts'
import type { Scenario } from '../../scenario/scenario.ts'
import type { Checker, SwarmRun } from '../run.ts'

/**
 * A post that failed is tried again exactly when the schedule says, until it
 * succeeds or the schedule ends. Worked out from the schedule by hand, where it
 * is without chance and posts go one after the other.
 */
export const postsRetried: Checker = {
  name: 'posts-retried',
  check(run) {
    const sending = sendingOf(run)
    if (sending === undefined) return []
    const posts = run.records
      .filter((record): record is ExchangeRecord => record.kind === 'exchange' && record.to === 'receiver')
      .flatMap(unfolded)
      .toSorted((a, b) => a.startUs - b.startUs)
    let failures = 0
    for (const [index, { endUs, delivered }] of posts.entries()) {
      if (delivered || endUs === undefined) {
        failures = 0
        continue
      }
      const waitUs = waitAfter(failures, sending.retry.waits)
      failures += 1
      if (waitUs === undefined || failures === sending.retry.attempts) {
        failures = 0
        continue
      }
      const dueUs = endUs + waitUs
      const next = posts[index + 1]
      if (next?.startUs === dueUs || dueUs >= run.endUs) continue
      const instead =
        next === undefined ? 'no post followed' : `the next post left at ${formatDuration(next.startUs)}`
      return [
        `a post failed at ${formatDuration(endUs)} and was due again at ${formatDuration(dueUs)}; ${instead}`,
      ]
    }
    return []
  },
}

interface Post {
  startUs: number
  endUs: number | undefined
  delivered: boolean
}

const unfolded = ({ startUs, endUs, status, outcome, repeats }: ExchangeRecord): Post[] =>
  Array.from({ length: repeats?.count ?? 1 }, (_, n) => {
    const laterUs = n * (repeats?.everyUs ?? 0)
    return {
      startUs: startUs + laterUs,
      endUs: endUs === undefined ? undefined : endUs + laterUs,
      delivered: outcome === 'complete' && status !== undefined && status >= 200 && status < 300,
    }
  })

/** How posts were to be sent; `undefined` where that cannot be worked out by hand. */
function sendingOf({ scenario, entry }: SwarmRun): PushSending | undefined {
  const { agent, faults } = scenario
  if (entry.policy.kind !== 'push' || agent.push === false) return undefined
  const sending: PushSending = { ...agent.push, ...(entry.policy satisfies PushPolicy).sending }
  const isPlain =
    sending.ordered &&
    sending.retry.jitter.of === 'none' &&
    sending.retry.budgetUs === undefined &&
    sending.giveUp === 'drop' &&
    sending.disableAfter === undefined &&
    // With its task a post is forgotten.
    agent.ttl === undefined
  return isPlain && !faults.some(forgetsPosts) && !faults.some(saysWhenToRetry) ? sending : undefined
}

const forgetsPosts = ({ effect }: Scenario['faults'][number]): boolean =>
  effect.of === 'restart' && effect.host === 'agent'

const saysWhenToRetry = ({ effect }: Scenario['faults'][number]): boolean => effect.of === 'answer'

/** The wait after so many failures before; `undefined` when there is none any more. */
function waitAfter(failures: number, waits: Waits): number | undefined {
  switch (waits.of) {
    case 'interval':
      return waits.interval.of === 'fixed' ? waits.interval.us : undefined
    case 'growing':
      return Math.min(waits.maxUs ?? Infinity, Math.round(waits.initialUs * waits.multiplier ** failures))
    case 'list':
      return waits.delaysUs[failures] ?? (waits.last === 'repeats' ? waits.delaysUs.at(-1) : undefined)
  }
}
