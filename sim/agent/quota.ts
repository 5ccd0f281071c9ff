/** Quotas of requests. */
import type { Clock } from '../kernel/clock.ts'
import { createTokenBucket, type TokenBucket } from '../policies/token-bucket.ts'
import { isObject } from '../protocol/json-text.ts'
import type { Quota } from '../scenario/scenario.ts'
import { TooManyRequests } from './pace-errors.ts'
import type { Scope } from './scope.ts'

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
