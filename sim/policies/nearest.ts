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

/** Levenshtein distance: insertions, deletions and replacements of one character. */
function slipsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1))
    }
    row = next
  }
  return row[b.length] as number
}
