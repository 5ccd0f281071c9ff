/** A rate with room for bursts, as token buckets have it. */
import { US_PER_SECOND } from '../kernel/units.ts'

/** One bucket, full at first. */
export interface TokenBucket {
  /** How long until there is a token; 0 if there is one. */
  waitUs(nowUs: number): number
  /** Takes a token, of which there must be one. */
  take(nowUs: number): void
}

/** Below what a sum of µs in floating point is off by, far above it for any run: an instant this little after a whole µs is that µs. */
const ROUNDING_US = 1e-3

/**
 * A bucket of `burst` tokens that gains `perSecond`. Instants are counted from
 * when it was last full and left standing so, never from token to token, so that
 * a rate such as 7/s does not drift: who takes every token has 700 in 100 s.
 */
export function createTokenBucket({ perSecond, burst }: { perSecond: number; burst: number }): TokenBucket {
  let fullUs = 0
  let taken = 0
  /** How long so many tokens take to come, in whole µs. */
  const usFor = (tokens: number) => Math.ceil((tokens * US_PER_SECOND) / perSecond - ROUNDING_US)

  return {
    waitUs(nowUs) {
      const missing = taken + 1 - burst
      return missing <= 0 ? 0 : Math.max(0, fullUs + usFor(missing) - nowUs)
    },
    take(nowUs) {
      if (nowUs > fullUs + usFor(taken)) {
        fullUs = nowUs
        taken = 0
      }
      taken += 1
    },
  }
}
