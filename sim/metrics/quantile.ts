/**
 * The q-quantile of ascending values by nearest rank: the smallest value that
 * at least the share `q` of all values does not exceed. It is always one of the
 * values, which suits few samples.
 *
 * @throws RangeError if there are no values
 */
export function quantile(ascending: readonly number[], q: number): number {
  const value = ascending[Math.max(0, Math.ceil(q * ascending.length) - 1)]
  if (value === undefined) throw new RangeError('a quantile needs at least one value')
  return value
}
