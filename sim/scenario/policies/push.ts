/** `push`: the agent posts every update to a webhook of the client. */
import type { PushPolicy } from '../../policies/policy.ts'
import * as z from 'zod'
import { oneOf } from '../schema-parts.ts'
import { argument, backoffArguments, durationArgument } from './argument.ts'
import type { AgentChoices, PolicyKind } from './kind.ts'
import { backoffPhrase } from './phrase.ts'
import { resolveSending, sendingKeys } from './sending.ts'
import { backoffSlot } from './slot.ts'

const PushMap = z.strictObject({
  ...sendingKeys,
  get: oneOf(['never', 'final', 'each'], 'whether posts are followed by a GetTask for the whole').optional(),
  register: oneOf(['with-send', 'after-reply'], 'how the webhook is made known to the agent').optional(),
})

function resolve(map: z.output<typeof PushMap>, { retry }: AgentChoices): PushPolicy {
  const { get = 'never', register = 'with-send', ...sending } = map
  return { kind: 'push', sending: resolveSending(sending, retry), get, register }
}

function title({ sending: { retry }, get, register }: PushPolicy): string {
  const phrase = retry && backoffPhrase(retry)
  return [
    'push (webhooks)',
    ...(phrase === undefined ? [] : [phrase === 'one attempt' ? 'no retry' : `retry ${phrase}`]),
    ...(register === 'with-send' ? [] : ['registered after the reply']),
    ...(get === 'never' ? [] : [get === 'final' ? 'then GetTask' : 'GetTask after each']),
  ].join(', ')
}

export const push: PolicyKind<PushPolicy> = {
  kind: 'push',
  example: 'push:retry=1m/5m',
  description: 'the agent posts every update to a webhook of the client',
  schema: PushMap,
  shortForms: [],
  slot: { emptyIsMap: true, inside: { retry: backoffSlot('retry') } },
  entryKey: { key: 'retry', kind: 'retry' },
  resolve,
  arguments: ({ sending, get, register }) => [
    ...backoffArguments('retry', sending.retry),
    ...durationArgument('timeout', sending.timeoutUs),
    ...argument('events', sending.events),
    ...argument('ordered', sending.ordered),
    ...argument('giveUp', sending.giveUp),
    ...argument('disableAfter', sending.disableAfter),
    ...argument('signature', sending.signature),
    ...argument('get', get),
    ...argument('register', register),
  ],
  title: (policy) => ({ title: title(policy), told: ['retry', 'get', 'register'] }),
}
