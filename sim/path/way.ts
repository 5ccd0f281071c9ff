/** One direction between two parties: what becomes of each message that sets out there. */
import { drawUs, isFixed, type Distribution } from '../kernel/distribution.ts'
import type { RandomStream } from '../kernel/random.ts'
import type { Party } from '../records/record.ts'
import type { Conditions } from './conditions.ts'

/** How long a message is held back that others shall overtake. */
export const REORDER_US = 1_000_000

export interface Way {
  /** Set if nothing ever happens here but this latency: nobody need be asked then. */
  fixedUs: number | undefined
  /** Asked when a message sets out. `againUs`: it arrives a second time, which only a request minds. */
  setOut(nowUs: number): 'lost' | { atUs: number; againUs: number | undefined }
  /** Asked when one would arrive. A number: not before that instant. */
  arrive(nowUs: number): 'arrives' | 'lost' | number
}

export interface WayOptions {
  from: Party
  to: Party
  latency: Distribution
  loss: number
  conditions: Conditions | undefined
  random: (purpose: string) => RandomStream
}

/** Each kind of chance has a stream of its own for each direction, opened when first needed. */
export function createWay({ from, to, latency, loss, conditions, random }: WayOptions): Way {
  const streams = new Map<string, RandomStream>()

  function streamOf(purpose: string): RandomStream {
    let stream = streams.get(purpose)
    if (stream === undefined) streams.set(purpose, (stream = random(`${purpose} ${from}->${to}`)))
    return stream
  }

  const draw = (purpose: string, distribution: Distribution): number =>
    isFixed(distribution) ? distribution.us : drawUs(distribution, streamOf(purpose))
  /** Certain things and impossible ones draw nothing. */
  const chance = (purpose: string, share: number): boolean =>
    share > 0 && (share >= 1 || streamOf(purpose).nextFloat() < share)

  return {
    fixedUs: conditions === undefined && loss === 0 && isFixed(latency) ? latency.us : undefined,
    setOut(nowUs) {
      const met = conditions?.link(from, to, nowUs)
      if (met?.blocked === true || chance('loss', 1 - (1 - loss) * (1 - (met?.loss ?? 0)))) return 'lost'
      let atUs = nowUs + draw('latency', latency)
      if (met?.delay !== undefined) atUs += draw('delay', met.delay)
      if (met !== undefined && chance('reorder', met.reorder)) atUs += REORDER_US
      atUs = Math.max(atUs, met?.heldUntilUs ?? 0)
      const again = met !== undefined && chance('duplicate', met.duplicate)
      return { atUs, againUs: again ? atUs + draw('latency', latency) : undefined }
    },
    arrive(nowUs) {
      const met = conditions?.link(from, to, nowUs)
      if (met?.blocked === true) return 'lost'
      return met?.heldUntilUs !== undefined && met.heldUntilUs > nowUs ? met.heldUntilUs : 'arrives'
    },
  }
}
