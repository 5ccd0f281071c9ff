/** What of a run is counted, and into which bins. */
export interface Frame {
  /** The window: from here up to, but without, `toUs`. Infinity: to the end of the run. */
  fromUs: number
  toUs: number
  binUs: number
}

/** Bins of the window; `undefined` where it has no end. */
export const binsIn = ({ fromUs, toUs, binUs }: Frame): number | undefined =>
  toUs === Infinity ? undefined : Math.ceil((toUs - fromUs) / binUs)

/** More would fill the memory with what nobody reads. */
export const MOST_BINS = 16_000_000

/** @throws RangeError where a window without an end goes on for too many bins */
export function checkBins(bins: number, { binUs }: Frame): void {
  if (bins > MOST_BINS)
    throw new RangeError(
      `the run lasts longer than ${MOST_BINS} bins of ${binUs} µs: choose wider bins, or end the window`,
    )
}
