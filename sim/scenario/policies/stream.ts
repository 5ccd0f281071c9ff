/** `stream`: one answer that stays open and brings every update. */
import { spellDuration } from '../../kernel/units.ts'
import type { StreamPolicy } from '../../policies/policy.ts'
import * as z from 'zod'
import { oneOf } from '../schema-parts.ts'
import { durationUs } from '../values.ts'
import { argument, backoffArguments, durationArgument } from './argument.ts'
import { BackoffSchema, needsWay, resolveBackoff, type BackoffInput } from './backoff.ts'
import { HeartbeatSchema, resolveHeartbeat, type HeartbeatInput } from './heartbeat.ts'
import type { AgentChoices, PolicyKind } from './kind.ts'
import { backoffPhrase } from './phrase.ts'
import { retryAfterArguments } from './poll.ts'
import { RetryAfterSchema, resolveRetryAfter } from './reactions.ts'
import { backoffSlot, heartbeatSlot } from './slot.ts'
import { positiveDuration } from './wait.ts'

const StreamMap = z
  .strictObject({
    heartbeat: HeartbeatSchema.optional(),
    watchdog: positiveDuration('breaks the stream off after so long a silence and reconnects').optional(),
    reconnect: BackoffSchema.meta({ description: 'when a stream is opened again' }).optional(),
    retryAfter: RetryAfterSchema.optional(),
    retryHint: oneOf(['honour', 'ignore'], 'whether an SSE retry: line replaces the first wait').optional(),
    resume: oneOf(
      ['snapshot', 'cursor', 'live'],
      'how a stream is taken up again: with a snapshot, from a cursor, or with what comes next',
    ).optional(),
    cleanClose: oneOf(
      ['reconnect', 'finish'],
      'what a stream that ends cleanly before the task means: a cut, or the end',
    ).optional(),
    timeout: positiveDuration('how long a stream may take to open').optional(),
  })
  .check(needsWay('reconnect'))

type StreamInput = z.output<typeof StreamMap>

function resolve(map: StreamInput, { heartbeat }: AgentChoices): StreamPolicy {
  const reconnect =
    map.reconnect === undefined || map.reconnect === 'none'
      ? undefined
      : resolveBackoff(map.reconnect as BackoffInput)
  return {
    kind: 'stream',
    heartbeat:
      map.heartbeat === undefined
        ? undefined
        : resolveHeartbeat(map.heartbeat as HeartbeatInput | 'none', heartbeat),
    watchdogUs: map.watchdog === undefined ? undefined : durationUs(map.watchdog),
    reconnect,
    retryAfter: resolveRetryAfter(map.retryAfter),
    retryHint: map.retryHint ?? 'honour',
    resume: map.resume ?? 'snapshot',
    cleanClose: map.cleanClose ?? 'reconnect',
    timeoutUs: map.timeout === undefined ? undefined : durationUs(map.timeout),
  }
}

function heartbeatArguments(heartbeat: StreamPolicy['heartbeat']) {
  if (heartbeat === undefined || heartbeat === 'none') return argument('heartbeat', heartbeat)
  return [
    ...durationArgument('heartbeat.every', heartbeat.everyUs),
    ...(heartbeat.octets === 8 ? [] : argument('heartbeat.octets', heartbeat.octets)),
    ...(heartbeat.when === 'always' ? [] : argument('heartbeat.when', heartbeat.when)),
  ]
}

const heartbeatTitle = ({ heartbeat }: StreamPolicy): string =>
  heartbeat === undefined
    ? ''
    : heartbeat === 'none'
      ? ', no heartbeat'
      : `, heartbeat every ${spellDuration(heartbeat.everyUs)}`

export const stream: PolicyKind<StreamPolicy> = {
  kind: 'stream',
  example: 'stream:reconnect=3s',
  description: 'one answer that stays open and brings every update',
  schema: StreamMap,
  shortForms: [],
  slot: {
    emptyIsMap: true,
    inside: { heartbeat: heartbeatSlot, reconnect: backoffSlot('reconnect') },
  },
  entryKey: { key: 'reconnect', kind: 'reconnect' },
  resolve,
  arguments: (policy) => [
    ...backoffArguments('reconnect', policy.reconnect),
    ...heartbeatArguments(policy.heartbeat),
    ...durationArgument('watchdog', policy.watchdogUs),
    ...retryAfterArguments(policy.retryAfter),
    ...argument('retryHint', policy.retryHint),
    ...argument('resume', policy.resume),
    ...argument('cleanClose', policy.cleanClose),
    ...durationArgument('timeout', policy.timeoutUs),
  ],
  title: (policy) => ({
    title: `stream (SSE)${policy.reconnect === undefined ? '' : `, reconnect ${backoffPhrase(policy.reconnect)}`}${heartbeatTitle(policy)}`,
    told: ['reconnect', 'heartbeat.every', 'heartbeat'],
  }),
}
