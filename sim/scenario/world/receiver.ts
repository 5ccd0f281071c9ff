/** Who takes the webhook posts. */
import * as z from 'zod'
import { fixed } from '../../kernel/distribution.ts'
import { distribution, resolveDistribution } from '../distribution.ts'
import { Share, count, either, oneOf, wholeNumber } from '../schema-parts.ts'
import type { ReceiverSettings } from '../scenario.ts'
import type { Surroundings } from '../surroundings.ts'
import { kindOf, shareOf } from '../values.ts'
import { hops, latency, resolvePath } from './path.ts'

export const ReceiverMap = z.strictObject({
  latency: latency('latency between agent and receiver, one way').optional(),
  hops: hops('what stands between agent and receiver, from the agent').optional(),
  loss: Share.meta({ description: 'share of messages that never arrive' }).optional(),
  duplicate: Share.meta({ description: 'share of posts that arrive twice' }).optional(),
  reorder: Share.meta({ description: 'share of posts handed on only after a later one' }).optional(),
  service: distribution('world', 'how long a post is worked on before it is answered').optional(),
  handlers: count('posts worked on at once').optional(),
  queue: wholeNumber(0, 'expected how many posts may wait: a whole number from 0 on')
    .meta({ description: 'posts that may wait; who finds no room is answered 503' })
    .optional(),
  answer: z
    .int({ error: ({ input }) => `expected an HTTP status from 200 to 599, got ${kindOf(input)}` })
    .min(200, { error: ({ input }) => `${String(input)} is no answer: write a status from 200 to 599` })
    .max(599, { error: ({ input }) => `${String(input)} is no answer: write a status from 200 to 599` })
    .meta({ description: 'HTTP status of its answers' })
    .optional(),
  dedupe: z.boolean().meta({ description: 'whether it recognises a post it had before' }).optional(),
  accepts: oneOf(
    ['any', 'known'],
    'known: refuses posts about tasks whose id it has not read yet',
  ).optional(),
})

export const Receiver = either('none, or a map', [z.literal('none'), ReceiverMap])

/** An empty success, as most frameworks answer a handler that returns nothing. */
const NO_CONTENT = 204

export function resolveReceiver(
  input: z.output<typeof Receiver> | undefined,
  around: Surroundings,
): ReceiverSettings | 'none' {
  if (input === 'none') return 'none'
  const map = input ?? {}
  const path = ['receiver']
  return {
    ...resolvePath(map, path, around),
    duplicate: map.duplicate === undefined ? 0 : shareOf(map.duplicate),
    reorder: map.reorder === undefined ? 0 : shareOf(map.reorder),
    service:
      map.service === undefined
        ? fixed(0)
        : resolveDistribution(map.service, around.columnAt([...path, 'service'])),
    handlers: map.handlers,
    queue: map.queue,
    answer: map.answer ?? NO_CONTENT,
    dedupe: map.dedupe ?? true,
    accepts: map.accepts ?? 'any',
  }
}
