/** What lies between two parties: latency, loss, dribble, hops. Both `network` and `receiver` have it. */
import * as z from 'zod'
import { fixed, type Distribution } from '../../kernel/distribution.ts'
import type { Hop } from '../../policies/middlebox.ts'
import { distribution, distributionWord, resolveDistribution } from '../distribution.ts'
import type { Path } from '../node.ts'
import { HopSchema, resolveHop } from '../policies/hop.ts'
import { positiveDuration } from '../policies/wait.ts'
import { Share, Size, either } from '../schema-parts.ts'
import type { PathSettings } from '../scenario.ts'
import type { Surroundings } from '../surroundings.ts'
import { durationUs, octetsOf, shareOf } from '../values.ts'

export const LatencyMap = z.strictObject({
  up: distribution('world', 'latency towards the one that answers').optional(),
  down: distribution('world', 'latency back').optional(),
})

/** `description` says between whom. */
export const latency = (description: string) =>
  either('a duration or distribution for each direction, or a map with up and down', [
    ...distributionWord('world'),
    LatencyMap,
  ]).meta({ description })

export const hops = (description: string) =>
  z
    .array(HopSchema, {
      error: ({ input }) =>
        Array.isArray(input)
          ? undefined
          : `hops is a list: write [${typeof input === 'string' ? input : 'nginx'}]`,
    })
    .meta({ description })

export const DribbleMap = z.strictObject({
  octets: Size.refine((size) => octetsOf(size) !== 0, {
    error: 'pieces of no octets never arrive',
  }).optional(),
  every: positiveDuration('the time between two pieces').optional(),
})

/** The long form of `network`. */
export const NetworkMap = z.strictObject({
  latency: latency('latency between client and agent, one way').optional(),
  loss: Share.meta({ description: 'share of messages that never arrive' }).optional(),
  dribble: DribbleMap.meta({
    description: 'answers arrive in pieces of so many octets, one each so often',
  }).optional(),
  hops: hops('what stands between client and agent, from the client').optional(),
})

type LatencyInput = z.output<ReturnType<typeof latency>>
/** A checked path in long form. */
interface PathInput {
  latency?: LatencyInput | undefined
  loss?: string | undefined
  dribble?: z.output<typeof DribbleMap> | undefined
  hops?: z.output<ReturnType<typeof hops>> | undefined
}

export function resolvePath(input: PathInput, path: Path, { say, columnAt }: Surroundings): PathSettings {
  const way = (direction: 'up' | 'down'): Distribution => {
    const value = (input.latency as z.output<typeof LatencyMap> | undefined)?.[direction]
    return value === undefined
      ? fixed(0)
      : resolveDistribution(value, columnAt([...path, 'latency', direction]))
  }
  const { dribble } = input
  if (dribble !== undefined) {
    for (const key of ['octets', 'every'] as const) {
      if (dribble[key] === undefined) {
        say([...path, 'dribble'], `how does it dribble? write dribble: { octets: 1400, every: 50ms }`)
        break
      }
    }
  }
  return {
    latency: { up: way('up'), down: way('down') },
    loss: input.loss === undefined ? 0 : shareOf(input.loss),
    dribble: dribble && {
      octets: octetsOf(dribble.octets) as number,
      everyUs: durationUs(dribble.every as string),
    },
    hops: resolveHops(input.hops, [...path, 'hops'], say),
  }
}

/** Hops with names of their own: the second nginx is `nginx 2`, since results tell hops by name. */
function resolveHops(input: PathInput['hops'], path: Path, say: Surroundings['say']): Hop[] {
  const resolved = (input ?? []).map((hop, index) =>
    resolveHop(hop as Parameters<typeof resolveHop>[0], index + 1),
  )
  return resolved.map((hop, index) => {
    const before = resolved.slice(0, index).filter(({ name }) => name === hop.name).length
    const isNamed = typeof (input?.[index] as { name?: string } | undefined)?.name === 'string'
    if (before > 0 && isNamed) say([...path, index, 'name'], `a hop "${hop.name}" is there twice`)
    return before === 0 ? hop : { ...hop, name: `${hop.name} ${before + 1}` }
  })
}
