/** How webhooks are sent: the keys `agent.push` and the policy `push` share. */
import { parseDuration } from '../../kernel/units.ts'
import type { Backoff } from '../../policies/backoff.ts'
import type { PushSending } from '../../policies/policy.ts'
import * as z from 'zod'
import { count, oneOf } from '../schema-parts.ts'
import { notYet } from '../values.ts'
import { BackoffSchema, NO_RETRY, resolveBackoff, type BackoffInput } from './backoff.ts'
import { positiveDuration } from './wait.ts'

const LATER_SIGNATURES = ['jwt', 'hmac'] as const

export const sendingKeys = {
  retry: BackoffSchema.meta({ description: 'when a failed post is tried again' }).optional(),
  timeout: positiveDuration('how long one attempt may take').optional(),
  events: oneOf(['all', 'status', 'pauses-and-final', 'final'], 'which updates are posted').optional(),
  ordered: z
    .boolean()
    .meta({ description: 'whether a post waits until the one before was delivered or dropped' })
    .optional(),
  giveUp: oneOf(
    ['drop', 'remove'],
    'when retries are used up: the post is dropped, or the configuration removed',
  ).optional(),
  disableAfter: count('so many failed deliveries in a row remove the configuration').optional(),
  signature: oneOf(['token', 'none', ...LATER_SIGNATURES], 'how a post proves whose it is')
    .refine((name) => !LATER_SIGNATURES.some((later) => later === name), {
      error: ({ input }) => notYet(`signature=${String(input)}`, 'write token or none'),
    })
    .optional(),
}

export const SendingMap = z.strictObject(sendingKeys)
export type SendingInput = z.output<typeof SendingMap>

/** What an agent does that is not told how to send. */
export const DEFAULT_SENDING: PushSending = {
  retry: {
    ...NO_RETRY,
    waits: { of: 'growing', initialUs: 1_000_000, multiplier: 2, maxUs: undefined },
    attempts: 3,
  },
  timeoutUs: 10_000_000,
  events: 'all',
  ordered: true,
  giveUp: 'drop',
  disableAfter: undefined,
  signature: 'token',
}

/**
 * What checked keys say, each library policy written out; nothing about what
 * they leave open. Retries that do not say how to wait change those `below`.
 * The timeout of a retry schedule is the timeout of its posts.
 */
export function resolveSending(
  map: SendingInput,
  below: Backoff = DEFAULT_SENDING.retry,
): Partial<PushSending> {
  const sending: Partial<PushSending> = {}
  if (map.retry !== undefined) {
    const { timeoutUs, ...retry } = resolveBackoff(map.retry as BackoffInput | 'none', below)
    sending.retry = { ...retry, timeoutUs: undefined }
    if (timeoutUs !== undefined) sending.timeoutUs = timeoutUs
  }
  if (map.timeout !== undefined) sending.timeoutUs = parseDuration(map.timeout) as number
  if (map.events !== undefined) sending.events = map.events
  if (map.ordered !== undefined) sending.ordered = map.ordered
  if (map.giveUp !== undefined) sending.giveUp = map.giveUp
  if (map.disableAfter !== undefined) sending.disableAfter = map.disableAfter
  if (map.signature !== undefined) sending.signature = map.signature as PushSending['signature']
  return sending
}
