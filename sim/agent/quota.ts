/** Quotas of requests, as token buckets. */
import type { Clock } from '../kernel/clock.ts'
import { US_PER_SECOND } from '../kernel/units.ts'
import { isObject } from '../protocol/json-text.ts'
import type { Quota } from '../scenario/scenario.ts'
import { TooManyRequests } from './pace-errors.ts'
import type { Scope } from './scope.ts'

/** One bucket, full at first. */
export interface TokenBucket {
  /** How long until there is a token; 0 if there is one. */
  waitUs(nowUs: number): number
  /** Takes a token, of which there must be one. */
  take(nowUs: number): void
}

/** Below what a sum of µs in floating point is off by, far above it for any run: an instant this little after a whole µs is that µs. */
const ROUNDING_US = 1e-3

/**
 * A bucket of `burst` tokens that gains `perSecond`. Instants are counted from
 * when it was last full and left standing so, never from token to token, so that
 * a rate such as 7/s does not drift: who takes every token has 700 in 100 s.
 */
export function createTokenBucket({ perSecond, burst }: Pick<Quota, 'perSecond' | 'burst'>): TokenBucket {
  let fullUs = 0
  let taken = 0
  /** How long so many tokens take to come, in whole µs. */
  const usFor = (tokens: number) => Math.ceil((tokens * US_PER_SECOND) / perSecond - ROUNDING_US)

  return {
    waitUs(nowUs) {
      const missing = taken + 1 - burst
      return missing <= 0 ? 0 : Math.max(0, fullUs + usFor(missing) - nowUs)
    },
    take(nowUs) {
      if (nowUs > fullUs + usFor(taken)) {
        fullUs = nowUs
        taken = 0
      }
      taken += 1
    },
  }
}

/** Admits a request, whatever its operation. */
export type Gate = (params: unknown, scope: Scope) => void

/**
 * A request needs a token of every quota it falls under, and takes them only if
 * it gets all: one that is refused costs nothing. A quota per client counts
 * callers (all of them one where nobody says who they are); one per task leaves
 * requests alone that name no task.
 *
 * @returns throws TooManyRequests with the quota's own Retry-After, or the wait for the next token
 */
export function createGate(quotas: readonly Quota[], clock: Pick<Clock, 'nowUs'>): Gate {
  if (quotas.length === 0) return () => {}
  const shelves = quotas.map((quota) => ({ quota, buckets: new Map<string, TokenBucket>() }))
  return (params, scope) => {
    const nowUs = clock.nowUs()
    const due: TokenBucket[] = []
    for (const { quota, buckets } of shelves) {
      const key = keyOf(quota.per, params, scope)
      if (key === undefined) continue
      const bucket = buckets.get(key) ?? createTokenBucket(quota)
      buckets.set(key, bucket)
      const waitUs = bucket.waitUs(nowUs)
      if (waitUs > 0)
        throw new TooManyRequests('the quota of requests is used up', quota.retryAfterUs ?? waitUs)
      due.push(bucket)
    }
    for (const bucket of due) bucket.take(nowUs)
  }
}

/** Who shares a bucket; `undefined` for whom there is none. */
function keyOf(per: Quota['per'], params: unknown, { owner, tenant }: Scope): string | undefined {
  switch (per) {
    case 'all':
      return ''
    case 'client':
      return JSON.stringify([owner, tenant])
    case 'task':
      return taskNamedIn(params)
  }
}

/** The task a request is about, wherever its operation names it. */
function taskNamedIn(params: unknown): string | undefined {
  if (!isObject(params)) return undefined
  const { message, taskId, id } = params
  const named = (isObject(message) ? message['taskId'] : undefined) ?? taskId ?? id
  return typeof named === 'string' ? named : undefined
}
