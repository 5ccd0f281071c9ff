/** Shares of a whole: that they are one. */

/** Why written shares are no whole; `undefined` for none at all. Compared as they are written, where thirds may be 33.33%. */
export function sharesProblem(shares: readonly string[]): string | undefined {
  if (shares.length === 0) return undefined
  const sum = shares.reduce((all, share) => all + Number.parseFloat(share), 0)
  const rounded = Number(sum.toFixed(6))
  return Math.abs(sum - 100) <= ROUNDING ? undefined : `the shares add up to ${rounded}%, not to 100%`
}

/** In percent: three times 33.33% is meant as a whole. */
const ROUNDING = 0.02
