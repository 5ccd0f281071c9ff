import type { PathClock } from './clock.ts'
import { createLine } from './line.ts'
import { octetsOf, type PassingMessage, type Piece } from './message.ts'
import type { Dribbling } from './path.ts'

/** Lets the writes of one direction through piece by piece. */
export interface Dribble {
  /** Lets through a write of so many octets: `passes` is called for each piece, from octet to octet. */
  write(octets: number, passes: (from: number, to: number) => void): void
  /** What comes behind everything written so far. */
  behind(act: () => void): void
  /** Forgets what has not passed. */
  clear(): void
}

/** Pieces never hold octets of two writes, and no two come closer than `everyUs`. */
export function createDribble(clock: PathClock, { octets: most, everyUs }: Dribbling): Dribble {
  const line = createLine(clock)
  /** From when on the next piece may pass. */
  let freeUs = 0
  return {
    write(octets, passes) {
      for (let from = 0; from < octets; from += most) {
        const atUs = Math.max(clock.nowUs(), freeUs)
        freeUs = atUs + everyUs
        line.put(atUs, () => passes(from, Math.min(from + most, octets)))
      }
    },
    behind: (act) => line.put(clock.nowUs(), act),
    clear: () => void line.clear(),
  }
}

/**
 * Lets a message of an answer through: its head with the first piece of what travels with it.
 *
 * @param slicer cuts what one message carries into pieces, from octet to octet
 */
export function dribbleAnswer<Head, P extends Piece>(
  dribble: Dribble,
  message: PassingMessage<Head, P>,
  slicer: (pieces: readonly P[]) => (from: number, to: number) => P,
  arrives: (part: PassingMessage<Head, P>) => void,
): void {
  const chunks = message.of === 'head' ? message.body : message.of === 'octets' ? message.chunks : []
  if (chunks.length === 0) {
    dribble.behind(() => arrives(message))
    return
  }
  const octets = octetsOf(chunks)
  const slice = slicer(chunks)
  let whole = true
  dribble.write(octets, (from, to) => {
    const piece = slice(from, to)
    whole &&= piece.byteLength === octets
    if (message.of === 'head' && from === 0)
      arrives({ ...message, body: [piece], ends: message.ends && whole })
    else arrives({ of: 'octets', chunks: [piece] })
  })
  if (message.of === 'head' && message.ends)
    dribble.behind(() => {
      if (!whole) arrives({ of: 'end', connection: 'stays' })
    })
}
