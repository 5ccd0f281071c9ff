/** What of the wire is given instead of measured. */
import * as z from 'zod'
import type { MessageKind, Scenario } from './scenario.ts'
import { Size } from './schema-parts.ts'
import type { Say } from './surroundings.ts'
import { octetsOf } from './values.ts'

const MESSAGE_KINDS = [
  'send',
  'poll',
  'not-modified',
  'stream',
  'event',
  'heartbeat',
  'subscribe',
  'post',
] as const satisfies readonly MessageKind[]

const SizeMap = z.strictObject({
  up: Size.meta({ description: "octets the client's side sends" }).optional(),
  down: Size.meta({ description: "octets the client's side receives" }).optional(),
})

export const WireMap = z.strictObject({
  sizes: z
    .strictObject(Object.fromEntries(MESSAGE_KINDS.map((kind) => [kind, SizeMap.optional()])))
    .meta({ description: 'octets that replace measured ones, by kind of message' })
    .optional(),
})

type WireInput = z.output<typeof WireMap>

/** @param isFleet whether many tasks are played: single messages are measured, and stay so */
export function resolveSizes(input: WireInput | undefined, isFleet: boolean, say: Say): Scenario['sizes'] {
  if (input?.sizes === undefined) return undefined
  if (!isFleet) {
    say(['wire', 'sizes'], NEEDS_FLEET, true)
    return undefined
  }
  const given = Object.entries(input.sizes) as [MessageKind, z.output<typeof SizeMap> | undefined][]
  return Object.fromEntries(
    given.flatMap(([kind, size]) => {
      if (size === undefined) return []
      for (const key of ['up', 'down'] as const)
        if (size[key] === undefined)
          say(['wire', 'sizes', kind], `a size has both ways: add ${key}: 0 for nothing`)
      return [[kind, { upOctets: octetsOf(size.up) ?? 0, downOctets: octetsOf(size.down) ?? 0 }]]
    }),
  )
}

const NEEDS_FLEET =
  'of one job every message is measured: sizes are given for a fleet, such as fleet: { tasks: 1000, window: 1h }'
