/** `blocking:30s`: a send that the agent holds until the task is over, or for so long. */
import { spellDuration } from '../../kernel/units.ts'
import type { BlockingPolicy } from '../../policies/policy.ts'
import * as z from 'zod'
import { word } from '../schema-parts.ts'
import { durationUs } from '../values.ts'
import { afterErrorArguments, durationArgument } from './argument.ts'
import { needsWay } from './backoff.ts'
import type { PolicyKind } from './kind.ts'
import { LibraryName, NAME_TEXT } from './name.ts'
import { AfterErrorSchema, resolveAfterError } from './reactions.ts'
import { DEFAULT_POLL } from './poll.ts'
import { afterErrorSlot, timeOrName } from './slot.ts'
import { positiveDuration } from './wait.ts'

const BlockingMap = z
  .strictObject({
    use: LibraryName.optional(),
    hold: positiveDuration('how long the send is held; without it, until the task is over').optional(),
    timeout: positiveDuration('how long the client waits for the answer').optional(),
    onError: AfterErrorSchema.optional(),
  })
  .check(needsWay('onError'))

type BlockingInput = z.output<typeof BlockingMap>

export const blocking: PolicyKind<BlockingPolicy> = {
  kind: 'blocking',
  example: 'blocking:30s',
  description: 'a send that the agent holds until the task is over',
  schema: BlockingMap,
  shortForms: [word(() => undefined, String.raw`^\d[\d.]*(?:us|ms|s|m|h|d)|^${NAME_TEXT}$`)],
  slot: {
    entry: 'blocking',
    keyOf: timeOrName('hold'),
    emptyIsMap: true,
    inside: { onError: afterErrorSlot },
  },
  resolve: ({ hold, timeout, onError }: BlockingInput) => ({
    kind: 'blocking',
    holdUs: hold === undefined ? undefined : durationUs(hold),
    timeoutUs: timeout === undefined ? undefined : durationUs(timeout),
    onError: resolveAfterError(onError),
  }),
  arguments: ({ holdUs, timeoutUs, onError }) => [
    ...durationArgument('hold', holdUs),
    ...durationArgument('timeout', timeoutUs),
    ...afterErrorArguments('onError', onError),
  ],
  // A hold that ends before the task has to go on somehow.
  impliedElse: ({ holdUs }) => (holdUs === undefined ? undefined : DEFAULT_POLL),
  title: ({ holdUs }) => ({
    title: `blocking send${holdUs === undefined ? '' : `, held up to ${spellDuration(holdUs)}`}`,
    told: ['hold'],
  }),
}
