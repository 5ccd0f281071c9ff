/** What the client's own side limits and how its clock runs. */
import * as z from 'zod'
import { clientLimitKeys, resolveClientLimits } from '../policies/hop.ts'
import { Factor, resolveFactor } from '../policies/reactions.ts'
import { NAME_TEXT } from '../policies/name.ts'
import { either, oneOf, word } from '../schema-parts.ts'
import type { ClientSettings } from '../scenario.ts'
import { DURATION_PATTERN, durationProblem, durationUs } from '../values.ts'

/** `5s` ahead, `-5s` behind. */
const offsetProblem = (value: unknown): string | undefined =>
  durationProblem(typeof value === 'string' ? value.replace(/^-/, '') : value)

export const ClockMap = z.strictObject({
  rate: Factor.meta({ description: 'how fast it runs: 1.1 is 10 % fast' }).optional(),
  offset: z
    .union([z.literal(0), word(offsetProblem, DURATION_PATTERN.replace('^', '^-?'))], {
      error: ({ input }) => offsetProblem(input),
    })
    .meta({ description: 'what it is ahead; behind with a minus sign' })
    .optional(),
})

export const ClientMap = z.strictObject({
  ...clientLimitKeys,
  clock: ClockMap.meta({ description: "the client's clock" }).optional(),
  card: oneOf(['known', 'fetch'], 'whether the agent card is known, or fetched first and counted').optional(),
})

export const Client = either('a library name such as httpx, or a map', [
  word(() => undefined, `^${NAME_TEXT}$`),
  ClientMap,
])

export function resolveClient(input: z.output<typeof ClientMap>): ClientSettings {
  const { rate = 1, offset = 0 } = input.clock ?? {}
  const text = String(offset)
  const offsetUs = text.startsWith('-') ? -durationUs(text.slice(1)) : durationUs(text)
  return {
    ...resolveClientLimits(input),
    clock: { rate: resolveFactor(rate), offsetUs },
    card: input.card ?? 'known',
  }
}
