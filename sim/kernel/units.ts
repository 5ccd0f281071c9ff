/** Microseconds and how they are written. */

export const US_PER_MS = 1_000
export const US_PER_SECOND = 1_000_000
const US_PER_MINUTE = 60 * US_PER_SECOND
const US_PER_HOUR = 60 * US_PER_MINUTE
const US_PER_DAY = 24 * US_PER_HOUR

/** Milliseconds with decimals down to the microsecond: 6550 for 6,550,000 µs, 0.142 for 142 µs. */
export const msOf = (us: number): number => us / US_PER_MS

/**
 * Whole microseconds as scenarios write them, exactly: `0s`, `142us`, `250ms`,
 * `6.55s`, `1m40s`, `1h30s`, `1d`. `parseDuration` reads it back to the same
 * number. A difference below zero gets a minus sign.
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

/** The units of a written duration, largest first: the order in which they may follow each other. */
const SIZES_US = new Map([
  ['d', US_PER_DAY],
  ['h', US_PER_HOUR],
  ['m', US_PER_MINUTE],
  ['s', US_PER_SECOND],
  ['ms', US_PER_MS],
  ['us', 1],
])

/**
 * Reads a duration as scenarios write it: `142us`, `250ms`, `1.5s`, `7m`,
 * `1h30m`, `3d`, `0`. Units go from large to small, each once; the last number
 * may have decimals.
 *
 * @returns microseconds; `undefined` if the text is no duration, is negative, or is not a whole number of microseconds
 */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0
  if (!/^(\d+[a-z]+)*\d+(\.\d+)?[a-z]+$/.test(text)) return undefined
  let us = 0n
  let sizeBefore = Infinity
  for (const [, whole = '', decimals = '', unit = ''] of text.matchAll(/(\d+)(?:\.(\d+))?([a-z]+)/g)) {
    const size = SIZES_US.get(unit)
    if (size === undefined || size >= sizeBefore) return undefined
    sizeBefore = size
    // Scaled to whole numbers, so that 0.1s is exactly 100,000 µs.
    const scaled = BigInt(whole + decimals) * BigInt(size)
    const scale = 10n ** BigInt(decimals.length)
    if (scaled % scale !== 0n) return undefined
    us += scaled / scale
  }
  return us <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(us) : undefined
}
