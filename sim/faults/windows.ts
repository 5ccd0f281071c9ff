import { drawUs } from '../kernel/distribution.ts'
import type { RandomStream } from '../kernel/random.ts'
import type { Fault } from '../scenario/scenario.ts'

/** A stretch of time, its end not included. */
export interface Window {
  fromUs: number
  toUs: number
}

/** When a fault holds. */
export interface Windows {
  /** The window around an instant, `undefined` if there is none. Where two overlap, the one that ends last. */
  around(atUs: number): Window | undefined
  /** The first window that begins at or after an instant; `undefined` if there is none any more. */
  next(fromUs: number): Window | undefined
}

/** Recurring windows begin one draw after another, counted from beginning to beginning, the first one draw after the start. */
export function windowsOf(when: Fault['when'], random: RandomStream): Windows {
  if (when.of === 'once') {
    const { fromUs, toUs } = when
    return {
      around: (atUs) => (fromUs <= atUs && atUs < toUs ? { fromUs, toUs } : undefined),
      next: (afterUs) => (fromUs >= afterUs ? { fromUs, toUs } : undefined),
    }
  }
  const { every, forUs } = when
  /** Beginnings in order, drawn as far as anybody has asked. */
  const begins: number[] = []

  /** Draws until one begins after `atUs`. A draw of nothing would never get there. */
  function drawBeyond(atUs: number): void {
    while ((begins.at(-1) ?? -1) <= atUs)
      begins.push((begins.at(-1) ?? 0) + Math.max(1, drawUs(every, random)))
  }

  const windowAt = (fromUs: number): Window => ({ fromUs, toUs: fromUs + forUs })

  return {
    around(atUs) {
      drawBeyond(atUs)
      const fromUs = begins.findLast((begin) => begin <= atUs)
      return fromUs !== undefined && atUs < fromUs + forUs ? windowAt(fromUs) : undefined
    },
    next(fromUs) {
      drawBeyond(fromUs)
      return windowAt(begins.find((begin) => begin >= fromUs) as number)
    },
  }
}
