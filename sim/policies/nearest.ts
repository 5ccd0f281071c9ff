/** The nearest known name, for messages that end in "did you mean …?". */

/** The closest of `known`, or `undefined` if none is close: one slip in three characters, and at least one. */
export function nearestOf(given: string, known: readonly string[]): string | undefined {
  const allowed = Math.max(1, Math.floor(given.length / 3))
  let best: { name: string; slips: number } | undefined
  for (const name of known) {
    const slips = slipsBetween(given.toLowerCase(), name.toLowerCase())
    if (slips <= allowed && (best === undefined || slips < best.slips)) best = { name, slips }
  }
  return best?.name
}

/** `: did you mean jitter?`, or nothing. */
export function didYouMean(given: string, known: readonly string[]): string {
  const name = nearestOf(given, known)
  return name === undefined ? '' : `: did you mean ${name}?`
}

/** Slips of the hand: a character too many, too few or wrong, or two neighbours swapped. */
function slipsBetween(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)]
  const slips = (i: number, j: number) => rows[i]?.[j] as number
  for (let i = 1; i <= a.length; i++) {
    rows.push([i])
    for (let j = 1; j <= b.length; j++) {
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      rows[i]?.push(
        Math.min(
          slips(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
          slips(i - 1, j) + 1,
          slips(i, j - 1) + 1,
          swapped ? slips(i - 2, j - 2) + 1 : Infinity,
        ),
      )
    }
  }
  return slips(a.length, b.length)
}
