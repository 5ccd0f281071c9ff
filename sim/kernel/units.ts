/** Microseconds and how they are written. */

export const US_PER_MS = 1_000
export const US_PER_SECOND = 1_000_000
const US_PER_MINUTE = 60 * US_PER_SECOND
const US_PER_HOUR = 60 * US_PER_MINUTE
const US_PER_DAY = 24 * US_PER_HOUR

/** Milliseconds with decimals down to the microsecond: 6550 for 6,550,000 µs, 0.142 for 142 µs. */
export const msOf = (us: number): number => us / US_PER_MS

/**
 * A duration as scenarios write it, in its shortest exact form:
 * `0s`, `142us`, `250ms`, `6.55s`, `1m40s`, `24h`, `1h0m30s` never (`1h30s`).
 */
export function formatDuration(us: number): string {
  if (us < 0) return `-${formatDuration(-us)}`
  if (us === 0) return '0s'
  if (us < US_PER_MS) return `${us}us`
  if (us < US_PER_SECOND) return `${us / US_PER_MS}ms`
  const parts: string[] = []
  let rest = us
  for (const [unit, size] of [
    ['d', US_PER_DAY],
    ['h', US_PER_HOUR],
    ['m', US_PER_MINUTE],
  ] as const) {
    const whole = Math.floor(rest / size)
    if (whole > 0) parts.push(`${whole}${unit}`)
    rest -= whole * size
  }
  if (rest > 0) parts.push(`${rest / US_PER_SECOND}s`)
  return parts.join('')
}

/** A duration as people read it: `7 s`, `1 min 40 s`, `142 µs`. */
export const spellDuration = (us: number): string =>
  formatDuration(us)
    .replaceAll(/(us|ms|s|m|h|d)(?=\d|$)/g, ' $1 ')
    .replaceAll(' us ', ' µs ')
    .replaceAll(' m ', ' min ')
    .trimEnd()
