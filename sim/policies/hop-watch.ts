/**
 * When a hop loses patience with one exchange, and what it keeps back. Pure, so
 * that the wire and the model of a stream through hops decide alike.
 */
import type { CutHow, Hop } from './middlebox.ts'

/** Which of its limits a hop cuts by. */
export type CutReason = 'idle' | 'firstByte' | 'lifetime'

export interface HopCut {
  atUs: number
  why: CutReason
}

/** How a hop sees one exchange. */
export interface HopWatch {
  /** Octets of the answer pass, its head included. */
  octets(atUs: number): void
  /** Whether any have passed. */
  answered(): boolean
  /**
   * The cut that comes if nothing passes before it; `undefined` if none ever
   * will. Octets that pass at that very instant are in time. Never moves back.
   */
  dueUs(): HopCut | undefined
}

/**
 * Watches an exchange whose request passes the hop now. Silence counts from the
 * request on, also before the first octet of the answer: nginx's
 * `proxy_read_timeout` is the time between two reads, the first included. At
 * equal instants the limit named first in `CutReason` is the reason.
 */
export function createHopWatch(
  { idleUs, firstByteUs, lifetimeUs }: Pick<Hop, 'idleUs' | 'firstByteUs' | 'lifetimeUs'>,
  atUs: number,
): HopWatch {
  let lastUs = atUs
  let answered = false
  return {
    octets(passedUs) {
      lastUs = passedUs
      answered = true
    },
    answered: () => answered,
    dueUs() {
      let next: HopCut | undefined
      const consider = (why: CutReason, cutUs: number | undefined): void => {
        if (cutUs !== undefined && (next === undefined || cutUs < next.atUs)) next = { atUs: cutUs, why }
      }
      if (idleUs !== undefined) consider('idle', lastUs + idleUs)
      if (firstByteUs !== undefined && !answered) consider('firstByte', atUs + firstByteUs)
      if (lifetimeUs !== undefined) consider('lifetime', atUs + lifetimeUs)
      return next
    },
  }
}

/**
 * What a cut is to the asker: an answer of the hop's own as long as no octet of
 * another has passed. A hop that falls silent tells nobody, then as ever.
 */
export const cutShown = (cut: CutHow, answered: boolean): CutHow | 504 =>
  answered || cut === 'silent' ? cut : 504

/** What a hop keeps back of one answer. */
export interface HopBuffer {
  /** Takes the octets of one write of the body; true if all that is kept goes on now. */
  takes(octets: number): boolean
}

/**
 * The head of an answer is never kept. Its body is, until `octets` of it are
 * together; then all of them go on, and keeping begins anew. The end of the
 * answer takes along what is kept.
 */
export function createHopBuffer(octets: number): HopBuffer {
  let kept = 0
  return {
    takes(more) {
      kept += more
      if (kept < octets) return false
      kept = 0
      return true
    },
  }
}
